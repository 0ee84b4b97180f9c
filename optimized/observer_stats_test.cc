#include "optimized/observer_stats.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "graph/test_function.h"
#include "graph/test_graph.h"
#include "optimized/observer_lanes.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

TEST(KernelStatsTest, CountsAndBounds) {
  KernelStats stats;
  for (const int64_t ns : {5, 2, 9}) stats.Add(ns);
  EXPECT_EQ(stats.count, 3);
  EXPECT_EQ(stats.total_ns, 16);
  EXPECT_EQ(stats.min_ns, 2);
  EXPECT_EQ(stats.max_ns, 9);
  KernelStats sum;
  sum.Add(stats);
  sum.Add(KernelStats());
  EXPECT_EQ(sum.min_ns, 2);
  KernelStats more;
  more.Add(1);
  sum.Add(more);
  EXPECT_EQ(sum.count, 4);
  EXPECT_EQ(sum.total_ns, 17);
  EXPECT_EQ(sum.min_ns, 1);
  EXPECT_EQ(sum.max_ns, 9);
}

constexpr char kProducts[] = R"(
  x = Placeholder() dtype=float shape=[2,2]
  a = MatMul(x, x)
  b = MatMul(x, x)
  sum = Add(a, b)
)";

// Runs the two products and their sum; the session has gone when the figures are read.
void RunProducts(StatsObserver& stats, int threads, int steps) {
  SessionOptions options;
  options.threads = threads;
  options.observer = &stats;
  const auto session =
      *Session::Create(TestGraph(kProducts, OpRegistry::Standard()).Take(), options);
  const Tensor x = *Tensor::Allocate(DType::kFloat, Dims{2, 2});
  for (int step = 0; step < steps; ++step) {
    ASSERT_TRUE(session->Run({{"x", x}}, {"sum"}).ok());
  }
}

KernelStats Of(const std::vector<StatsObserver::Row>& rows, const std::string& node,
               const std::string& op) {
  for (const auto& row : rows) {
    if (row.node == node && row.op == op) return row.stats;
  }
  return KernelStats();
}

TEST(StatsObserverTest, CountsByNodeAndByOp) {
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    StatsObserver stats;
    RunProducts(stats, threads, 20);
    EXPECT_EQ(stats.ByNode().size(), 3u);
    EXPECT_EQ(stats.ByOp().size(), 2u);
    EXPECT_EQ(Of(stats.ByNode(), "a", "MatMul").count, 20);
    EXPECT_EQ(Of(stats.ByNode(), "sum", "Add").count, 20);
    EXPECT_EQ(Of(stats.ByOp(), "", "MatMul").count, 40);
    EXPECT_EQ(stats.steps().count, 20);
    EXPECT_EQ(stats.kernels().count, 60);
  }
}

TEST(StatsObserverTest, TimesAddUpAndRowsComeByTime) {
  StatsObserver stats;
  RunProducts(stats, 1, 20);
  int64_t total = 0;
  int64_t last = INT64_MAX;
  for (const auto& row : stats.ByNode()) {
    total += row.stats.total_ns;
    EXPECT_LE(row.stats.total_ns, last);
    EXPECT_LE(row.stats.min_ns * 20, row.stats.total_ns);
    EXPECT_GE(row.stats.max_ns * 20, row.stats.total_ns);
    last = row.stats.total_ns;
  }
  EXPECT_EQ(total, stats.kernels().total_ns);
  EXPECT_LE(total, stats.steps().total_ns);  // on one thread
  EXPECT_GE(StatsObserver::ClockCostNs(), 0);
}

// f(x) = neg(neg(x)) in a call of a call: a kernel for each call, which is not charged for its
// body.
TEST(StatsObserverTest, ACallTakesWhatItsBodyDoesNot) {
  constexpr DType kFloat = DType::kFloat;
  const AttrMap floats = {{"T", AttrValue(kFloat)}};
  Graph graph;
  graph.library.Add(
      TestFunction("inner", kFloat, kFloat,
                   {{"a", "Neg", "", {"x"}, floats}, {"b", "Neg", "", {"a:y"}, floats}}, "b:y"));
  graph.library.Add(
      TestFunction("outer", kFloat, kFloat, {{"call", "inner", "", {"x"}, {}}}, "call:y"));
  const NodeId x = *graph.AddNode("x", "Placeholder");
  graph.SetAttr(x, "dtype", AttrValue(kFloat));
  graph.mutable_node(*graph.AddNode("call", "outer")).inputs = {{x, 0}};
  StatsObserver stats;
  SessionOptions options;
  options.observer = &stats;
  options.lowers_functions = false;
  const auto session = *Session::Create(std::move(graph), options);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(session->Run({{"x", Tensor::Vector(std::vector<float>(100'000))}}, {"call"}).ok());
  }
  EXPECT_EQ(stats.kernels().count, 40);
  EXPECT_EQ(Of(stats.ByNode(), "call/call/b", "Neg").count, 10);
  EXPECT_EQ(Of(stats.ByOp(), "", "StatefulPartitionedCall").count, 20);
  EXPECT_LE(stats.kernels().total_ns, stats.steps().total_ns);
}

struct NumberedLane {
  explicit NumberedLane(int index) : number(index) {}
  const int number;
  int visits = 0;
};

TEST(ObserverLanesTest, AThreadKeepsItsLane) {
  ObserverLanes<NumberedLane> lanes;
  ObserverLanes<NumberedLane> others;
  constexpr int kThreads = 4;
  constexpr int kVisits = 1000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int visit = 0; visit < kVisits; ++visit) {
        ++lanes.Mine().visits;
        ++others.Mine().visits;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto* each : {&lanes, &others}) {
    int visits = 0;
    std::set<int> numbers;
    for (const auto& lane : each->All()) {
      visits += lane->visits;
      numbers.insert(lane->number);
    }
    EXPECT_EQ(visits, kThreads * kVisits);
    EXPECT_EQ(numbers.size(), each->All().size());
  }
}

TEST(ObserverLanesTest, OfLanesThatHaveGoneNothingIsLeft) {
  for (int i = 0; i < 3; ++i) {
    ObserverLanes<NumberedLane> lanes;
    EXPECT_EQ(lanes.Mine().visits++, 0);
    EXPECT_EQ(lanes.All().size(), 1u);
  }
}

}  // namespace
}  // namespace tagflow::optimized
