#ifndef TAGFLOW_TRANSFORM_PLACEMENT_SIMULATE_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_SIMULATE_H_

// What a placement would take, by simulation; and a placement that is found while simulating.
//
// A task is reached when all tasks that it waits for have ended. Its inputs that are elsewhere are
// then sent, each tensor once to a device. It arrives when the last of them does. A device runs one
// task at a time, in order of arrival; a link carries what it was asked for in that order, from
// when the tensor was there, and is free for the next when the bytes are through, while latency
// passes beside. Of equals the one with the lower number comes first, so a simulation is the same
// every time.
//
// Greedily: when the first task of a group is reached, the group is put on the device that fits it
// where all that the group runs would end soonest, behind what the device was given before and as
// if nothing else came; transfers are counted. Of equal devices it is the first. Like every rule
// that looks at one step at a time it can lose: it does not see what comes after, and sends a task
// away for a gain that its result loses on the way back.
//
// Invariants:
//   1. Simulate, given what PlaceGreedily found, gives the schedule that it found.
//   2. Every task runs once, also where tasks wait for each other in a circle: when nothing else
//      goes on, the first that has not been reached is.
//
// Cost: (tasks + inputs) log tasks; greedily, times devices.
// Source: Abadi et al., TensorFlow: Large-Scale Machine Learning on Heterogeneous Distributed
// Systems, 2015, 3.2.1. There a group's device is chosen by its first node alone.
// Tested by simulate_test.cc.

#include <vector>

#include "transform/placement/task_graph.h"

namespace tagflow {

struct Schedule {
  std::vector<double> begin_ns, end_ns;  // by task
  double makespan_ns = 0;                // when the last task ends
};

// Why a group is where it is.
struct GreedyChoice {
  int device = 0;
  double end_ns = 0;
  int next_best = -1;  // the device that would have been chosen without this one; -1: none fits
  double next_best_end_ns = 0;
};

struct GreedySchedule {
  Schedule schedule;
  std::vector<GreedyChoice> choices;  // by group
};

// device_of: by task
Schedule Simulate(const TaskGraph& graph, const std::vector<int>& device_of);

GreedySchedule PlaceGreedily(const TaskGraph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_SIMULATE_H_
