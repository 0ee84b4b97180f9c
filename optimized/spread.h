#ifndef TAGFLOW_OPTIMIZED_SPREAD_H_
#define TAGFLOW_OPTIMIZED_SPREAD_H_

// A call over several devices of this process: placed, partitioned, and joined to one graph that an
// executor runs (transform/placement, transform/partition).
//
// Cost: that of its parts, each linear in the graph. Thread safety: none needed.
// Tested by spread_test.cc, and by the fuzz property `placement`.

#include <cstdint>
#include <optional>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "optimized/devices/devices.h"
#include "transform/partition/join.h"
#include "transform/partition/partition.h"

namespace tagflow::optimized {

// Where nodes go that do not say.
enum class PlacementChoice : uint8_t {
  kAsAsked,  // to the first device; control flow to what it takes
  kByCost,   // where the step is estimated to be over soonest (transform/placement/place.h)
};

struct SpreadOptions {
  PlacementChoice placement = PlacementChoice::kAsAsked;
  // A node that asks for what is not there, or has no kernel for it, goes elsewhere.  Spec:
  // [graph.4]
  bool soft = false;
  // Tensors of float cross between devices as bfloat16 (PartitionOptions::compresses_floats).
  bool compresses_floats = false;
  // When Recvs begin, where a device is simulated: by its times. What is brought to the host's
  // memory from the host's takes no room there, and is received at once.
  RecvStart recvs = RecvStart::kLate;
};

// The same call twice.
struct SpreadCall {
  Graph placed;       // whole: each node names its device
  JoinedCall joined;  // its parts, with the Sends and Recvs between them
};

// devices: those there are, at least one
//   returns: nothing where one device of the host has it all
//   Errors: those of PlaceAsAsked, of needed nodes, or of Place; and of PartitionCall
Result<std::optional<SpreadCall>> Spread(const Graph& graph, const CallSpec& call,
                                         const ValidatedCall& valid, const Devices& devices,
                                         const KernelRegistry& kernels,
                                         const SpreadOptions& options = {});

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_SPREAD_H_
