#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(RandomStateOpsTest, DrawsHaveTheShapeThatIsAskedFor) {
  for (const char* op :
       {"StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[]", "[]", "=[2,3]"}), "[2,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[]", "<unknown>", "[2]"}), "[?,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[]", "[]", "<unknown>"}), "<unknown>") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]", "[1]", "=[2]"}), "must be a scalar");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]", "[]", "=[-2]"}), "the dimension -2");
  }
  EXPECT_EQ(ShapesOf("StatefulUniformInt", {}, {"[]", "[]", "=[2]", "[]", "[]"}), "[2]");
  EXPECT_PRED2(Contains, ShapesOf("StatefulUniformInt", {}, {"[]", "[]", "=[2]", "[2]", "[]"}),
               "must be a scalar");
  EXPECT_EQ(ShapesOf("StatefulRandomBinomial", {}, {"[]", "[]", "=[4,2]", "[2]", "[3]"}), "[4,2]");
  EXPECT_EQ(ShapesOf("NonDeterministicInts", {}, {"=[2,3]"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("NonDeterministicInts", {}, {"[]"}), "must be of rank 1");
}

TEST(RandomStateOpsTest, StatesAreVectorsOfThree) {
  EXPECT_EQ(ShapesOf("RngSkip", {}, {"[]", "[]", "[]"}), "");
  EXPECT_EQ(ShapesOf("RngReadAndSkip", {}, {"[]", "[]", "[]"}), "[3]");
  EXPECT_PRED2(Contains, ShapesOf("RngReadAndSkip", {}, {"[]", "[]", "[1]"}), "must be a scalar");
}

}  // namespace
}  // namespace tagflow
