// Histories that are swapped between a GPU and the host, over the fake of CUDA.
// Tests: history_swaps.cc, stream_step.cc, step_devices.cc, cuda_memory.cc, open_gpus.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <thread>

#include "graph/builder/builder.h"
#include "graph/tensor_list.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"
#include "transform/gradients/gradients.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

constexpr char kGpu[] = "/device:GPU:0", kOther[] = "/device:GPU:1";
constexpr int64_t kSize = 1024;  // of 4 KiB
// A step by tokens has ten iterations under way, whose tensors are no history yet.
constexpr int64_t kLimit = 100 * kSize * static_cast<int64_t>(sizeof(float));
constexpr int32_t kTrips = 400;  // each of two tensors that are kept

Tensor Weights() {
  std::vector<float> values;
  for (int64_t i = 0; i < kSize; ++i) values.push_back(1 + std::sin(static_cast<float>(i)) / 100);
  return Tensor::Vector(values);
}

// y is x multiplied with itself and with w, n times over; what are fetched are y and its gradients,
// which need what each iteration had.
//   backward: where the gradients are computed; "": there, too
Graph MakeProducts(const std::string& device, const std::string& backward = "") {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(device);
  const Output n = Placeholder(root.WithOpName("n"), DType::kInt32, PartialShape(Dims{}));
  const Output x = Placeholder(root.WithOpName("x"), DType::kFloat, PartialShape({kSize}));
  const Output w = Placeholder(root.WithOpName("w"), DType::kFloat, PartialShape({kSize}));
  const OutputList last = WhileLoop(
      s, {Const(root, 0), x},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output product = Mul(b, v[1], w);
        return OutputList{Add(b.WithDevice(""), v[0], 1), Mul(b, product, w)};
      });
  Identity(root.WithOpName("y"), last[1]);
  const Scope of_gradients = backward.empty() ? s : root.WithDevice(backward);
  const OutputList gradients = *Gradients(of_gradients, {last[1]}, {x, w});
  Identity(root.WithOpName("dx"), gradients[0]);
  Identity(root.WithOpName("dw"), gradients[1]);
  return *root.Finish();
}

struct Outcome {
  Status status;
  std::vector<Tensor> values;
  DeviceStats gpu;
  std::string about;
};

class SwappingTest : public testing::TestWithParam<ExecutorChoice> {
 protected:
  SwappingTest() { SetCuda(fake_cuda::Api()); }

  static std::unique_ptr<Session> Open(Graph graph, const GpuOptions& gpu) {
    SessionOptions options;
    options.devices = {"/device:CPU:0", kGpu, kOther};
    options.device_kinds = {GpuDevices(gpu)};
    options.executor = GetParam();
    options.spread.soft = true;
    // A GPU has no Identity of floats: by tokens, each would take its input to the host and back.
    options.passes = Passes::None().With(Pass::kIdentities);
    options.simplify_if_worthwhile = false;
    return *Session::Create(std::move(graph), options);
  }
  static Outcome Run(Session& session, const NamedTensors& feeds,
                     const std::vector<std::string>& fetches, RunOptions options = {}) {
    Outcome outcome;
    DeviceReport report;
    options.device_report = &report;
    auto values = session.Run(feeds, fetches, {}, options);
    outcome.status = values.status();
    if (values.ok()) outcome.values = *std::move(values);
    if (!report.devices.empty()) outcome.gpu = report.devices[0];
    return outcome;
  }
  static NamedTensors Feeds(int32_t n = kTrips) {
    return {{"n", Tensor::Scalar(n)}, {"x", Weights()}, {"w", Weights()}};
  }
  static std::vector<Tensor> OnHost() {
    const auto session = *Session::Create(MakeProducts(""), {});
    return *session->Run(Feeds(), kFetches, {}, {});
  }
  static void ExpectSame(const std::vector<Tensor>& values, const std::vector<Tensor>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(BitwiseEqual(values[i], expected[i]));
  }

  static inline const std::vector<std::string> kFetches = {"y", "dx", "dw"};
};
INSTANTIATE_TEST_SUITE_P(Executors, SwappingTest,
                         testing::Values(ExecutorChoice::kAuto, ExecutorChoice::kTokens,
                                         ExecutorChoice::kSharedTokens));

