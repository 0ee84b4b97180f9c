#ifndef TAGFLOW_TRANSFORM_PLACEMENT_PLACEMENT_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_PLACEMENT_H_

// A device for each node, from what the nodes ask for alone.                       Spec: [graph.4],
// [partition.4]
//
// A group of nodes that must be together (requests.h) is on the first device that has everything
// its nodes ask for, or on the first there is. Control-flow nodes go with their data. Enters and
// NextIterations are with their consumers besides, whatever is said here ([partition.2]). Where it
// matters which device is quick and which link slow, see place.h.
//
// Cost: linear in nodes and edges, times devices. Thread safety: none needed.
// Tested by placement_test.cc.

#include <string>
#include <vector>

#include "graph/device_catalog.h"
#include "graph/graph.h"
#include "transform/partition/partition.h"
#include "transform/placement/colocation.h"

namespace tagflow {

// devices: there are these, at least one, all different.
// catalog: of the same devices, says what they have kernels for; null: each runs everything
// soft: a node that asks for one that is not there, or not where its group is, asks for nothing.
//   Errors: INVALID_ARGUMENT naming a node whose device cannot be read; unless softly, one whose
//   device is not there or has no kernel for it, or two of a group that ask for different ones.
Result<Placement> PlaceAsAsked(const Graph& graph, const std::vector<std::string>& devices,
                               bool soft = false, const DeviceCatalog* catalog = nullptr);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_PLACEMENT_H_
