#ifndef TAGFLOW_TRANSFORM_PLACEMENT_GRAPH_TASKS_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_GRAPH_TASKS_H_

// The tasks of a graph: for each node that a call needs one, which does all its firings of a step.
//
// How often a node fires: as often as was measured; else as often as its frame begins an iteration,
// which is the most that was measured of a node of the frame, or else CostOptions::unknown_trips
// for each iteration of the frame outside (1 for a frame without a NextIteration). Both sides of a
// branch count as taken. A tensor crosses once for each iteration of its frame, dead or live, and
// what enters a frame once for each of the frame outside.
//
// Iterations do not overlap here: what a NextIteration hands on is not waited for, and instead an
// Exit waits for the NextIteration of its variable.
//
// Tasks that no node stands for, and that take no time:
//   - what is fed is made by one on the first device, the host's; each fetch is taken by one there
//   - where a group has a node of a frame, one with it takes the frame's predicate ([partition.3]):
//     a message for each iteration, to each participant but the leader
//
// Cost: linear in nodes and edges, and that of shape inference. Tested by graph_tasks_test.cc.

#include <vector>

#include "graph/call.h"
#include "graph/validate.h"
#include "transform/placement/cost_model.h"
#include "transform/placement/requests.h"
#include "transform/placement/task_graph.h"

namespace tagflow {

struct GraphTasks {
  TaskGraph tasks;
  std::vector<NodeId> node_of;  // by task: it, or one that the task is with; kNone: the host
  std::vector<int> task_of;     // by node id; -1: none
  std::vector<int> group_of;    // by a group's least node; -1: nothing of it runs
};

// devices: those that the requests were read for
GraphTasks TasksOf(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                   const Requests& requests, const std::vector<DeviceInfo>& devices,
                   const CostOptions& options);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_GRAPH_TASKS_H_
