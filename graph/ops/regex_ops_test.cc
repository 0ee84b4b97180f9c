#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(RegexOpsTest, EveryTextIsLookedAtByItself) {
  EXPECT_EQ(ShapesOf("RegexReplace", {}, {"[2,?]", "[]", "<unknown>"}), "[2,?]");
  EXPECT_EQ(ShapesOf("RegexFullMatch", {}, {"<unknown>", "[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("StaticRegexFullMatch", {{"pattern", "a"}}, {"[]"}), "[]");
  EXPECT_EQ(ShapesOf("StaticRegexReplace", {{"pattern", "a"}, {"rewrite", "b"}}, {"[3]"}), "[3]");
}

TEST(RegexOpsTest, PatternsAreScalars) {
  EXPECT_PRED2(Contains, ShapesOf("RegexReplace", {}, {"[2]", "[1]", "[]"}), "a scalar");
  EXPECT_PRED2(Contains, ShapesOf("RegexReplace", {}, {"[2]", "[]", "[1]"}), "a scalar");
  EXPECT_PRED2(Contains, ShapesOf("RegexFullMatch", {}, {"[2]", "[1]"}), "a scalar");
}

}  // namespace
}  // namespace tagflow
