#ifndef TAGFLOW_TRANSFORM_PLACEMENT_REQUESTS_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_REQUESTS_H_

// Where each group of nodes that must be together may be: on the devices that have a kernel for all
// of them and are what each of them asks for.                                   Spec: [graph.4],
// [partition.4]
//
// Softly, a node that asks for what cannot be asks for nothing instead, and its reason says why.
// Nodes of a group are heard in order of id, so that of two that contradict each other the first
// is heard. Kernels are no wish: nodes that must be together and have no device in common are an
// error either way.
//
// Control-flow nodes that ask for nothing, and need not be with any other node, join the group that
// their data come from: a Switch, Merge, Enter, Exit or LoopCond that of its first input which is
// no NextIteration; a NextIteration that of its first consumer; several that must be together, as
// the Merge and the Switch of a loop variable ask to be, that of the first of these which is
// another's. Where these go round they stay by themselves.
//
// Cost: linear in nodes and edges, times devices. Tested by placement_test.cc, place_test.cc.

#include <string>
#include <vector>

#include "graph/device_catalog.h"
#include "graph/graph.h"
#include "transform/placement/colocation.h"

namespace tagflow {

struct Requests {
  std::vector<NodeId> group_of;         // by node id: the least of those it must be with
  std::vector<std::vector<bool>> fits;  // by a group's least node, by device: at least one
  std::vector<std::string> reasons;     // by node id, in words; "": nothing but cost speaks here
};

struct RequestOptions {
  const DeviceCatalog* catalog = nullptr;  // of the same devices; null: each runs everything
  bool soft = false;
  std::vector<bool> needed;  // by node id: whose requests and kernels count; empty: all
};

// devices: at least one, all different
//   Errors, naming nodes, devices and what to do: INVALID_ARGUMENT for a device that cannot be
//   read; unless softly, for one that is not there, has no kernel, or is not what the node's group
//   can be on; for a group without a device that could run all of it. UNIMPLEMENTED for a node that
//   no device has a kernel for.
Result<Requests> ReadRequests(const Graph& graph, const std::vector<std::string>& devices,
                              NodeGroups together, const RequestOptions& options);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_REQUESTS_H_
