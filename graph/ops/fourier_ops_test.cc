#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(FourierOpsTest, OfComplexNumbers) {
  for (const char* op : {"FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?,3]"}), "[2,?,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>"}), "<unknown>") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]"}), "rank");
  }
  EXPECT_PRED2(Contains, ShapesOf("FFT3D", {}, {"[2,3]"}), "rank");
}

TEST(FourierOpsTest, OfRealNumbers) {
  EXPECT_EQ(ShapesOf("RFFT", {}, {"[2,9]", "=[8]"}), "[2,5]");
  EXPECT_EQ(ShapesOf("RFFT", {}, {"[2,9]", "=[7]"}), "[2,4]");
  EXPECT_EQ(ShapesOf("RFFT", {}, {"[2,9]", "=[0]"}), "[2,0]");
  EXPECT_EQ(ShapesOf("RFFT", {}, {"[2,9]", "=[-1]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("RFFT", {}, {"[2,9]", "[1]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("RFFT2D", {}, {"[?,4,9]", "=[3,8]"}), "[?,3,5]");
  EXPECT_EQ(ShapesOf("RFFT3D", {}, {"<unknown>", "=[3,8,2]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("IRFFT", {}, {"[2,5]", "=[8]"}), "[2,8]");
  EXPECT_EQ(ShapesOf("IRFFT2D", {}, {"[2,5,5]", "=[4,8]"}), "[2,4,8]");
  for (const char* op : {"RFFT2D", "IRFFT2D"}) {
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[5]", "[2]"}), "rank");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[5,5]", "[3]"}), "error");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[5,5]", "[]"}), "rank");
  }
}

}  // namespace
}  // namespace tagflow
