#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(RaggedOpsTest, Ranges) {
  EXPECT_EQ(ShapesOf("RaggedRange", {}, {"[3]", "[]", "[?]"}), "[4] [?]");
  EXPECT_EQ(ShapesOf("RaggedRange", {}, {"[]", "[]", "[]"}), "[2] [?]");
  EXPECT_EQ(ShapesOf("RaggedRange", {}, {"[]", "<unknown>", "[]"}), "[?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("RaggedRange", {}, {"[3]", "[2]", "[]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf("RaggedRange", {}, {"[3]", "[2,1]", "[]"}), "vector");
}

TEST(RaggedOpsTest, Gathered) {
  const auto gathered = [](int64_t out, const std::vector<std::string>& inputs) {
    return ShapesOf("RaggedGather",
                    {{"PARAMS_RAGGED_RANK", static_cast<int64_t>(inputs.size()) - 2},
                     {"OUTPUT_RAGGED_RANK", out},
                     {"Tvalues", DType::kFloat},
                     {"Tindices", DType::kInt32}},
                    inputs);
  };
  EXPECT_EQ(gathered(1, {"[3]", "[7,2]", "[5]"}), "[?] [?,2]");
  EXPECT_EQ(gathered(0, {"[3]", "[7,2]", "[]"}), "[?,2]");
  EXPECT_EQ(gathered(3, {"[3]", "[?]", "<unknown>", "[5,4]"}), "[?] [?] [?] <unknown>");
  EXPECT_PRED2(Contains, gathered(2, {"[3]", "[7,2]", "[5]"}), "OUTPUT_RAGGED_RANK");
  EXPECT_PRED2(Contains, gathered(1, {"[]", "[7,2]", "[5]"}), "rank");
  EXPECT_PRED2(Contains, gathered(1, {"[3]", "[]", "[5]"}), "rank");
}

TEST(RaggedOpsTest, MadeSparse) {
  const auto sparse = [](const std::vector<std::string>& inputs) {
    return ShapesOf(
        "RaggedTensorToSparse",
        {{"RAGGED_RANK", static_cast<int64_t>(inputs.size()) - 1}, {"T", DType::kFloat}}, inputs);
  };
  EXPECT_EQ(sparse({"[3]", "[7,2]"}), "[14,3] [14] [3]");
  EXPECT_EQ(sparse({"[3]", "[4]", "<unknown>"}), "[?,?] [?] [?]");
  EXPECT_PRED2(Contains, sparse({"[3]", "[]"}), "rank");
}

TEST(RaggedOpsTest, MadeDense) {
  const auto dense = [](std::vector<std::string> kinds, const std::vector<std::string>& inputs) {
    AttrList list;
    list.strings = std::move(kinds);
    return ShapesOf("RaggedTensorToTensor",
                    {{"num_row_partition_tensors", static_cast<int64_t>(inputs.size()) - 3},
                     {"row_partition_types", list},
                     {"T", DType::kFloat},
                     {"Tindex", DType::kInt32},
                     {"Tshape", DType::kInt32}},
                    inputs);
  };
  EXPECT_EQ(dense({"ROW_SPLITS"}, {"=[-1,3,-1]", "[7,2]", "[]", "[4]"}), "[?,3,2]");
  EXPECT_EQ(dense({"ROW_SPLITS"}, {"=-1", "[7,2]", "[]", "[4]"}), "[?,?,2]");
  EXPECT_EQ(dense({"FIRST_DIM_SIZE", "VALUE_ROWIDS"}, {"=-1", "[7]", "[]", "[]", "[7]"}), "[?,?]");
  EXPECT_EQ(dense({"ROW_SPLITS"}, {"=-1", "<unknown>", "[]", "[4]"}), "<unknown>");
  EXPECT_PRED2(Contains, dense({"ROW_SPLITS"}, {"=[2,3]", "[7,2]", "[]", "[4]"}), "rank");
  EXPECT_PRED2(Contains, dense({"ROW_SPLITS"}, {"=-1", "[]", "[]", "[4]"}), "rank");
  EXPECT_PRED2(Contains, dense({"ROWS"}, {"=-1", "[7]", "[]", "[4]"}), "Unknown");
  EXPECT_PRED2(Contains, dense({"ROW_SPLITS", "FIRST_DIM_SIZE"}, {"=-1", "[7]", "[]", "[4]", "[]"}),
               "first");
  EXPECT_PRED2(Contains, dense({"ROW_SPLITS"}, {"=-1", "[7]", "[]", "[4]", "[4]"}), "as many");
}

TEST(RaggedOpsTest, MadeVariants) {
  const auto variants = [](bool batched, const std::vector<std::string>& inputs) {
    return ShapesOf("RaggedTensorToVariant",
                    {{"RAGGED_RANK", static_cast<int64_t>(inputs.size()) - 1},
                     {"batched_input", batched},
                     {"Tvalues", DType::kFloat}},
                    inputs);
  };
  EXPECT_EQ(variants(true, {"[3]", "[7,2]"}), "[2]");
  EXPECT_EQ(variants(true, {"[3]", "<unknown>", "<unknown>"}), "[2]");
  EXPECT_EQ(variants(true, {"[0]", "[7]"}), "[?]");
  EXPECT_EQ(variants(true, {"<unknown>", "[7]"}), "[?]");
  EXPECT_EQ(variants(true, {"[7,2]"}), "[7]");
  EXPECT_EQ(variants(false, {"[3]", "[7,2]"}), "[]");
  EXPECT_EQ(variants(false, {"[]"}), "[]");
  EXPECT_PRED2(Contains, variants(true, {"[]"}), "rank");
  EXPECT_PRED2(Contains, variants(false, {"[3]", "[]"}), "rank");
  EXPECT_PRED2(Contains, variants(false, {"[3,1]", "[7]"}), "rank");
}

TEST(RaggedOpsTest, MadeOfVariants) {
  const auto ragged = [](int64_t in, int64_t out, const std::string& input) {
    return ShapesOf(
        "RaggedTensorFromVariant",
        {{"input_ragged_rank", in}, {"output_ragged_rank", out}, {"Tvalues", DType::kFloat}},
        {input});
  };
  EXPECT_EQ(ragged(0, 1, "[4]"), "[?] <unknown>");
  EXPECT_EQ(ragged(-1, 2, "[4]"), "[?] [?] <unknown>");
  EXPECT_EQ(ragged(0, 0, "[4]"), "<unknown>");
  EXPECT_EQ(ragged(1, 2, "<unknown>"), "[?] [?] <unknown>");
  EXPECT_PRED2(Contains, ragged(1, 1, "[4]"), "must be of rank");
}

TEST(RaggedOpsTest, GradientsOfVariants) {
  const auto gradient = [](const std::string& shape) {
    return ShapesOf("RaggedTensorToVariantGradient", {{"Tvalues", DType::kFloat}},
                    {"[2]", "[3]", shape});
  };
  EXPECT_EQ(gradient("=[5,2]"), "[5,2]");
  EXPECT_EQ(gradient("[2]"), "[?,?]");
  EXPECT_EQ(gradient("<unknown>"), "<unknown>");
  EXPECT_PRED2(Contains, gradient("=[-5]"), "-5");
  EXPECT_PRED2(Contains, gradient("[]"), "rank");
}

}  // namespace
}  // namespace tagflow
