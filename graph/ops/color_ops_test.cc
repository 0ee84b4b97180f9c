#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ColorOpsTest, Converted) {
  for (const char* op : {"RGBToHSV", "HSVToRGB"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?,?]"}), "[2,?,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>"}), "<unknown>") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,4]"}), "error");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]"}), "rank");
  }
}

TEST(ColorOpsTest, Adjusted) {
  for (const char* op : {"AdjustContrastv2", "AdjustHue", "AdjustSaturation"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?,?]", "[]"}), "[2,?,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "<unknown>"}), "<unknown>") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,3]", "[]"}), "rank");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,3,3]", "[1]"}), "scalar");
  }
}

}  // namespace
}  // namespace tagflow
