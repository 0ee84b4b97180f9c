#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(StackOpsTest, PushPassesItsElementOn) {
  EXPECT_EQ(ShapesOf("StackV2", {{"elem_type", DType::kFloat}}, {"[]"}), "[]");
  EXPECT_EQ(ShapesOf("StackPushV2", {}, {"[]", "[2,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("StackPopV2", {{"elem_type", DType::kFloat}}, {"[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("StackCloseV2", {}, {"[]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("StackV2", {{"elem_type", DType::kFloat}}, {"[1]"}),
               "input 'max_size' must be a scalar");
}

}  // namespace
}  // namespace tagflow