TEST_P(SwappingTest, WithoutItTheGradientDoesNotFit) {
  const auto session = Open(MakeProducts(kGpu), {.memory_bytes = kLimit, .swaps = false});
  const Outcome outcome = Run(*session, Feeds(), kFetches);
  EXPECT_THAT(outcome.status.ToString(), HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_EQ(outcome.gpu.memory.bytes_resident, 0);
}

TEST_P(SwappingTest, WithItTheGradientHasTheSameBits) {
  const std::vector<Tensor> expected = OnHost();
  for (const double share : {0.1, 0.5}) {
    const auto session = Open(MakeProducts(kGpu), {.memory_bytes = kLimit, .swap_above = share});
    for (int again = 0; again < 3; ++again) {
      const Outcome outcome = Run(*session, Feeds(), kFetches);
      ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
      ExpectSame(outcome.values, expected);
      EXPECT_GT(outcome.gpu.swapped_out, kTrips);
      EXPECT_GE(outcome.gpu.swapped_in, outcome.gpu.swapped_out);
      EXPECT_LE(outcome.gpu.memory.bytes_resident_max, kLimit);
      EXPECT_EQ(outcome.gpu.memory.bytes_resident, 0);
    }
  }
}

// One GPU pushes tensors that go out to the host's memory; the other reads them from there.
TEST_P(SwappingTest, AnotherGpuReadsWhatIsOut) {
  const std::vector<Tensor> expected = OnHost();
  fake_cuda::LetGpusReach(0, 1, false);
  const auto session =
      Open(MakeProducts(kGpu, kOther), {.memory_bytes = kLimit, .swap_above = 0.5});
  for (int again = 0; again < 3; ++again) {
    const Outcome outcome = Run(*session, Feeds(), kFetches);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    ExpectSame(outcome.values, expected);
    EXPECT_GT(outcome.gpu.swapped_out, kTrips / 2);
    EXPECT_EQ(outcome.gpu.memory.bytes_resident, 0);
  }
  fake_cuda::LetGpusReach(0, 1, true);
}

// The GPU's own memory is the limit where none is given.
TEST_P(SwappingTest, WhatTheGpuHasIsTheLimit) {
  const Outcome roomy = Run(*Open(MakeProducts(kGpu), {}), Feeds(), kFetches);
  EXPECT_EQ(roomy.gpu.swapped_out, 0);
  fake_cuda::ShowFreeMemory(kLimit);
  const auto session = Open(MakeProducts(kGpu), {.swap_above = 0.5});
  const Outcome outcome = Run(*session, Feeds(), kFetches);
  fake_cuda::ShowFreeMemory(size_t{1} << 34);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  ExpectSame(outcome.values, roomy.values);
  EXPECT_GT(outcome.gpu.swapped_out, 0);
}

TEST_P(SwappingTest, AStepThatEndsEarlyLeavesNothing) {
  const auto session = Open(MakeProducts(kGpu), {.memory_bytes = kLimit, .swap_above = 0.5});
  RunOptions options;
  options.max_firings = 3000;
  const Outcome stopped = Run(*session, Feeds(), kFetches, options);
  EXPECT_FALSE(stopped.status.ok());
  EXPECT_EQ(stopped.gpu.memory.bytes_resident, 0);
  RunOptions cancelled;
  cancelled.cancelled = [] { return true; };
  const Outcome ended = Run(*session, Feeds(100'000), kFetches, cancelled);
  EXPECT_EQ(ended.status.code(), Code::kCancelled) << ended.status.ToString();
  EXPECT_EQ(ended.gpu.memory.bytes_resident, 0);
  ExpectSame(Run(*session, Feeds(), kFetches).values, OnHost());
}

TEST_P(SwappingTest, StepsBesideEachOther) {
  const std::vector<Tensor> expected = OnHost();
  const auto session = Open(MakeProducts(kGpu), {.memory_bytes = 2 * kLimit, .swap_above = 0.5});
  std::vector<std::thread> threads;
  std::vector<Outcome> outcomes(2);
  for (Outcome& outcome : outcomes) {
    threads.emplace_back([&] { outcome = Run(*session, Feeds(), kFetches); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) {
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    ExpectSame(outcome.values, expected);
  }
}

// A list of x, 2x, …, nx that a GPU has made, and what is read of it: "list" itself, "stacked" by
// the host, "third" and "twice" elements by the GPU; the others are dropped.
Graph MakeList() {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output n = Placeholder(root.WithOpName("n"), DType::kInt32, PartialShape(Dims{}));
  const Output x = Placeholder(root.WithOpName("x"), DType::kFloat, PartialShape({kSize}));
  const Output shape = Const(root, Tensor::Vector<int32_t>({kSize}));
  const Output empty =
      Op(s, "EmptyTensorList", {shape, -1}, {{"element_dtype", DType::kFloat}}).output(0);
  const OutputList kept = WhileLoop(
      s, {Const(root, 0), x, empty},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output pushed = Op(b, "TensorListPushBack", {v[2], v[1]}).output(0);
        return OutputList{Add(b.WithDevice(""), v[0], 1), Add(b, v[1], x), pushed};
      });
  const auto at = [&](const Input& index) {
    return Op(s, "TensorListGetItem", {kept[2], index, shape}, {{"element_dtype", DType::kFloat}})
        .output(0);
  };
  Identity(root.WithOpName("list"), kept[2]);
  Op(root.WithOpName("stacked"), "TensorListStack", {kept[2], shape},
     {{"element_dtype", DType::kFloat}});
  Identity(root.WithOpName("third"), Mul(s, at(2), at(2)));
  const Output last = at(Sub(root, n, 1));
  Identity(root.WithOpName("twice"), Add(s, Mul(s, last, last), Add(s, last, at(Sub(root, n, 2)))));
  Identity(root.WithOpName("untouched"), last);
  return *root.Finish();
}

TEST_P(SwappingTest, AListIsReadAsItWould) {
  const auto session = Open(MakeList(), {.memory_bytes = kLimit, .swap_above = 0.25});
  const auto n = static_cast<float>(kTrips);
  const NamedTensors feeds = {{"n", Tensor::Scalar(kTrips)},
                              {"x", Tensor::Vector(std::vector<float>(kSize, 1))}};
  const Outcome outcome = Run(*session, feeds, {"list", "stacked", "third", "twice", "untouched"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  const TensorList* const list = TensorList::In(outcome.values[0]);
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->size(), kTrips);
  const auto stacked = outcome.values[1].flat<float>();
  for (int64_t i = 0; i < kTrips; ++i) {
    EXPECT_EQ(list->Get(i).data<float>()[kSize - 1], static_cast<float>(i + 1));
    EXPECT_EQ(stacked[static_cast<size_t>(i * kSize)], static_cast<float>(i + 1));
  }
  EXPECT_EQ(outcome.values[2].data<float>()[7], 9);
  EXPECT_EQ(outcome.values[3].data<float>()[7], n * n + n + n - 1);
  EXPECT_EQ(outcome.values[4].data<float>()[7], n);
  EXPECT_GT(outcome.gpu.swapped_out, kTrips / 2);
  EXPECT_EQ(outcome.gpu.memory.bytes_resident, 0);
}

}  // namespace
}  // namespace tagflow::optimized
