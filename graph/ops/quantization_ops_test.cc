#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(QuantizationOpsTest, OfRangesThatTheNodeNames) {
  EXPECT_EQ(ShapesOf("FakeQuantWithMinMaxArgs", {}, {"[2,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("FakeQuantWithMinMaxArgsGradient", {}, {"[2,?]", "[?,3]"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("FakeQuantWithMinMaxArgsGradient", {}, {"[2]", "[3]"}), "differ");
}

TEST(QuantizationOpsTest, OfOneRange) {
  const char* op = "FakeQuantWithMinMaxVars";
  EXPECT_EQ(ShapesOf(op, {}, {"[2,?]", "[]", "<unknown>"}), "[2,?]");
  EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "[]", "[]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "[]", "[1]"}), "must be a scalar");
  const char* gradient = "FakeQuantWithMinMaxVarsGradient";
  EXPECT_EQ(ShapesOf(gradient, {}, {"[2,?]", "[?,3]", "[]", "<unknown>"}), "[2,3] [] []");
  EXPECT_PRED2(Contains, ShapesOf(gradient, {}, {"[2]", "[3]", "[]", "[]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf(gradient, {}, {"[2]", "[2]", "[2]", "[]"}), "must be a scalar");
}

TEST(QuantizationOpsTest, OfARangeForEachChannel) {
  const char* op = "FakeQuantWithMinMaxVarsPerChannel";
  EXPECT_EQ(ShapesOf(op, {}, {"[2,?]", "[?]", "[3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "[?]", "[3]"}), "<unknown>");
  EXPECT_EQ(ShapesOf(op, {}, {"[4]", "<unknown>", "<unknown>"}), "[4]");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]", "[1]", "[1]"}), "channels");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "[]", "[2]"}), "rank 1");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,3]", "[3]", "[2]"}), "must be equal");
  const char* gradient = "FakeQuantWithMinMaxVarsPerChannelGradient";
  EXPECT_EQ(ShapesOf(gradient, {}, {"[2,?]", "[?,?]", "[3]", "<unknown>"}), "[2,3] [3] [3]");
  EXPECT_EQ(ShapesOf(gradient, {}, {"<unknown>", "<unknown>", "<unknown>", "<unknown>"}),
            "<unknown> [?] [?]");
  EXPECT_PRED2(Contains, ShapesOf(gradient, {}, {"[2]", "[3]", "[3]", "[3]"}), "differ");
}

}  // namespace
}  // namespace tagflow
