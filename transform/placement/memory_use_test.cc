#include "transform/placement/memory_use.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

using Bytes = std::vector<double>;

// Tasks of 10 ns one after the other: each takes what the one before made, of 100 bytes.
TaskGraph Chain(int tasks) {
  TaskGraph graph;
  graph.devices = 2;
  graph.links.assign(2, std::vector<LinkSpeed>(2, LinkSpeed{5, 10}));
  for (int i = 0; i < tasks; ++i) {
    graph.groups.push_back({{true, true}});
    graph.tasks.push_back({{10, 10}, {}, {}, i});
    if (i > 0) graph.tasks.back().takes = {i - 1};
    graph.tensors.push_back({i, 100, 1});
  }
  return graph;
}

Bytes PeaksOn(const TaskGraph& graph, const std::vector<int>& device_of) {
  return PeakBytes(graph, device_of, Simulate(graph, device_of));
}

TEST(PeakBytes, WhatIsTakenAndWhatIsMade) {
  EXPECT_EQ(PeaksOn(Chain(1), {0}), (Bytes{100, 0}));
  EXPECT_EQ(PeaksOn(Chain(5), {0, 0, 0, 0, 0}), (Bytes{200, 0}));
}

TEST(PeakBytes, WhatIsTakenLastStays) {
  TaskGraph graph = Chain(5);
  graph.tasks[4].takes = {0, 3};
  EXPECT_EQ(PeaksOn(graph, {0, 0, 0, 0, 0}), (Bytes{300, 0}));
  // Elsewhere it is from when it was made, and here until it was sent.
  EXPECT_EQ(PeaksOn(graph, {0, 0, 0, 0, 1}), (Bytes{300, 300}));
}

TEST(PeakBytes, StateIsThereAllTheTime) {
  TaskGraph graph = Chain(3);
  graph.tasks[2].state_bytes = 1000;
  EXPECT_EQ(PeaksOn(graph, {0, 0, 1}), (Bytes{200, 1200}));
}

TEST(PeakBytes, WhatGoesRoundIsCounted) {
  TaskGraph graph = Chain(2);
  graph.tasks[0].takes = {1};
  EXPECT_EQ(PeaksOn(graph, {0, 0}), (Bytes{200, 0}));
}

}  // namespace
}  // namespace tagflow
