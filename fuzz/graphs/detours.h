#ifndef TAGFLOW_FUZZ_GRAPHS_DETOURS_H_
#define TAGFLOW_FUZZ_GRAPHS_DETOURS_H_

// Nodes between a value and one that takes it, in shapes that a builder does not make, or not
// there.

#include <optional>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/wiring.h"

namespace tagflow::fuzz {

struct Detour {
  OutputRef end;                  // what the node is to take
  OutputRef cut = {};             // a tensor on the way that may be fetched; kNone: there is none
  NodeId target = NodeId::kNone;  // a node on the way that nothing takes from
  OutputRef seen = {};            // what tells of it, in the root, to be fetched; kNone: nothing
  NodeId fed = NodeId::kNone;     // in the root: one of its outputs may be fed
};

// Between a node and one of its inputs.
struct DetourSite {
  Choices& choices;
  Graph& graph;
  Wiring& wiring;
  NodeId node;
  OutputRef input;
  bool keeps_variables = true;  // by which a run tells what those before it did
};

// Adds one in place of the input; nothing where there is no such way for it.
// REQUIRES: wiring.IsPlaced(node); wiring.IsPlain(input), which comes before the node
std::optional<Detour> AddDetour(const DetourSite& site);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_DETOURS_H_
