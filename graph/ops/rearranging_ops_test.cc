#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(RearrangingOpsTest, ReversalKeepsTheShape) {
  EXPECT_EQ(ShapesOf("ReverseV2", {}, {"[2,?]", "=[-1,0]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("ReverseV2", {}, {"<unknown>", "=[7]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("ReverseV2", {}, {"[2]", "=[1]"}), "axis 1 is outside");
  EXPECT_PRED2(Contains, ShapesOf("ReverseV2", {}, {"[2,3]", "=[1,-1]"}), "given twice");
  EXPECT_PRED2(Contains, ShapesOf("ReverseV2", {}, {"[2]", "=0"}), "of rank 1");
  EXPECT_EQ(ShapesOf("Reverse", {}, {"[2,?]", "[2]"}), "[2,?]");
  EXPECT_PRED2(Contains, ShapesOf("Reverse", {}, {"[2,3]", "[1]"}), "one element for each");
  EXPECT_EQ(ShapesOf("Roll", {}, {"[2,?]", "[]", "[]"}), "[2,?]");
  EXPECT_PRED2(Contains, ShapesOf("Roll", {}, {"[]", "[]", "[]"}), "of rank 1 or more");
  EXPECT_PRED2(Contains, ShapesOf("Roll", {}, {"[2]", "[1,1]", "[]"}), "a scalar or a vector");
}

TEST(RearrangingOpsTest, SequencesAreAsManyAsTheirLengths) {
  EXPECT_EQ(ShapesOf("ReverseSequence", {{"seq_dim", 1}}, {"[?,3]", "[2]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("ReverseSequence", {{"seq_dim", 1}}, {"<unknown>", "[2]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("ReverseSequence", {{"seq_dim", 1}}, {"[3,3]", "[2]"}),
               "must be equal");
  EXPECT_PRED2(Contains, ShapesOf("ReverseSequence", {{"seq_dim", 2}}, {"[3,3]", "[3]"}),
               "must be dimensions of");
  EXPECT_PRED2(Contains, ShapesOf("ReverseSequence", {{"seq_dim", -1}}, {"[3,3]", "[3]"}),
               "must be dimensions of");
}

TEST(RearrangingOpsTest, PaddingAddsOrRemoves) {
  EXPECT_EQ(ShapesOf("Pad", {}, {"[2,?]", "[2,2]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("Pad", {}, {"<unknown>", "[3,2]"}), "[?,?,?]");
  EXPECT_EQ(ShapesOf("Pad", {}, {"<unknown>", "[1000000000000,2]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("PadV2", {}, {"[2,?]", "[?,2]", "[]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("MirrorPad", {{"mode", "REFLECT"}}, {"[2]", "[1,2]"}), "[?]");
  EXPECT_EQ(ShapesOf("MirrorPadGrad", {{"mode", "REFLECT"}}, {"[2]", "[1,2]"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("Pad", {}, {"[2]", "[2,2]"}), "one row for each");
  EXPECT_PRED2(Contains, ShapesOf("Pad", {}, {"[2]", "[1,3]"}), "differ in dimension 1");
  EXPECT_PRED2(Contains, ShapesOf("PadV2", {}, {"[2]", "[1,2]", "[1]"}), "must be a scalar");
}

}  // namespace
}  // namespace tagflow
