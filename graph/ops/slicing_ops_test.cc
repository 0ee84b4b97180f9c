#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SlicingOpsTest, PackAndUnpack) {
  EXPECT_EQ(ShapesOf("Pack", {{"axis", 1}}, {"[2,?]", "[?,3]"}), "[2,2,3]");
  EXPECT_EQ(ShapesOf("Pack", {{"axis", -1}}, {"[2]", "[2]", "[2]"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("Pack", {{"axis", 2}}, {"[2]"}), "outside of [-2, 2)");
  EXPECT_EQ(ShapesOf("Unpack", {{"num", 2}}, {"[2,3]"}), "[3] [3]");
  EXPECT_EQ(ShapesOf("Unpack", {{"num", 3}, {"axis", -1}}, {"[?,?]"}), "[?] [?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("Unpack", {{"num", 3}}, {"[2]"}), "dimension 0 has 2");
}

TEST(SlicingOpsTest, ConcatAddsUpOneDimension) {
  const PartialShape two(Dims{2, 3});
  EXPECT_EQ(ShapesOf("ParallelConcat", {{"shape", two}}, {"[1,3]", "<unknown>"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("ParallelConcat", {{"shape", two}}, {"[1,3]"}), "have 1 first");
  EXPECT_PRED2(Contains, ShapesOf("ParallelConcat", {{"shape", two}}, {"[1,3]", "[2,3]"}),
               "differ");
  EXPECT_PRED2(Contains, ShapesOf("ParallelConcat", {{"shape", PartialShape()}}, {"[1]"}), "known");
  EXPECT_EQ(ShapesOf("ConcatV2", {}, {"[2,3]", "[4,?]", "=0"}), "[6,3]");
  EXPECT_EQ(ShapesOf("ConcatV2", {}, {"[2,3]", "<unknown>", "=-2"}), "[?,3]");
  EXPECT_EQ(ShapesOf("ConcatV2", {}, {"[2,3]", "[2,4]", "[]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("Concat", {}, {"=1", "[2,3]", "[2,4]"}), "[2,7]");
  EXPECT_PRED2(Contains, ShapesOf("ConcatV2", {}, {"[2,3]", "[2,4]", "=0"}), "in dimension 1");
  EXPECT_PRED2(Contains, ShapesOf("ConcatV2", {}, {"[]", "[]", "=0"}), "of rank 1 or more");
  EXPECT_EQ(ShapesOf("ConcatOffset", {}, {"=0", "[2]", "[2]"}), "[2] [2]");
}

TEST(SlicingOpsTest, SplitIntoEqualParts) {
  EXPECT_EQ(ShapesOf("Split", {{"num_split", 2}}, {"=1", "[3,4]"}), "[3,2] [3,2]");
  EXPECT_EQ(ShapesOf("Split", {{"num_split", 2}}, {"[]", "[3,4]"}), "[?,?] [?,?]");
  EXPECT_PRED2(Contains, ShapesOf("Split", {{"num_split", 2}}, {"=0", "[3,4]"}), "equal parts");
}

TEST(SlicingOpsTest, SplitVIntoGivenParts) {
  const auto two = {std::pair<std::string, AttrValue>("num_split", 2)};
  EXPECT_EQ(ShapesOf("SplitV", two, {"[7]", "=[3,-1]", "=0"}), "[3] [4]");
  EXPECT_EQ(ShapesOf("SplitV", two, {"[?]", "=[3,-1]", "=0"}), "[3] [?]");
  EXPECT_EQ(ShapesOf("SplitV", two, {"[7]", "[2]", "=0"}), "[?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("SplitV", two, {"[7]", "=[3,3]", "=0"}), "do not add up");
  EXPECT_PRED2(Contains, ShapesOf("SplitV", two, {"[7]", "=[8,-1]", "=0"}), "do not add up");
  EXPECT_PRED2(Contains, ShapesOf("SplitV", two, {"[7]", "=[7]", "=0"}), "as many sizes");
}

TEST(SlicingOpsTest, SliceByConstants) {
  EXPECT_EQ(ShapesOf("Slice", {}, {"[5,6]", "=[1,2]", "=[3,-1]"}), "[3,4]");
  EXPECT_EQ(ShapesOf("Slice", {}, {"[5,6]", "[2]", "=[3,-1]"}), "[3,?]");
  EXPECT_EQ(ShapesOf("Slice", {}, {"<unknown>", "=[1,2]", "=[3,-1]"}), "[3,?]");
  EXPECT_EQ(ShapesOf("Slice", {}, {"[5,6]", "[?]", "[?]"}), "[?,?]");
  EXPECT_PRED2(Contains, ShapesOf("Slice", {}, {"[5]", "=[3]", "=[3]"}),
               "outside of the dimension");
  EXPECT_PRED2(Contains, ShapesOf("Slice", {}, {"[5]", "=[-1]", "=[3]"}), "must not be negative");
  EXPECT_PRED2(Contains, ShapesOf("Slice", {}, {"[5]", "[1]", "=[-2]"}), "must not be negative");
  EXPECT_PRED2(Contains, ShapesOf("Slice", {}, {"[5,6]", "[1]", "[1]"}), "one element for each");
}

TEST(SlicingOpsTest, ARankThatNoTensorHasIsNotAllocated) {
  EXPECT_EQ(ShapesOf("Slice", {}, {"<unknown>", "[1000000000000]", "[?]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("Tile", {}, {"<unknown>", "[1000000000000]"}), "<unknown>");
}

TEST(SlicingOpsTest, GathersSlices) {
  EXPECT_EQ(ShapesOf("GatherV2", {}, {"[4,5]", "[2,3]", "=1"}), "[4,2,3]");
  EXPECT_EQ(ShapesOf("GatherV2", {{"batch_dims", 1}}, {"[4,5]", "[4,3]", "=1"}), "[4,3]");
  EXPECT_EQ(ShapesOf("GatherV2", {}, {"[4,5]", "[2,3]", "[]"}), "[?,?,?]");
  EXPECT_PRED2(Contains, ShapesOf("GatherV2", {}, {"[4]", "[2]", "=1"}), "axis 1 is outside");
  EXPECT_PRED2(Contains, ShapesOf("GatherV2", {{"batch_dims", 1}}, {"[4,5]", "[3,2]", "=1"}),
               "4 and 3 must be equal");
  EXPECT_EQ(ShapesOf("Gather", {}, {"[4,5]", "[2]"}), "[2,5]");
  EXPECT_EQ(ShapesOf("GatherNd", {}, {"[4,5,6]", "[7,2]"}), "[7,6]");
  EXPECT_PRED2(Contains, ShapesOf("GatherNd", {}, {"[4]", "[7,2]"}), "too many");
}

TEST(SlicingOpsTest, StitchesRows) {
  EXPECT_EQ(ShapesOf("DynamicStitch", {}, {"=[0,2]", "=1", "[2,5]", "[5]"}), "[3,5]");
  EXPECT_EQ(ShapesOf("DynamicStitch", {}, {"[2]", "=1", "[2,5]", "[5]"}), "[?,5]");
  EXPECT_PRED2(Contains, ShapesOf("DynamicStitch", {}, {"[2]", "[3]"}), "differ in dimension 0");
}

TEST(SlicingOpsTest, TileAndTranspose) {
  EXPECT_EQ(ShapesOf("Tile", {}, {"[2,?]", "=[3,2]"}), "[6,?]");
  EXPECT_EQ(ShapesOf("Tile", {}, {"[2,3]", "<unknown>"}), "[?,?]");
  EXPECT_PRED2(Contains, ShapesOf("Tile", {}, {"[2]", "=[-1]"}), "must not be negative");
  EXPECT_PRED2(Contains, ShapesOf("Tile", {}, {"[2]", "=[1,1]"}), "one element for each");
  EXPECT_EQ(ShapesOf("Transpose", {}, {"[2,?,4]", "=[2,0,1]"}), "[4,2,?]");
  EXPECT_EQ(ShapesOf("Transpose", {}, {"<unknown>", "[2]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("ConjugateTranspose", {}, {"[2,?]", "=[1,0]"}), "[?,2]");
  EXPECT_PRED2(Contains, ShapesOf("Transpose", {}, {"[2,3]", "=[0,0]"}), "not a permutation");
}

}  // namespace
}  // namespace tagflow
