#include "optimized/devices/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

TEST(DevicesTest, NamesSayWhatIsSimulated) {
  const auto devices = Devices::Create({"/device:CPU:0", "/job:w/task:1/device:SIM:3", "/cpu:1"});
  ASSERT_TRUE(devices.ok()) << devices.status().ToString();
  EXPECT_TRUE((*devices)->IsHost(0));
  EXPECT_FALSE((*devices)->IsHost(1));
  EXPECT_TRUE((*devices)->IsHost(2));
  EXPECT_TRUE((*devices)->IsHost(-1));
  EXPECT_FALSE((*devices)->AllAreHost());
  EXPECT_EQ((*devices)->Find("/cpu:1"), 2);
  EXPECT_EQ((*devices)->Find("/cpu:7"), -1);
}

TEST(DevicesTest, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(Devices::Create({"not a device"}).status().ToString(), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Devices::Create({"/cpu:0", "/cpu:0"}).status().message(), HasSubstr("twice"));
  for (const SimOptions& wrong :
       {SimOptions{.memory_bytes = -1}, SimOptions{.kernel_ns = -1}, SimOptions{.jitter = -0.5},
        SimOptions{.swap_above = 0}, SimOptions{.swap_above = 1.5}}) {
    EXPECT_EQ(Devices::Create({"/device:SIM:0"}, wrong).status().code(), Code::kInvalidArgument);
  }
}

TEST(DevicesTest, EveryKindHasTheKernelsOfTheHost) {
  const auto devices = *Devices::Create({"/device:CPU:0", "/device:SIM:0"});
  const auto catalog = devices->Catalog(KernelRegistry::Standard());
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog->devices().size(), 2u);
  EXPECT_TRUE(catalog->HasKernel("MatMul", "SIM", DType::kFloat));
  EXPECT_EQ((*Devices::Create({"/job:w"}))->Catalog(KernelRegistry::Standard()).status().code(),
            Code::kInvalidArgument);
}

DeviceKernel KernelOf(const std::string& text) {
  const TestGraph graph(text, OpRegistry::Standard());
  const Node& node = graph.node("y");
  return Devices::KernelOf(1, node, *ResolveSignature(node), BoundKernel());
}

TEST(DevicesTest, ListsAndStacksHandTensorsOn) {
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

TEST(DevicesTest, WhatKeepsStateIsKnown) {
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

TEST(DevicesTest, FeedsGoInAndFetchesComeOut) {
  const auto devices =
      *Devices::Create({"/device:CPU:0", "/device:SIM:0"}, SimOptions{.memory_bytes = 128});
  const Tensor value = Tensor::Vector<int64_t>({1, 2, 3});
  const Tensor there = *devices->CopyIn(1, value);
  EXPECT_EQ(there.memory_kind(), MemoryKind::kDevice);
  EXPECT_TRUE(BitwiseEqual(*devices->CopyOut(there), value));
  EXPECT_EQ(devices->CopyIn(0, value)->memory_kind(), MemoryKind::kHost);
  const Result<Tensor> full = devices->CopyIn(1, *Tensor::Allocate(DType::kFloat, Dims{100}));
  EXPECT_THAT(full.status().ToString(), HasSubstr("on '/device:SIM:0'"));
}

}  // namespace
}  // namespace tagflow::optimized
