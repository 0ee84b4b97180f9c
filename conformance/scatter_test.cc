#include "conformance/scatter.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/sim/sim_devices.h"

namespace tagflow::conformance {
namespace {

constexpr char kSim[] = "/device:SIM:0", kCpu[] = "/device:CPU:0";

Graph Scattered(uint64_t seed) {
  TestGraph graph(R"(
    a = Placeholder() dtype=float
    b = Neg(a) T=float
    c = Neg(b) T=float
    d = Neg(c) T=float
    v = VarHandleOp() dtype=float shape=[]
    read = ReadVariableOp(v) dtype=float
  )",
                  OpRegistry::Standard());
  graph.mutable_graph().mutable_node(graph.id("d")).device = kCpu;
  optimized::SessionOptions session;
  session.devices = {kSim, kCpu};
  session.device_kinds = optimized::WithKind(optimized::StandardDeviceKinds(),
                                             optimized::SimDevices(optimized::SimOptions()));
  Graph made = graph.Take();
  EXPECT_TRUE(Scatter(made, session, seed).ok());
  return made;
}

std::string DeviceOf(const Graph& graph, const std::string& node) {
  return graph.node(graph.Find(node)).device;
}

TEST(Scatter, EachIsSomewhereAndWithWhatItMustBeWith) {
  std::set<std::string> of_b, of_v;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = Scattered(seed);
    of_b.insert(DeviceOf(graph, "b"));
    of_v.insert(DeviceOf(graph, "v"));
    EXPECT_EQ(DeviceOf(graph, "v"), DeviceOf(graph, "read"));
    EXPECT_EQ(DeviceOf(graph, "d"), kCpu);
    EXPECT_EQ(DeviceOf(graph, "b"), DeviceOf(Scattered(seed), "b"));
  }
  EXPECT_EQ(of_b, (std::set<std::string>{kSim, kCpu}));
  EXPECT_EQ(of_v, of_b);
}

}  // namespace
}  // namespace tagflow::conformance
