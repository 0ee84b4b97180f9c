#ifndef TAGFLOW_CONFORMANCE_SCATTER_H_
#define TAGFLOW_CONFORMANCE_SCATTER_H_

// Puts the nodes of a graph on devices by chance, so that tensors go from each to each.
//
// Tested by scatter_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/session.h"

namespace tagflow::conformance {

// Nodes that ask for no device ask for one of the session's, as the seed has it, where that has
// kernels for them and for those that they must be with, none of which asks for one.
//   session: which has these devices, with their kinds and kernels
//   Errors: those of the devices
Status Scatter(Graph& graph, const optimized::SessionOptions& session, uint64_t seed);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_SCATTER_H_
