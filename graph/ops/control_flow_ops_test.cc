#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ControlFlowOpsTest, WhatPassesValuesOnKeepsTheirShape) {
  for (const char* op : {"Exit", "NextIteration", "LoopCond", "RefExit", "RefNextIteration"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]"}), "[2,?]") << op;
  }
  EXPECT_EQ(ShapesOf("Enter", {{"frame_name", "f"}}, {"[2,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("RefEnter", {{"frame_name", "f"}}, {"[2,?]"}), "[2,?]");
}

TEST(ControlFlowOpsTest, SwitchWantsAScalarPredicate) {
  EXPECT_EQ(ShapesOf("Switch", {}, {"[2]", "[]"}), "[2] [2]");
  EXPECT_EQ(ShapesOf("_SwitchN", {{"num_outs", 3}}, {"[2]", "<unknown>"}), "[2] [2] [2]");
  EXPECT_PRED2(Contains, ShapesOf("Switch", {}, {"[2]", "[1]"}),
               "input 'pred' must be a scalar, but has shape [1]");
}

TEST(ControlFlowOpsTest, MergeKnowsWhatItsInputsShare) {
  EXPECT_EQ(ShapesOf("Merge", {}, {"[2,3]", "[2,4]"}), "[2,?] []");
  EXPECT_EQ(ShapesOf("Merge", {}, {"[2,3]", "<unknown>"}), "<unknown> []");
  EXPECT_EQ(ShapesOf("RefMerge", {}, {"[2]"}), "[2] []");
  EXPECT_EQ(ShapesOf("RefSelect", {}, {"[]", "[2]", "[3]"}), "[?]");
}

}  // namespace
}  // namespace tagflow
