#ifndef TAGFLOW_TRANSFORM_PLACEMENT_PLACE_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_PLACE_H_

// A device for each node: one that can run it, that it asked for, and by which the step is
// estimated to be over soonest.                                     Spec: [graph.4], [partition.*]
//
// What nodes ask for and what must be together leaves each group some devices (requests.h); nodes
// of a frame that cannot be cut ([partition.3]) are together too. Where it leaves several, these
// are tried, each simulated (simulate.h) with the costs of cost_model.h:
//
//   all on D      for each device D: every group that can be there, the others on the first device
//                 that fits them
//   greedy        each group where it would be done soonest, found while simulating
//   round robin   groups on the devices that fit them in turn
//
// The one that is over first is returned, of equals the first in this list; of those that fit the
// memory of the devices (memory_use.h), as far as that is known, if any does. So what is returned
// is never worse, by estimate, than using one device: greedy by itself may be, when it spreads what
// is cheap, or when the way back costs more than was gained.
//
// The same graph, catalog and options give the same placement, every time. Thread safety: none
// needed. Cost: that of ReadRequests and shape inference, and of the simulations.
// Tested by place_test.cc, and on random graphs by //fuzz/placement.

#include <optional>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/device_catalog.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "transform/partition/partition.h"
#include "transform/placement/cost_model.h"

namespace tagflow {

struct PlacementOptions {
  // A node that asks for a device which is not there, or has no kernel for it, goes elsewhere.
  bool soft = false;
  // What the call needs is what must be placeable, and what costs; nothing: all of the graph. Nodes
  // that it does not need have a device all the same. A graph that is called in several ways and
  // keeps state between calls is placed once; or a placed node's device is written into the graph.
  std::optional<CallSpec> call;
  CostOptions costs;
  const ValidatedCall* valid = nullptr;  // of the call, where it has been validated
};

struct PlacementCandidate {
  std::string name;  // "all on /device:CPU:0", "greedy", "round robin"
  double makespan_ns = 0;
  std::vector<double> peak_bytes;  // by device
  int lacks_memory = -1;  // the first device of which it takes more than there is; -1: none
};

struct PlacementReport {
  Placement placement;               // of every node, as PartitionCall takes it
  std::vector<std::string> reasons;  // by node id, in words
  std::vector<PlacementCandidate> candidates;
  size_t chosen = 0;  // of the candidates
};

//   Errors: those of ValidateCall; INVALID_ARGUMENT for a catalog without devices, and as
//   ReadRequests has it: unless softly, a node that asks for what is not there or has no kernel for
//   it; nodes that must be together and no device can run. UNIMPLEMENTED for a node that no device
//   has a kernel for.
Result<PlacementReport> Place(const Graph& graph, const DeviceCatalog& catalog,
                              const PlacementOptions& options = {});

// What a step is estimated to take, in ns, under any placement on the catalog's devices: the same
// simulation.                                           Errors: Place's; a node without a device
Result<double> EstimateStepNs(const Graph& graph, const DeviceCatalog& catalog,
                              const Placement& placement, const PlacementOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_PLACE_H_
