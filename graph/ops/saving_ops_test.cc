#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SavingOpsTest, NamesAndSlicesAreVectors) {
  AttrList one;
  one.types = {{DType::kFloat, false}};
  EXPECT_EQ(ShapesOf("RestoreV2", {{"dtypes", one}}, {"[]", "[1]", "[1]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("SaveV2", {{"dtypes", one}}, {"[1]", "[1]", "[?]", "<unknown>"}), "");
  EXPECT_PRED2(Contains, ShapesOf("SaveV2", {{"dtypes", one}}, {"[]", "[]", "[1]", "[2]"}),
               "tensor_names");
  EXPECT_EQ(ShapesOf("MergeV2Checkpoints", {}, {"[?]", "[]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("MergeV2Checkpoints", {}, {"[2]", "[1]"}), "destination_prefix");
}

TEST(SavingOpsTest, ANameIsAScalar) {
  EXPECT_EQ(ShapesOf("ShardedFilename", {}, {"[]", "<unknown>", "[]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("ShardedFilename", {}, {"[]", "[1]", "[]"}), "shard");
  EXPECT_EQ(ShapesOf("ShardedFilespec", {}, {"[]", "[]"}), "[]");
}

}  // namespace
}  // namespace tagflow
