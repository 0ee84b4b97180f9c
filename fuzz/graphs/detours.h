#ifndef TAGFLOW_FUZZ_GRAPHS_DETOURS_H_
#define TAGFLOW_FUZZ_GRAPHS_DETOURS_H_

// Nodes between a value and one that takes it, in shapes that a builder does not make, or not
// there.

#include <optional>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/wiring.h"

namespace tagflow::fuzz {

// Adds one, and returns what the node is to take instead of `input`; nothing where there is no such
// way for it.
//   cut: set to a tensor on the way that may be fetched; may stay as it is
// REQUIRES: wiring.IsPlaced(node); wiring.IsPlain(input), which comes before the node
std::optional<OutputRef> AddDetour(Choices& choices, Graph& graph, Wiring& wiring, NodeId node,
                                   OutputRef input, OutputRef& cut);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_DETOURS_H_
