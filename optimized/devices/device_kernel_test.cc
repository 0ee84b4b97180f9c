#include "optimized/devices/device_kernel.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/op_def.h"
#include "graph/test_graph.h"

namespace tagflow::optimized {
namespace {

DeviceKernel KernelOf(const std::string& text) {
  const TestGraph graph(text, OpRegistry::Standard());
  const Node& node = graph.node("y");
  return MakeDeviceKernel(1, node, *ResolveSignature(node), {}, BoundKernel(), false);
}

TEST(DeviceKernelTest, ListsAndStacksHandTensorsOn) {
  const DeviceKernel push = KernelOf(R"(
    l = Placeholder() dtype=variant
    x = Placeholder() dtype=float
    y = TensorListPushBack(l, x) element_dtype=float
  )");
  EXPECT_TRUE(push.is_carrier);
  EXPECT_EQ(push.carried_input, 1);
  EXPECT_TRUE(push.is_history);
  for (const bool swaps : {false, true}) {
    const DeviceKernel stack = KernelOf(std::string(R"(
      s = Placeholder() dtype=resource
      x = Placeholder() dtype=float
      y = StackPushV2(s, x) T=float swap_memory=)") +
                                        (swaps ? "true" : "false"));
    EXPECT_EQ(stack.is_history, swaps);
  }
}

TEST(DeviceKernelTest, WhatKeepsStateIsKnown) {
  EXPECT_FALSE(KernelOf(R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
  )")
                   .keeps_state);
  EXPECT_TRUE(KernelOf(R"(
    h = Placeholder() dtype=resource
    x = Placeholder() dtype=float
    y = AssignVariableOp(h, x) dtype=float
  )")
                  .keeps_state);
}

// Lists of inputs count as many.
TEST(DeviceKernelTest, ArgumentsAreReadOnTheHostByName) {
  const TestGraph graph(R"(
    x = Placeholder() dtype=float
    axis = Placeholder() dtype=int32
    y = ConcatV2(x, x, axis) T=float N=2 Tidx=int32
  )",
                        OpRegistry::Standard());
  const Node& node = graph.node("y");
  const KernelEntry entry{.bind = nullptr, .host_inputs = {"axis"}};
  const DeviceKernel kernel =
      MakeDeviceKernel(1, node, *ResolveSignature(node), entry, BoundKernel(), true);
  EXPECT_EQ(kernel.reads_on_host, (std::vector<bool>{false, false, true}));
}

}  // namespace
}  // namespace tagflow::optimized
