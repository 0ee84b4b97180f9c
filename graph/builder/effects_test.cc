#include "graph/builder/effects.h"

#include <gtest/gtest.h>

namespace tagflow::internal {
namespace {

bool OpIsEffect(const char* op) {
  Node node;
  node.op = op;
  node.def = OpRegistry::Standard().Find(op);
  EXPECT_NE(node.def, nullptr) << op;
  return IsEffect(node);
}

TEST(EffectsTest, WritesAndChecksAreEffects) {
  for (const char* op : {"Assert", "AssignVariableOp", "AssignAddVariableOp", "Assign", "AssignAdd",
                         "ScatterUpdate", "CountUpTo", "DestroyResourceOp"}) {
    EXPECT_TRUE(OpIsEffect(op)) << op;
  }
}

TEST(EffectsTest, SourcesReadsAndThreadedOpsAreNot) {
  for (const char* op : {"Add", "Const", "VarHandleOp", "VariableV2", "ReadVariableOp",
                         "IsVariableInitialized", "VariableShape", "RefSwitch", "RefEnter",
                         "TensorArrayV3", "TensorArrayWriteV3", "StackV2", "StackPushV2"}) {
    EXPECT_FALSE(OpIsEffect(op)) << op;
  }
}

TEST(EffectsTest, AnUnknownOpIsNot) { EXPECT_FALSE(IsEffect(Node())); }

}  // namespace
}  // namespace tagflow::internal
