#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ListOpsTest, ListsAreScalars) {
  EXPECT_EQ(ShapesOf("EmptyTensorList", {}, {"=[2,-1]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListReserve", {}, {"=-1", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListReserve", {}, {"<unknown>", "<unknown>"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("TensorListReserve", {}, {"[2]", "[1]"}), "must be a scalar");
  EXPECT_PRED2(Contains, ShapesOf("EmptyTensorList", {}, {"=[-2]", "[]"}), "dimension -2");
  EXPECT_EQ(ShapesOf("TensorListPushBack", {}, {"[]", "[3]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("TensorListPushBack", {}, {"[2]", "[3]"}), "must be a scalar");
  EXPECT_EQ(ShapesOf("TensorListSetItem", {}, {"<unknown>", "[]", "[3]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListResize", {}, {"[]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListLength", {}, {"[]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListElementShape", {}, {"[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorListConcatLists", {}, {"[2,?]", "[?,3]"}), "[2,3]");
}

TEST(ListOpsTest, ListsOfRowsNeedRows) {
  EXPECT_EQ(ShapesOf("TensorListFromTensor", {}, {"[2,3]", "=[3]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("TensorListFromTensor", {}, {"[]", "[0]"}), "rank 1 or more");
  EXPECT_EQ(ShapesOf("TensorListScatter", {}, {"[2,3]", "[2]", "=[3]"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListScatterV2", {}, {"[2,3]", "[2]", "=[3]", "=5"}), "[]");
  EXPECT_EQ(ShapesOf("TensorListScatterIntoExistingList", {}, {"[]", "[2,3]", "[2]"}), "[]");
  EXPECT_PRED2(Contains,
               ShapesOf("TensorListScatterIntoExistingList", {}, {"[]", "[2,3]", "[2,1]"}),
               "must be of rank 1");
  EXPECT_EQ(ShapesOf("TensorListSplit", {}, {"[2,3]", "=[-1,3]", "[2]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("TensorListSplit", {}, {"[2]", "=[-1]", "[]"}),
               "must be of rank 1");
}

TEST(ListOpsTest, PushingABatch) {
  EXPECT_EQ(ShapesOf("TensorListPushBackBatch", {}, {"<unknown>", "[2,3]"}), "[2]");
  EXPECT_EQ(ShapesOf("TensorListPushBackBatch", {}, {"[?]", "<unknown>"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("TensorListPushBackBatch", {}, {"[2]", "[3]"}), "2 and 3");
}

// Elements that were written keep their shape, whatever the reader asks for.
TEST(ListOpsTest, ElementsHaveAnyShape) {
  EXPECT_EQ(ShapesOf("TensorListPopBack", {}, {"[]", "=[2]"}), "[] <unknown>");
  EXPECT_EQ(ShapesOf("TensorListGetItem", {}, {"[]", "[]", "=[2]"}), "<unknown>");
}

TEST(ListOpsTest, StackedElements) {
  EXPECT_EQ(ShapesOf("TensorListStack", {}, {"[]", "=[2,-1]"}), "[?,2,?]");
  EXPECT_EQ(ShapesOf("TensorListStack", {{"num_elements", 3}}, {"[]", "=[2]"}), "[3,2]");
  EXPECT_EQ(ShapesOf("TensorListStack", {{"num_elements", -7}}, {"[]", "=[]"}), "[?]");
  EXPECT_EQ(ShapesOf("TensorListStack", {}, {"[]", "=-1"}), "<unknown>");
  EXPECT_EQ(ShapesOf("TensorListStack", {}, {"[]", "[2]"}), "[?,?,?]");
  EXPECT_EQ(ShapesOf("TensorListGather", {}, {"[]", "[4]", "=[2]"}), "[4,2]");
  EXPECT_EQ(ShapesOf("TensorListGather", {}, {"[]", "[2,3]", "=[2]"}), "[6,2]");
  EXPECT_EQ(ShapesOf("TensorListGather", {}, {"[]", "<unknown>", "=[2]"}), "[?,2]");
}

TEST(ListOpsTest, ConcatenatedElements) {
  const PartialShape shape(Dims{3, 2});
  EXPECT_EQ(ShapesOf("TensorListConcat", {{"element_shape", shape}}, {"[]"}), "[?,2] [?]");
  EXPECT_EQ(ShapesOf("TensorListConcat", {}, {"[]"}), "<unknown> [?]");
  EXPECT_EQ(ShapesOf("TensorListConcatV2", {}, {"[]", "=[3,2]", "[1]"}), "[?,2] [?]");
  EXPECT_EQ(ShapesOf("TensorListConcatV2", {}, {"[]", "<unknown>", "[1]"}), "<unknown> [?]");
  EXPECT_PRED2(Contains, ShapesOf("TensorListConcatV2", {}, {"[]", "=[]", "[1]"}), "scalars");
}

}  // namespace
}  // namespace tagflow
