// Sessions over simulated devices: the values of the host, whatever is where; virtual time; memory
// that is limited, and histories that are swapped.
// Tests: sim_step.cc, sim_kernel.cc, swapper.cc, and ../host_kernel.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "graph/builder/builder.h"
#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/cpu/cpu_devices.h"
#include "optimized/devices/sim/sim_devices.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

constexpr char kHost[] = "/device:CPU:0";

std::string Sim(int index) { return "/device:SIM:" + std::to_string(index); }

Tensor Vector(int64_t size, float first) {
  std::vector<float> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), first);
  return Tensor::Vector(values);
}

struct Outcome {
  std::string text;  // of the values, or the error's
  DeviceReport report;
};

class SimSessionTest : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Session> Open(Graph graph, const SimOptions& sim = {}, int devices = 2,
                                const SpreadOptions& spread = {}) {
    SessionOptions options;
    options.spread = spread;
    options.devices = {kHost};
    for (int i = 0; i < devices; ++i) options.devices.push_back(Sim(i));
    options.device_kinds = {CpuDevices(), SimDevices(sim)};
    options.threads = GetParam();
    if (GetParam() > 1) options.executor = ExecutorChoice::kSharedTokens;
    return *Session::Create(std::move(graph), options);
  }
  static Outcome Run(Session& session, const NamedTensors& feeds,
                     const std::vector<std::string>& fetches, uint64_t seed = 0) {
    Outcome outcome;
    RunOptions options;
    options.seed = seed;
    options.device_report = &outcome.report;
    const auto values = session.Run(feeds, fetches, {}, options);
    if (!values.ok()) {
      outcome.text = values.status().ToString();
      return outcome;
    }
    for (const Tensor& value : *values) outcome.text += value.DebugString() + ";";
    return outcome;
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, SimSessionTest, testing::Values(1, 3));

TEST_P(SimSessionTest, AKernelRunsBehindTheWall) {
  TestGraph graph(R"(
    x = Placeholder() dtype=float
    twice = AddV2(x, x) T=float
    square = Mul(twice, x) T=float
    sum = AddV2(square, twice) T=float
  )",
                  OpRegistry::Standard());
  graph.mutable_graph().mutable_node(graph.id("twice")).device = Sim(0);
  graph.mutable_graph().mutable_node(graph.id("square")).device = Sim(1);
  const auto session = Open(graph.Take());
  const Outcome outcome = Run(*session, {{"x", Vector(3, 1)}}, {"sum", "twice", "square"});
  EXPECT_EQ(outcome.text, "float[3] [4, 12, 24];float[3] [2, 4, 6];float[3] [2, 8, 18];");
  ASSERT_EQ(outcome.report.devices.size(), 2u);
  EXPECT_EQ(outcome.report.virtual_ns, 2000);  // one after the other
  EXPECT_EQ(outcome.report.devices[0].kernels, 1);
  // Nothing is left on the devices.
  EXPECT_EQ(Run(*session, {{"x", Vector(3, 1)}}, {"x"}).report.devices.size(), 0u);
}

// The keys of a graph's own messages name any devices; what is sent is where the Send is.
TEST_P(SimSessionTest, AGraphsOwnMessagesComeFromWhereTheyAreSent) {
  const std::string key =
      " send_device=\"/device:CPU:7\" send_device_incarnation=1 recv_device=\"/device:CPU:8\"";
  TestGraph graph(R"(
    x = Placeholder() dtype=float
    twice = AddV2(x, x) T=float
    s = _Send(twice) T=float tensor_name="m")" +
                      key + R"(
    there = _Recv() tensor_type=float tensor_name="m")" +
                      key + R"(
    square = Mul(there, there) T=float
    t = _Send(square) T=float tensor_name="n")" +
                      key + R"(
    back = _Recv(^x) tensor_type=float tensor_name="n")" +
                      key + R"(
    sum = AddV2(back, x) T=float
  )",
                  OpRegistry::Standard());
  for (const char* name : {"twice", "s"}) {
    graph.mutable_graph().mutable_node(graph.id(name)).device = Sim(0);
  }
  for (const char* name : {"there", "square", "t"}) {
    graph.mutable_graph().mutable_node(graph.id(name)).device = Sim(1);
  }
  const auto session = Open(graph.Take());
  const auto values = session->Run({{"x", Vector(3, 1)}}, {"sum"}, {"s", "t"});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ((*values)[0].DebugString(), "float[3] [5, 18, 39]");
}

