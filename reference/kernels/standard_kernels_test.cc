#include <gtest/gtest.h>

#include <set>

#include "graph/op_def.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

TEST(StandardKernels, EveryKernelIsOfADefinedOp) {
  KernelRegistry registry;
  ASSERT_TRUE(RegisterStandardKernels(registry).ok());
  for (const std::string& op : registry.Ops()) {
    EXPECT_NE(OpRegistry::Standard().Find(op), nullptr) << op;
  }
}

TEST(StandardKernels, EveryDefinedOpHasAKernel) {
  // What the interpreter does itself, by the tag rules.
  const std::set<std::string> by_rule = {
      "Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "Exit", "RefEnter",
      "RefExit", "NextIteration", "RefNextIteration", "LoopCond", "_Send", "_HostSend", "_Recv",
      "_HostRecv", "ControlTrigger",
      // By steps of their bodies.
      "Case", "For", "If", "PartitionedCall", "RemoteCall", "SymbolicGradient",
      "StatefulPartitionedCall", "While", "StatelessCase", "StatelessIf", "StatelessWhile"};
  for (const OpDef* op : OpRegistry::Standard().All()) {
    const bool has_kernel = KernelRegistry::Standard().Find(op->name) != nullptr;
    EXPECT_NE(has_kernel, by_rule.contains(op->name)) << op->name;
  }
}

}  // namespace
}  // namespace tagflow::reference
