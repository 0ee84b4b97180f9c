#ifndef TAGFLOW_TRANSFORM_PLACEMENT_TASK_GRAPH_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_TASK_GRAPH_H_

// A graph as a simulation sees it: tasks that take time on devices, tensors that take time on links
// between them. A loop is one task for each of its nodes, which does all the node's firings at
// once.

#include <vector>

#include "transform/placement/cost_model.h"

namespace tagflow {

struct Task {
  std::vector<double> ns;  // by device: of all its firings
  std::vector<int> takes;  // tensors
  std::vector<int> after;  // tasks that end before, wherever they are
  int group = 0;
  double state_bytes = 0;  // that it keeps on its device all the time
};

struct TaskTensor {
  int producer = 0;
  double bytes = 0;
  double messages = 1;  // one after the other, of `bytes` each
};

struct TaskGroup {
  std::vector<bool> fits;  // by device; at least one
};

// What tasks take and come after may go round; see simulate.h.
struct TaskGraph {
  int devices = 1;
  std::vector<std::vector<LinkSpeed>> links;  // from, to
  std::vector<Task> tasks;
  std::vector<TaskTensor> tensors;
  std::vector<TaskGroup> groups;  // placed as one
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_TASK_GRAPH_H_
