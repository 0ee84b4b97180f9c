#ifndef TAGFLOW_OPTIMIZED_SPREAD_H_
#define TAGFLOW_OPTIMIZED_SPREAD_H_

// A call over several devices of this process: placed, partitioned, and joined to one graph that an
// executor runs (transform/placement, transform/partition).
//
// Cost: that of its parts, each linear in the graph. Thread safety: none needed.
// Tested by spread_test.cc, and by the fuzz property `placement`.

#include <optional>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "optimized/devices/devices.h"
#include "transform/partition/join.h"

namespace tagflow::optimized {

// devices: those there are, at least one
//   returns: nothing where one device of the host has it all
//   Errors: those of PlaceAsAsked, of needed nodes, and of PartitionCall
Result<std::optional<JoinedCall>> Spread(const Graph& graph, const CallSpec& call,
                                         const ValidatedCall& valid,
                                         const Devices& devices);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_SPREAD_H_
