#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(MapOpsTest, MapsAreScalars) {
  EXPECT_EQ(ShapesOf("EmptyTensorMap", {}, {}), "[]");
  EXPECT_EQ(ShapesOf("TensorMapInsert", {}, {"<unknown>", "[2]", "[3]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorMapErase", {}, {"[]", "<unknown>"}), "[]");
}

TEST(MapOpsTest, KeysAndValuesHaveAnyShape) {
  EXPECT_EQ(ShapesOf("TensorMapSize", {}, {"[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorMapHasKey", {}, {"[]", "[2]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorMapLookup", {}, {"[]", "[2]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorMapStackKeys", {}, {"[]"}), "<unknown>");
}

}  // namespace
}  // namespace tagflow
