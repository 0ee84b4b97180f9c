// Chains of calls on a GPU, over a fake of CUDA.
// Tests: chain_plan.cc, device_chain.cc

#include "optimized/straight/device_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/native/native_library.h"
#include "optimized/session.h"
#include "optimized/straight/test_step.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr DType kFloat = DType::kFloat;

class DeviceChains : public testing::Test {
 protected:
  DeviceChains() { SetCuda(fake_cuda::Api()); }
  void SetUp() override {
    if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  }

  struct Opened {
    std::unique_ptr<Session> session;
    const Callable* callable = nullptr;
  };
  // The graph over a GPU.
  static Opened Open(const std::string& text, const std::vector<std::string>& feeds,
                     const std::vector<std::string>& fetches, NativeChoice choice) {
    TestGraph graph(text, OpRegistry::Standard());
    SessionOptions options;
    options.devices = {"/device:GPU:0", "/device:CPU:0"};
    options.device_kinds = {GpuDevices()};
    options.native.choice = choice;
    Opened opened = {*Session::Create(graph.Take(), options)};
    const auto callable = opened.session->MakeCallable(feeds, fetches);
    EXPECT_TRUE(callable.ok()) << callable.status().ToString();
    opened.callable = *callable;
    return opened;
  }
  struct Ran {
    std::string values;
    std::vector<std::string> notes;
  };
  static Ran Run(const std::string& text, const std::vector<std::string>& feeds,
                 const std::vector<Tensor>& values, const std::vector<std::string>& fetches,
                 NativeChoice choice, int steps) {
    const Opened opened = Open(text, feeds, fetches, choice);
    Ran ran;
    for (int i = 0; i < steps; ++i) {
      const auto results = opened.callable->Run(values);
      if (!results.ok()) return {results.status().ToString(), opened.callable->Notes()};
      ran.values.clear();
      for (const Tensor& result : *results) ran.values += result.DebugString() + ";";
    }
    ran.notes = opened.callable->Notes();
    return ran;
  }
  // The kernels give what the calls one by one do, in a step by the host and in what is recorded.
  //   returns: the notes
  static std::vector<std::string> Expect(const std::string& text,
                                         const std::vector<std::string>& feeds,
                                         const std::vector<Tensor>& values,
                                         const std::vector<std::string>& fetches) {
    const Ran apart = Run(text, feeds, values, fetches, NativeChoice::kOff, 1);
    std::vector<std::string> notes;
    for (const int steps : {1, 3}) {
      const Ran fused = Run(text, feeds, values, fetches, NativeChoice::kAlways, steps);
      EXPECT_EQ(fused.values, apart.values) << text;
      notes = fused.notes;
    }
    EXPECT_THAT(apart.notes, Not(Contains(HasSubstr("calls"))));
    return notes;
  }
};

constexpr char kTwo[] = "x = Placeholder() dtype=float\ny = Placeholder() dtype=float\n";

std::vector<Tensor> Numbers(const Dims& x, const Dims& y) {
  return {TestNumbers(kFloat, x, 1), TestNumbers(kFloat, y, 2)};
}

TEST_F(DeviceChains, OneKernel) {
  const auto notes = Expect(std::string(kTwo) +
                                "m = Mul(x, y) T=float\n"
                                "t = Tanh(m) T=float\n"
                                "s = Sub(t, y) T=float\n",
                            {"x", "y"}, Numbers({3, 5}, {3, 5}), {"s"});
  EXPECT_THAT(notes, Contains("up to 's': 3 calls as 1 kernel"));
}

TEST_F(DeviceChains, SeveralOutputsAndDTypes) {
  const auto notes = Expect(std::string(kTwo) +
                                "m = Mul(x, y) T=float\n"
                                "less = Less(m, y) T=float\n"
                                "c = Select(less, m, x) T=float\n"
                                "i = Cast(c) SrcT=float DstT=int32\n"
                                "n = Neg(i) T=int32\n",
                            {"x", "y"}, Numbers({4, 3}, {3}), {"m", "less", "n"});
  EXPECT_THAT(notes, Contains("up to 'n': 5 calls as 1 kernel"));
}

TEST_F(DeviceChains, WhatRepeatsIsComputedOnce) {
  const auto notes = Expect(std::string(kTwo) +
                                "e = Exp(y) T=float\n"
                                "d = AddV2(e, y) T=float\n"
                                "m = Mul(x, d) T=float\n"
                                "s = Sub(m, x) T=float\n",
                            {"x", "y"}, Numbers({4, 3}, {4, 1}), {"s"});
  EXPECT_THAT(notes, Contains("up to 's': 4 calls as 2 kernels"));
}

TEST_F(DeviceChains, PiecesOfASplit) {
  const auto notes = Expect(std::string(kTwo) +
                                "one = Const() dtype=int32 value=1\n"
                                "b = BiasAdd(x, y) T=float\n"
                                "p = Split(one, b) T=float num_split=3\n"
                                "i = Sigmoid(p:0) T=float\n"
                                "t = Tanh(p:2) T=float\n"
                                "m = Mul(i, t) T=float\n"
                                "s = Add(m, p:1) T=float\n",
                            {"x", "y"}, Numbers({2, 12}, {12}), {"s", "t"});
  EXPECT_THAT(notes, Contains("up to 's': 6 calls as 1 kernel"));
}

