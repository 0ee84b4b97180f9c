// The host's kernels on what is in a device's memory.
// Tests: host_kernel.cc, own_context.cc, state.cc, device.cc

#include "optimized/devices/host_kernel.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/sim/sim_memory.h"
#include "optimized/devices/views.h"
#include "optimized/resources.h"

namespace tagflow::optimized {
namespace {

struct KeptCall : AsyncCall {
  void Done(Result<std::vector<Tensor>> given) override { outputs = std::move(given); }
  void OnEnd(std::function<void()>) override {}
  std::optional<Result<std::vector<Tensor>>> outputs;
};

class HostKernelTest : public testing::Test {
 protected:
  // The kernel of node y.
  void Bind(const std::string& text) {
    graph_.emplace(text, OpRegistry::Standard());
    const Node& node = graph_->node("y");
    const Signature signature = *ResolveSignature(node);
    const KernelEntry& entry = *KernelRegistry::Standard().Find(node.op);
    kernel_ =
        MakeDeviceKernel(0, node, signature, entry, *entry.bind(Binding{node, signature}), false);
  }
  DeviceCall Call(std::vector<DeviceInput> inputs) {
    return {&kernel_, std::move(inputs), {&session_, nullptr, nullptr, nullptr}, "", call_};
  }
  Tensor There(const std::vector<float>& values) {
    return *DeviceCopyOf(Tensor::Vector(values), *memory_);
  }

  std::unique_ptr<SimMemory> memory_ = *SimMemory::Create(0, 128);
  std::optional<TestGraph> graph_;
  DeviceKernel kernel_;
  SessionState session_;
  std::shared_ptr<KeptCall> call_ = std::make_shared<KeptCall>();
};

constexpr char kNeg[] = R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
)";

TEST_F(HostKernelTest, WhatIsMadeIsOnTheDevice) {
  Bind(kNeg);
  HostKernel kernel(Call({{There({1, 2}), false}}), *memory_);
  ASSERT_TRUE(kernel.Run().ok());
  ASSERT_TRUE(kernel.Keep());
  kernel.Done();
  const Tensor made = (*call_->outputs)->at(0);
  EXPECT_EQ(made.memory_kind(), MemoryKind::kDevice);
  EXPECT_EQ(made.OnHost()->DebugString(), "float[2] [-1, -2]");
}

TEST_F(HostKernelTest, WhatIsWrittenOverAnInputIsTheInput) {
  Bind(kNeg);
  Tensor x = There(std::vector<float>(32, 3));  // all the memory there is
  HostKernel kernel(Call({{std::move(x), true}}), *memory_);
  ASSERT_TRUE(kernel.Run().ok());
  ASSERT_TRUE(kernel.Keep());
  EXPECT_EQ(memory_->stats().allocations, 1);
}

TEST_F(HostKernelTest, WithoutRoomItIsAskedAgain) {
  Bind(kNeg);
  Tensor other = There(std::vector<float>(16, 0));
  HostKernel kernel(Call({{There({1, 2}), false}}), *memory_);
  ASSERT_TRUE(kernel.Run().ok());
  EXPECT_FALSE(kernel.Keep());
  EXPECT_STREQ(kernel.wanted(), "an output");
  EXPECT_EQ(kernel.bytes_wanted(), 8u);
  other = Tensor();
  EXPECT_TRUE(kernel.Keep());
}

TEST_F(HostKernelTest, WhatAVariableKeepsIsCounted) {
  Bind(R"(
    x = Placeholder() dtype=float
    v = VariableV2() dtype=float
    y = Assign(v, x) T=float validate_shape=false
  )");
  const auto variable = std::make_shared<Variable>("v");
  HostKernel kernel(Call({{VariableReference(variable), false}, {There({1, 2}), false}}), *memory_);
  ASSERT_TRUE(kernel.Run().ok());
  kernel.LetInputsGo();
  ASSERT_TRUE(kernel.Keep());
  EXPECT_EQ(memory_->stats().bytes_state, 64);
  EXPECT_EQ(variable->value().DebugString(), "float[2] [1, 2]");
}

}  // namespace
}  // namespace tagflow::optimized
