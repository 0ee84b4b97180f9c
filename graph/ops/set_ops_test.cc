// Tests: set_ops.cc, sparse_shapes.cc

#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SetOpsTest, OperationsGiveASparseTensorOfTheRankOfTheSets) {
  const auto dense = [](const std::vector<std::string>& inputs) {
    return ShapesOf("DenseToDenseSetOperation", {{"set_operation", std::string("union")}}, inputs);
  };
  EXPECT_EQ(dense({"[2,3]", "[2,5]"}), "[?,2] [?] [2]");
  EXPECT_EQ(dense({"<unknown>", "[2,?,5]"}), "[?,3] [?] [3]");
  EXPECT_EQ(dense({"<unknown>", "<unknown>"}), "[?,?] [?] [?]");
  EXPECT_PRED2(Contains, dense({"[2,3]", "[4,3]"}), "differ");
  EXPECT_PRED2(Contains, dense({"[2,3]", "[2,3,1]"}), "must be equal");
  EXPECT_PRED2(Contains, dense({"[2]", "[2]"}), "rank 2 or more");

  const auto mixed = [](const std::vector<std::string>& inputs) {
    return ShapesOf("DenseToSparseSetOperation", {{"set_operation", std::string("a-b")}}, inputs);
  };
  EXPECT_EQ(mixed({"[2,3]", "[4,2]", "[4]", "[2]"}), "[?,2] [?] [2]");
  EXPECT_EQ(mixed({"<unknown>", "[4,?]", "[4]", "[3]"}), "[?,3] [?] [3]");
  EXPECT_PRED2(Contains, mixed({"[2,3]", "[4,2]", "[5]", "[2]"}), "must be equal");
  EXPECT_PRED2(Contains, mixed({"[2,3]", "[4,3]", "[4]", "[3]"}), "must be equal");

  const auto sparse = [](const std::vector<std::string>& inputs) {
    return ShapesOf("SparseToSparseSetOperation", {{"set_operation", std::string("b-a")}}, inputs);
  };
  EXPECT_EQ(sparse({"[?,?]", "[?]", "[2]", "<unknown>", "<unknown>", "<unknown>"}),
            "[?,2] [?] [2]");
  EXPECT_PRED2(Contains, sparse({"[1,1]", "[1]", "[1]", "[1,1]", "[1]", "[1]"}), "two dimensions");
}

TEST(SetOpsTest, SizesAreOfAllDimensionsButTheLast) {
  EXPECT_EQ(ShapesOf("SetSize", {}, {"[4,3]", "[4]", "[3]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("SetSize", {}, {"[4,?]", "[4]", "[?]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("SetSize", {}, {"[4,1]", "[4]", "[1]"}), "two dimensions");
  EXPECT_PRED2(Contains, ShapesOf("SetSize", {}, {"[4]", "[4]", "[1]"}), "must be of rank 2");
}

}  // namespace
}  // namespace tagflow
