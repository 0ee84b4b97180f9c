#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SoftmaxOpsTest, Softmax) {
  EXPECT_EQ(ShapesOf("Softmax", {}, {"[2,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("LogSoftmax", {}, {"<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("Softmax", {}, {"[]"}), "rank 1 or more");
}

TEST(SoftmaxOpsTest, Losses) {
  const char* dense = "SoftmaxCrossEntropyWithLogits";
  EXPECT_EQ(ShapesOf(dense, {}, {"[4,3]", "[?,3]"}), "[4] [4,3]");
  EXPECT_EQ(ShapesOf(dense, {}, {"[3]", "[4,1]"}), "[4] [4,3]");
  EXPECT_EQ(ShapesOf(dense, {}, {"[4,3]", "<unknown>"}), "[?] [?,?]");
  EXPECT_PRED2(Contains, ShapesOf(dense, {}, {"[3]", "[3]"}), "must broadcast to a matrix");
  const char* sparse = "SparseSoftmaxCrossEntropyWithLogits";
  const auto labels = {std::pair<std::string, AttrValue>("Tlabels", DType::kInt32)};
  EXPECT_EQ(ShapesOf(sparse, labels, {"[?,3]", "[4]"}), "[4] [4,3]");
  EXPECT_EQ(ShapesOf(sparse, labels, {"<unknown>", "[4]"}), "[4] [4,?]");
  EXPECT_PRED2(Contains, ShapesOf(sparse, labels, {"[4,3]", "[5]"}), "must be equal");
}

}  // namespace
}  // namespace tagflow
