#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(TensorArrayOpsTest, HandlesAndFlowsAreScalars) {
  EXPECT_EQ(ShapesOf("TensorArrayV3", {}, {"[]"}), "[] []");
  EXPECT_EQ(ShapesOf("TensorArrayGradV3", {{"source", "g"}}, {"[]", "[]"}), "[] []");
  EXPECT_EQ(ShapesOf("TensorArrayGradWithShape", {{"source", "g"}}, {"[]", "[]", "[1]"}), "[] []");
  EXPECT_EQ(ShapesOf("TensorArrayWriteV3", {}, {"[]", "[]", "[2]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorArraySizeV3", {}, {"[]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorArraySplitV3", {}, {"[]", "[2,3]", "[2]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorArrayCloseV3", {}, {"[]"}), "");
}

// The kernels pass on whatever flow they are given.
TEST(TensorArrayOpsTest, TheFlowGoesOutAsItCameIn) {
  EXPECT_EQ(ShapesOf("TensorArrayWriteV3", {}, {"[]", "[]", "[2]", "<unknown>"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorArrayScatterV3", {}, {"[]", "[2]", "[2,3]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorArrayScatterV3", {}, {"[]", "[2]", "[2,3]", "<unknown>"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorArraySplitV3", {}, {"[]", "[2,3]", "[2]", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("TensorArrayWriteV3", {}, {"[]", "[]", "[2]", "[1]"}),
               "input 'flow_in' must be a scalar");
}

TEST(TensorArrayOpsTest, ElementsHaveTheShapeTheAttrSays) {
  const PartialShape row(Dims{3});
  EXPECT_EQ(ShapesOf("TensorArrayReadV3", {}, {"[]", "[]", "[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorArrayGatherV3", {{"element_shape", row}}, {"[]", "[2]", "[]"}),
            "[2,3]");
  EXPECT_EQ(ShapesOf("TensorArrayGatherV3", {{"element_shape", row}}, {"[]", "[?]", "[]"}),
            "[?,3]");
  EXPECT_EQ(ShapesOf("TensorArrayGatherV3", {}, {"[]", "[2]", "[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorArrayConcatV3", {{"element_shape_except0", row}}, {"[]", "[]"}),
            "[?,3] [?]");
}

TEST(TensorArrayOpsTest, RefusesWhatCannotBe) {
  EXPECT_PRED2(Contains, ShapesOf("TensorArrayWriteV3", {}, {"[]", "[1]", "[2]", "[]"}),
               "input 'index' must be a scalar");
  EXPECT_PRED2(Contains, ShapesOf("TensorArrayScatterV3", {}, {"[]", "[2]", "[3,4]", "[]"}),
               "2 and 3 must be equal");
}

}  // namespace
}  // namespace tagflow