TEST_F(DeviceChains, PartsOfAConcat) {
  const auto notes = Expect(std::string(kTwo) +
                                "one = Const() dtype=int32 value=1\n"
                                "m = Mul(x, y) T=float\n"
                                "n = Neg(x) T=float\n"
                                "c = ConcatV2(m, n, y, one) T=float N=3 Tidx=int32\n"
                                "s = Add(c, c) T=float\n",
                            {"x", "y"}, Numbers({2, 3}, {2, 3}), {"s", "n"});
  EXPECT_THAT(notes, Contains("up to 's': 4 calls as 2 kernels"));
}

TEST_F(DeviceChains, NoElements) {
  Expect(std::string(kTwo) + "m = Mul(x, y) T=float\ns = Sub(m, y) T=float\n", {"x", "y"},
         Numbers({0, 5}, {5}), {"s"});
}

TEST_F(DeviceChains, ShapesThatDoNotFitAreTheCallsToTell) {
  const std::string text =
      std::string(kTwo) + "m = Neg(x) T=float\nn = Neg(y) T=float\ns = Sub(m, n) T=float\n";
  const auto run = [&](NativeChoice choice) {
    return Run(text, {"x", "y"}, Numbers({2}, {3}), {"s"}, choice, 1).values;
  };
  EXPECT_EQ(run(NativeChoice::kAlways), run(NativeChoice::kOff));
  EXPECT_THAT(run(NativeChoice::kAlways), HasSubstr("node s"));
}

// What is of scalars of the host stays there.
TEST_F(DeviceChains, ScalarsOfTheHost) {
  const auto notes = Expect(std::string(kTwo) +
                                "m = Neg(y) T=float\nn = Log(m) T=float\ns = Sub(x, n) T=float\n"
                                "t = Abs(s) T=float\nu = Neg(t) T=float\n",
                            {"x", "y"}, Numbers({2}, {}), {"u", "m"});
  EXPECT_THAT(notes, Contains("up to 'u': 5 calls as 1 kernel"));
}

constexpr char kLoop[] = R"(
    x = Placeholder() dtype=float
    limit = Placeholder() dtype=float
    axes = Placeholder() dtype=int32
    two = Const() dtype=float value=2
    x_in = Enter(x) T=float frame_name=f
    limit_in = Enter(limit) T=float frame_name=f is_constant=true
    axes_in = Enter(axes) T=int32 frame_name=f is_constant=true
    two_in = Enter(two) T=float frame_name=f is_constant=true
    y = Merge(x_in, y_next) T=float
    sum = Sum(y, axes_in) T=float Tidx=int32
    below = Less(sum, limit_in) T=float
    again = LoopCond(below)
    way = Switch(y, again) T=float
    grown = Mul(way:1, two_in) T=float
    moved = AddV2(grown, way:1) T=float
    next = Abs(moved) T=float
    y_next = NextIteration(next) T=float
    out = Exit(way:0) T=float
)";

std::vector<Tensor> LoopFeeds(float limit) {
  return {Tensor::Vector<float>({1, 2, 3}), Tensor::Scalar<float>(limit),
          Tensor::Vector<int32_t>({0})};
}

TEST_F(DeviceChains, ALoopThatTheDeviceRuns) {
  const auto notes = Expect(kLoop, {"x", "limit", "axes"}, LoopFeeds(1e6), {"out"});
  EXPECT_THAT(notes, Contains("the loop of 'again' runs without the host"));
  EXPECT_THAT(notes, Contains("up to 'next': 3 calls as 1 kernel"));
}

// What is recorded gets kernels once it has run for long enough, with the same results.
TEST_F(DeviceChains, WhatIsRecordedIsRecordedAnew) {
  struct Program {
    std::string text;
    std::vector<std::string> feeds;
    std::vector<Tensor> values;
    std::string fetch;
  };
  const Program programs[] = {{std::string(kTwo) + "m = Mul(x, y) T=float\ns = Sub(m, y) T=float\n",
                               {"x", "y"},
                               Numbers({3, 5}, {3, 5}),
                               "s"},
                              {kLoop, {"x", "limit", "axes"}, LoopFeeds(1e30f), "out"}};
  for (const Program& program : programs) {
    const Opened opened = Open(program.text, program.feeds, {program.fetch}, NativeChoice::kAuto);
    const auto first = opened.callable->Run(program.values);
    ASSERT_TRUE(first.ok()) << first.status().ToString();
    bool has_kernel = false;
    const auto begin = std::chrono::steady_clock::now();
    while (!has_kernel && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
      const auto next = opened.callable->Run(program.values);
      ASSERT_TRUE(next.ok()) << next.status().ToString();
      ASSERT_TRUE(BitwiseEqual((*next)[0], (*first)[0]));
      for (const std::string& note : opened.callable->Notes()) {
        has_kernel |= note.find("as 1 kernel") != std::string::npos;
      }
    }
    EXPECT_TRUE(has_kernel) << program.text;
  }
}

}  // namespace
}  // namespace tagflow::optimized