// A recurrent net of 8 layers, each a kernel that takes the layer below and itself a step before;
// what is fetched is "last".
Graph MakeLayers(int devices, int64_t parallel_iterations) {
  constexpr int kLayers = 8;
  const Scope scope = Scope::Root();
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32);
  OutputList variables = {Const(scope, 0)};
  for (int i = 0; i < kLayers; ++i) variables.push_back(Const(scope, Vector(4, 1)));
  const OutputList ended = WhileLoop(
      scope, variables, [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope& s, const OutputList& v) {
        OutputList next = {Add(s, v[0], 1)};
        Output below = v[1];
        for (int i = 0; i < kLayers; ++i) {
          const Scope there = s.WithDevice(Sim(i * devices / kLayers));
          below = Maximum(there, v[static_cast<size_t>(i) + 1], below);
          next.push_back(below);
        }
        return next;
      },
      {.parallel_iterations = parallel_iterations});
  Identity(scope.WithOpName("last"), ended[kLayers]);
  return *scope.Finish();
}

TEST_P(SimSessionTest, LayersOverDevicesArePipelined) {
  constexpr int32_t kSteps = 200;
  auto time = [&](int devices, int64_t parallel_iterations) {
    const auto session = Open(MakeLayers(devices, parallel_iterations), {}, devices);
    const Outcome outcome = Run(*session, {{"n", Tensor::Scalar<int32_t>(kSteps)}}, {"last"});
    EXPECT_EQ(outcome.text, "float[4] [1, 2, 3, 4];");
    return static_cast<double>(outcome.report.virtual_ns);
  };
  const double on_one = time(1, 32);
  const double speedup = on_one / time(4, 32);
  RecordProperty("speedup", std::to_string(speedup));
  EXPECT_GE(speedup, 3.8);
  EXPECT_LE(speedup, 3.95);
  EXPECT_LE(on_one / time(4, 1), 1.05);
}

// Layers, each of three kernels and a vector that another device has made: all of these are ready
// long before the last layer. What is fetched is "last".
Graph MakeLayersWithVectors(int layers, int64_t size) {
  const Scope root = Scope::Root();
  const Scope here = root.WithDevice(Sim(0));
  const Scope there = root.WithDevice(Sim(1));
  const Output x = Placeholder(root.WithOpName("x"), DType::kFloat, PartialShape({size}));
  Output last = Neg(here, x);
  Output vector = x;
  for (int i = 0; i < layers; ++i) {
    vector = Maximum(there, vector, x);
    last = Maximum(here, Neg(here, Neg(here, last)), vector);
  }
  Identity(root.WithOpName("last"), last);
  return *root.Finish();
}

TEST_P(SimSessionTest, WhatIsReceivedLateTakesLessRoomAndNoMoreTime) {
  constexpr int kLayers = 12;
  constexpr int64_t kSize = 256;
  SimOptions sim;
  sim.transfer_ns = 900;
  auto run = [&](RecvStart recvs, uint64_t seed) {
    SpreadOptions spread;
    spread.recvs = recvs;
    const auto session = Open(MakeLayersWithVectors(kLayers, kSize), sim, 2, spread);
    return Run(*session, {{"x", Vector(kSize, 1)}}, {"last"}, seed);
  };
  for (const uint64_t seed : {0, 1, 2, 3}) {
    const Outcome at_once = run(RecvStart::kAtOnce, seed);
    const Outcome late = run(RecvStart::kLate, seed);
    EXPECT_EQ(late.text, at_once.text);
    ASSERT_EQ(late.report.devices.size(), 2u) << late.text;
    EXPECT_EQ(late.report.virtual_ns, at_once.report.virtual_ns);
    const int64_t bytes = kSize * static_cast<int64_t>(sizeof(float));
    const int64_t saved = at_once.report.devices[0].memory.bytes_resident_max -
                          late.report.devices[0].memory.bytes_resident_max;
    EXPECT_GE(saved, 5 * bytes);
    RecordProperty("at_once", std::to_string(at_once.report.devices[0].memory.bytes_resident_max));
    RecordProperty("late", std::to_string(late.report.devices[0].memory.bytes_resident_max));
  }
}

