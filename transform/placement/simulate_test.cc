#include "transform/placement/simulate.h"

#include <gtest/gtest.h>

#include <random>

namespace tagflow {
namespace {

using Times = std::vector<double>;
using Tasks = std::vector<int>;

// Two devices; a link takes 5 ns and carries 10 bytes a ns. A task by itself is a group of its own.
class SmallTasks {
 public:
  SmallTasks() {
    graph.devices = 2;
    graph.links.assign(2, std::vector<LinkSpeed>(2, LinkSpeed{5, 10}));
  }
  int Add(Times ns, Tasks takes = {}) {
    graph.groups.push_back({{true, true}});
    return AddTo(static_cast<int>(graph.groups.size()) - 1, std::move(ns), std::move(takes));
  }
  int AddTo(int group, Times ns, Tasks takes = {}) {
    graph.tasks.push_back({std::move(ns), std::move(takes), {}, group});
    return static_cast<int>(graph.tasks.size()) - 1;
  }
  int Tensor(int producer, double bytes, double messages = 1) {
    graph.tensors.push_back({producer, bytes, messages});
    return static_cast<int>(graph.tensors.size()) - 1;
  }
  TaskGraph graph;
};

TEST(Simulate, ADeviceDoesOneThingAtATime) {
  SmallTasks small;
  small.Add({10, 10});
  small.Add({20, 20});
  const Schedule together = Simulate(small.graph, {0, 0});
  EXPECT_EQ(together.begin_ns, (Times{0, 10}));
  EXPECT_EQ(together.end_ns, (Times{10, 30}));
  EXPECT_EQ(together.makespan_ns, 30);
  EXPECT_EQ(Simulate(small.graph, {0, 1}).makespan_ns, 20);
}

TEST(Simulate, ATensorTakesLatencyAndItsBytes) {
  SmallTasks small;
  const int x = small.Tensor(small.Add({10, 10}), 100);
  small.Add({20, 20}, {x});
  EXPECT_EQ(Simulate(small.graph, {0, 0}).end_ns, (Times{10, 30}));
  EXPECT_EQ(Simulate(small.graph, {0, 1}).begin_ns, (Times{0, 10 + 10 + 5}));
  small.graph.tensors[0].messages = 3;
  EXPECT_EQ(Simulate(small.graph, {0, 1}).begin_ns, (Times{0, 10 + 3 * (10 + 5)}));
}

TEST(Simulate, ATensorGoesToADeviceOnce) {
  SmallTasks small;
  const int x = small.Tensor(small.Add({10, 10}), 100);
  small.Add({20, 20}, {x});
  small.Add({20, 20}, {x});
  EXPECT_EQ(Simulate(small.graph, {0, 1, 1}).begin_ns, (Times{0, 25, 45}));
}

TEST(Simulate, ALinkCarriesOneTensorAfterTheOther) {
  SmallTasks small;
  const int producer = small.Add({10, 10});
  const int x = small.Tensor(producer, 100);
  const int y = small.Tensor(producer, 50);
  small.Add({1, 1}, {x});
  small.Add({1, 1}, {y});
  // y's bytes begin when x's are through, at 20.
  EXPECT_EQ(Simulate(small.graph, {0, 1, 1}).begin_ns, (Times{0, 25, 20 + 5 + 5}));
  SmallTasks one;
  one.Add({10, 10});
  one.Tensor(0, 100);
  one.Tensor(0, 50);
  one.Add({1, 1}, {0, 1});
  EXPECT_EQ(Simulate(one.graph, {0, 1}).begin_ns[1], 30);
}

TEST(Simulate, ADeviceRunsWhatArrivesFirst) {
  SmallTasks small;
  const int far = small.Tensor(small.Add({10, 10}), 100);
  const int near = small.Tensor(small.Add({15, 15}), 100);
  small.Add({7, 7}, {far});   // reached at 10, there at 25
  small.Add({7, 7}, {near});  // reached and there at 15
  EXPECT_EQ(Simulate(small.graph, {0, 1, 1, 1}).begin_ns, (Times{0, 0, 25, 15}));
}

TEST(Simulate, WhatComesAfterNeedsNoMessage) {
  SmallTasks small;
  small.Add({10, 10});
  small.Add({1, 1});
  small.graph.tasks[1].after = {0};
  EXPECT_EQ(Simulate(small.graph, {0, 1}).begin_ns, (Times{0, 10}));
}

TEST(Simulate, ACircleIsBegunAnywhere) {
  SmallTasks small;
  small.Add({10, 10}, {1});
  small.Add({1, 1}, {0});
  small.Tensor(0, 100);
  small.Tensor(1, 100);
  EXPECT_EQ(Simulate(small.graph, {0, 0}).begin_ns, (Times{0, 10}));
  small.Add({3, 3});
  EXPECT_EQ(Simulate(small.graph, {0, 1, 0}).begin_ns, (Times{3, 13 + 10 + 5, 0}));
  EXPECT_EQ(PlaceGreedily(small.graph).schedule.makespan_ns, 14);
}

TEST(Simulate, NothingTakesNoTime) {
  EXPECT_EQ(Simulate(SmallTasks().graph, {}).makespan_ns, 0);
  EXPECT_EQ(PlaceGreedily(SmallTasks().graph).schedule.makespan_ns, 0);
}

TEST(PlaceGreedily, GoesWhereItIsDoneSoonest) {
  SmallTasks small;
  const int x = small.Tensor(small.Add({10, 100}), 100);
  small.Add({100, 10}, {x});
  const GreedySchedule greedy = PlaceGreedily(small.graph);
  EXPECT_EQ(greedy.choices[0].device, 0);
  EXPECT_EQ(greedy.choices[0].next_best, 1);
  EXPECT_EQ(greedy.choices[0].next_best_end_ns, 100);
  EXPECT_EQ(greedy.choices[1].device, 1);
  EXPECT_EQ(greedy.choices[1].end_ns, 10 + 15 + 10);
  EXPECT_EQ(greedy.choices[1].next_best_end_ns, 110);
  EXPECT_EQ(greedy.schedule.makespan_ns, 35);
}

TEST(PlaceGreedily, CountsBothTensorsOnOneLink) {
  SmallTasks small;
  const int producer = small.Add({10, 100});
  const int x = small.Tensor(producer, 100);
  const int y = small.Tensor(producer, 100);
  small.Add({31, 1}, {x, y});
  // Over there it would begin at 10 + 10 + 10 + 5 and end at 36; here it ends at 41.
  EXPECT_EQ(PlaceGreedily(small.graph).choices[1].end_ns, 36);
}

TEST(PlaceGreedily, LosesWhereTheWayBackCostsMore) {
  SmallTasks small;
  const int x = small.Tensor(small.Add({10, 10}), 1000);
  const int y = small.Tensor(small.Add({10, 10}), 1000);
  small.Add({10, 10}, {x, y});
  EXPECT_EQ(PlaceGreedily(small.graph).schedule.makespan_ns, 10 + 105 + 10);
  EXPECT_EQ(Simulate(small.graph, {0, 0, 0}).makespan_ns, 30);
}

TEST(PlaceGreedily, AGroupIsPlacedByAllItRuns) {
  SmallTasks small;
  const int x = small.Tensor(small.Add({5, 10}), 10);
  small.AddTo(0, {50, 10}, {x});
  small.Add({30, 1}, {x});
  small.graph.groups[1].fits = {true, false};
  const GreedySchedule greedy = PlaceGreedily(small.graph);
  EXPECT_EQ(greedy.choices[0].device, 1);
  EXPECT_EQ(greedy.choices[0].end_ns, 20);
  EXPECT_EQ(greedy.choices[0].next_best_end_ns, 55);
  EXPECT_EQ(greedy.choices[1].device, 0);
  EXPECT_EQ(greedy.choices[1].next_best, -1);
  EXPECT_EQ(greedy.schedule.makespan_ns, 10 + 1 + 5 + 30);
}

// Random tasks in groups on three devices.
TaskGraph RandomTasks(std::mt19937& random) {
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  TaskGraph graph;
  graph.devices = 3;
  for (int i = 0; i < 3; ++i) {
    auto& links = graph.links.emplace_back();
    for (int j = 0; j < 3; ++j) links.push_back({static_cast<double>(below(50)), 1.0 + below(9)});
  }
  const int groups = 1 + below(8);
  for (int i = 0; i < groups; ++i) {
    graph.groups.push_back({{below(4) > 0, true, below(4) > 0}});
  }
  const int tasks = 1 + below(20);
  for (int i = 0; i < tasks; ++i) {
    Task task{{}, {}, {}, below(groups)};
    for (int d = 0; d < 3; ++d) task.ns.push_back(below(30));
    for (int k = below(3); k > 0 && !graph.tensors.empty(); --k) {
      task.takes.push_back(below(static_cast<int>(graph.tensors.size())));
    }
    graph.tasks.push_back(std::move(task));
    // Now and then of a task that is still to come, so that some go round.
    const int producer = below(10) == 0 ? below(tasks) : i;
    graph.tensors.push_back({producer, static_cast<double>(below(300)), 1.0 + below(3)});
  }
  return graph;
}

TEST(PlaceGreedily, IsWhatSimulationOfItSays) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const TaskGraph graph = RandomTasks(random);
    const GreedySchedule greedy = PlaceGreedily(graph);
    std::vector<int> device_of;
    double work_ns = 0;
    for (const Task& task : graph.tasks) {
      const int device = greedy.choices[static_cast<size_t>(task.group)].device;
      ASSERT_TRUE(graph.groups[static_cast<size_t>(task.group)].fits[static_cast<size_t>(device)]);
      device_of.push_back(device);
      work_ns = std::max(work_ns, task.ns[static_cast<size_t>(device)]);
    }
    const Schedule again = Simulate(graph, device_of);
    ASSERT_EQ(again.begin_ns, greedy.schedule.begin_ns) << i;
    ASSERT_EQ(again.end_ns, greedy.schedule.end_ns) << i;
    ASSERT_EQ(again.makespan_ns, greedy.schedule.makespan_ns) << i;
    ASSERT_GE(again.makespan_ns, work_ns) << i;
  }
}

}  // namespace
}  // namespace tagflow
