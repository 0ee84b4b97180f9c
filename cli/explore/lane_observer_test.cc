#include "cli/explore/lane_observer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::cli {
namespace {

constexpr char kGraph[] = R"(
  x = Placeholder() dtype=float
  a = Tanh(x) T=float
  b = Neg(a) T=float
)";

std::vector<EngineLane> LanesOf(size_t most) {
  LaneObserver observer(most);
  optimized::SessionOptions options;
  options.observer = &observer;
  const auto session =
      *optimized::Session::Create(TestGraph(kGraph, OpRegistry::Standard()).Take(), options);
  EXPECT_TRUE(session->Run({{"x", Tensor::Scalar<float>(1)}}, {"b"}).ok());
  return observer.Take();
}

TEST(LaneObserverTest, EachKernelIsAnEventOfItsThread) {
  const std::vector<EngineLane> lanes = LanesOf(100);
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0].name, "thread 0");
  ASSERT_EQ(lanes[0].events.size(), 2u);
  const LaneEvent &a = lanes[0].events[0], &b = lanes[0].events[1];
  EXPECT_EQ(a.node, "a");
  EXPECT_EQ(b.node, "b");
  EXPECT_GE(a.begin_us, 0);
  EXPECT_GE(b.begin_us, a.begin_us + a.took_us);
}

TEST(LaneObserverTest, EachDeviceHasItsLane) {
  Graph graph = TestGraph(kGraph, OpRegistry::Standard()).Take();
  graph.mutable_node(graph.Find("a")).device = "/device:SIM:0";
  LaneObserver observer(100, /*by_device=*/true);
  optimized::SessionOptions options;
  options.observer = &observer;
  options.devices = {"/device:CPU:0", "/device:SIM:0"};
  const auto session = *optimized::Session::Create(std::move(graph), options);
  ASSERT_TRUE(session->Run({{"x", Tensor::Scalar<float>(1)}}, {"b"}).ok());
  std::map<std::string, std::set<std::string>> nodes;  // by lane
  for (const EngineLane& lane : observer.Take()) {
    for (const LaneEvent& event : lane.events) nodes[lane.name].insert(event.node);
  }
  EXPECT_TRUE(nodes["/device:CPU:0, thread 0"].contains("b"));
  EXPECT_FALSE(nodes["/device:CPU:0, thread 0"].contains("a"));
  EXPECT_TRUE(nodes["/device:SIM:0, thread 0"].contains("a"));
}

TEST(LaneObserverTest, OnlySoManyAreKept) { EXPECT_EQ(LanesOf(1)[0].events.size(), 1u); }

}  // namespace
}  // namespace tagflow::cli