// Keeps a vector of `size` floats of each of n iterations, and adds them up from the last to the
// first, all of it on one device. What is fetched is "sum".
Graph MakeHistory(int64_t size) {
  const Scope root = Scope::Root();
  const Scope scope = root.WithDevice(Sim(0));
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32);
  const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat, PartialShape({size}));
  const Output shape = Const(scope, Tensor::Vector<int32_t>({static_cast<int32_t>(size)}));
  const Output empty =
      Op(scope, "EmptyTensorList", {shape, -1}, {{"element_dtype", DType::kFloat}}).output(0);
  const auto again = [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); };
  const OutputList kept = WhileLoop(
      scope, {Const(scope, 0), x, empty}, again, [&](const Scope& s, const OutputList& v) {
        const Output next = Add(s, v[1], x);
        const Operation push = Op(s, "TensorListPushBack", {v[2], next});
        return OutputList{Add(s, v[0], 1), next, push.output(0)};
      });
  const OutputList added =
      WhileLoop(scope, {Const(scope, 0), Sub(scope, x, x), kept[2]}, again,
                [&](const Scope& s, const OutputList& v) {
                  const Operation pop =
                      Op(s, "TensorListPopBack", {v[2], shape}, {{"element_dtype", DType::kFloat}});
                  return OutputList{Add(s, v[0], 1), Add(s, v[1], pop.output(1)), pop.output(0)};
                });
  Identity(scope.WithOpName("sum"), added[1]);
  return *root.Finish();
}

// The sum is x * (2 + 3 + … + (n + 1)).
std::string SumText(int32_t n, int32_t size) {
  const int64_t times = int64_t{n} * (n + 3) / 2;
  std::string text = "float[" + std::to_string(size) + "] [";
  for (int32_t i = 0; i < size; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(times * (i + 1));
  }
  return text + "];";
}

class HistoryTest : public SimSessionTest {
 protected:
  static constexpr int32_t kSize = 16;  // of 64 bytes
  Outcome RunHistory(int32_t n, const SimOptions& sim, uint64_t seed = 0) {
    const auto session = Open(MakeHistory(kSize), sim, 1);
    return Run(*session, {{"n", Tensor::Scalar<int32_t>(n)}, {"x", Vector(kSize, 1)}}, {"sum"},
               seed);
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, HistoryTest, testing::Values(1, 3));

TEST_P(HistoryTest, WhatDoesNotFitIsSwappedAndTheResultIsTheSame) {
  SimOptions sim;
  sim.transfer_ns = 900;  // shorter than a kernel
  const Outcome unlimited = RunHistory(60, sim);
  EXPECT_EQ(unlimited.text, SumText(60, kSize));
  EXPECT_EQ(unlimited.report.devices[0].swapped_out, 0);
  sim.memory_bytes = unlimited.report.devices[0].memory.bytes_resident_max / 4;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    const Outcome swapped = RunHistory(60, sim, seed);
    EXPECT_EQ(swapped.text, unlimited.text);
    const DeviceStats& device = swapped.report.devices[0];
    EXPECT_GT(device.swapped_out, 30);
    EXPECT_EQ(device.swapped_in, device.swapped_out);
    EXPECT_LE(device.memory.bytes_resident_max, sim.memory_bytes);
    EXPECT_LE(static_cast<double>(swapped.report.virtual_ns),
              1.10 * static_cast<double>(unlimited.report.virtual_ns));
  }
}

TEST_P(HistoryTest, WithoutSwappingItDoesNotFit) {
  SimOptions sim;
  sim.memory_bytes = 2048;
  sim.swaps = false;
  const Outcome outcome = RunHistory(60, sim);
  EXPECT_THAT(outcome.text, HasSubstr("RESOURCE_EXHAUSTED: no memory on '/device:SIM:0'"));
  EXPECT_THAT(outcome.text, HasSubstr("tag while["));
}

}  // namespace
}  // namespace tagflow::optimized
