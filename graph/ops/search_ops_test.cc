#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SearchOpsTest, Unique) {
  EXPECT_EQ(ShapesOf("Unique", {}, {"[4]"}), "[?] [4]");
  EXPECT_EQ(ShapesOf("UniqueWithCounts", {}, {"<unknown>"}), "[?] [?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("Unique", {}, {"[4,1]"}), "must be of rank 1");
  const auto axis = {std::pair<std::string, AttrValue>("Taxis", DType::kInt32)};
  EXPECT_EQ(ShapesOf("UniqueV2", axis, {"[4,2]", "=[1]"}), "[4,?] [2]");
  EXPECT_EQ(ShapesOf("UniqueWithCountsV2", axis, {"[4,2]", "=[-2]"}), "[?,2] [4] [?]");
  EXPECT_EQ(ShapesOf("UniqueV2", axis, {"[4]", "=[]"}), "[?] [4]");
  EXPECT_EQ(ShapesOf("UniqueV2", axis, {"[4,2]", "[1]"}), "[?,?] [?]");
  EXPECT_EQ(ShapesOf("UniqueV2", axis, {"<unknown>", "=[0]"}), "<unknown> [?]");
  EXPECT_PRED2(Contains, ShapesOf("UniqueV2", axis, {"[4,2]", "=[2]"}), "axis 2 is outside");
}

TEST(SearchOpsTest, TopK) {
  const auto number = {std::pair<std::string, AttrValue>("Tk", DType::kInt32)};
  EXPECT_EQ(ShapesOf("TopK", {{"k", 2}}, {"[3,4]"}), "[3,2] [3,2]");
  EXPECT_EQ(ShapesOf("TopKV2", number, {"[3,4]", "=2"}), "[3,2] [3,2]");
  EXPECT_EQ(ShapesOf("TopKV2", number, {"[3,?]", "[]"}), "[3,?] [3,?]");
  EXPECT_EQ(ShapesOf("TopKV2", number, {"<unknown>", "=2"}), "<unknown> <unknown>");
  EXPECT_PRED2(Contains, ShapesOf("TopKV2", number, {"[3]", "=4"}), "no 4 largest of 3");
  EXPECT_PRED2(Contains, ShapesOf("TopKV2", number, {"[3]", "=-2"}), "must not be negative");
  EXPECT_PRED2(Contains, ShapesOf("TopKV2", number, {"[]", "=0"}), "rank 1 or more");
  EXPECT_EQ(ShapesOf("NthElement", {}, {"[3,4]", "=3"}), "[3]");
  EXPECT_EQ(ShapesOf("NthElement", {}, {"[3,?]", "[]"}), "[3]");
  EXPECT_EQ(ShapesOf("NthElement", {}, {"<unknown>", "=0"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("NthElement", {}, {"[3,4]", "=4"}), "no element 4 of 4");
  EXPECT_PRED2(Contains, ShapesOf("NthElement", {}, {"[3,4]", "=-1"}), "not be negative");
  EXPECT_PRED2(Contains, ShapesOf("NthElement", {}, {"[]", "=0"}), "rank 1 or more");
  EXPECT_EQ(ShapesOf("InTopK", {{"k", 2}}, {"[3,4]", "[?]"}), "[3]");
  EXPECT_EQ(ShapesOf("InTopKV2", {}, {"<unknown>", "[5]", "[]"}), "[5]");
  EXPECT_PRED2(Contains, ShapesOf("InTopKV2", {}, {"[3,4]", "[5]", "[]"}), "must be equal");
}

TEST(SearchOpsTest, Counts) {
  EXPECT_EQ(ShapesOf("Bincount", {}, {"[3,4]", "=5", "[0]"}), "[5]");
  EXPECT_EQ(ShapesOf("Bincount", {}, {"[3,4]", "[]", "[0]"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("Bincount", {}, {"[3]", "=-5", "[0]"}), "must not be negative");
  EXPECT_EQ(ShapesOf("DenseBincount", {}, {"[3,4]", "=5", "[0]"}), "[3,5]");
  EXPECT_EQ(ShapesOf("DenseBincount", {}, {"[4]", "=5", "[0]"}), "[5]");
  EXPECT_EQ(ShapesOf("DenseBincount", {}, {"<unknown>", "=5", "[0]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("DenseBincount", {}, {"[1,1,1]", "=5", "[0]"}), "2 at most");
  EXPECT_EQ(ShapesOf("HistogramFixedWidth", {}, {"[3,4]", "[2]", "=5"}), "[5]");
  EXPECT_PRED2(Contains, ShapesOf("HistogramFixedWidth", {}, {"[3]", "[3]", "=5"}), "differ");
}

}  // namespace
}  // namespace tagflow
