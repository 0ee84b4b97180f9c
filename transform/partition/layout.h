#ifndef TAGFLOW_TRANSFORM_PARTITION_LAYOUT_H_
#define TAGFLOW_TRANSFORM_PARTITION_LAYOUT_H_

// Which nodes and frames are on which devices, before anything is cut.
//
// Spec: [partition.2], [partition.3]
//
// A node is on the device it was placed on; an Enter or a NextIteration on every device that has a
// consumer of it (which may be another of these). A device takes part in a frame when a node of the
// frame, or of a frame inside, is there.
//
// Cost: linear in nodes and edges, times the longest chain of Enters. Tested by partition_test.cc.

#include <algorithm>
#include <vector>

#include "graph/feed_set.h"
#include "graph/validate.h"
#include "transform/partition/partition.h"

namespace tagflow {

using Devices = std::vector<int>;  // indices into Placement::devices, ascending

inline bool Contains(const Devices& devices, int device) {
  return std::binary_search(devices.begin(), devices.end(), device);
}
// Adds a device; whether it was new.
bool Insert(Devices& devices, int device);

struct Layout {
  std::vector<int> home;              // by node id: where the node has its own name; -1: not there
  std::vector<Devices> devices_of;    // by node id
  std::vector<Devices> participants;  // by frame; of the root: nobody
  std::vector<Devices> stateful;      // by frame: those that keep state in it, or inside it
  std::vector<std::vector<NodeId>> nexts;  // by frame: its NextIterations
  std::vector<NodeId> loop_cond;           // by frame: its pivot; kNone
};

// Errors: a node without a device, or on one that is not there (INVALID_ARGUMENT, [graph.4]).
Result<Layout> LayOut(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                      const FeedSet& fed, const Placement& placement,
                      PartitionFault fault = PartitionFault::kNone);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_LAYOUT_H_
