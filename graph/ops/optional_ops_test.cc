#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

AttrValue Shapes(std::vector<PartialShape> shapes) {
  AttrList list;
  list.shapes = std::move(shapes);
  return list;
}

TEST(OptionalOpsTest, OptionalsAreScalars) {
  EXPECT_EQ(ShapesOf("OptionalNone", {}, {}), "[]");
  EXPECT_EQ(ShapesOf("OptionalFromValue", {}, {"[2]", "[3]"}), "[]");
  EXPECT_EQ(ShapesOf("OptionalHasValue", {}, {"<unknown>"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("OptionalHasValue", {}, {"[1]"}), "must be a scalar");
}

TEST(OptionalOpsTest, ComponentsHaveTheShapesOfTheAttr) {
  EXPECT_EQ(ShapesOf("OptionalGetValue", {{"output_shapes", Shapes({PartialShape(Dims{2, -1})})}},
                     {"[]"}),
            "[2,?]");
  EXPECT_PRED2(Contains,
               ShapesOf("OptionalGetValue",
                        {{"output_shapes", Shapes({PartialShape(), PartialShape()})}}, {"[]"}),
               "2 shapes for 1 outputs");
}

}  // namespace
}  // namespace tagflow
