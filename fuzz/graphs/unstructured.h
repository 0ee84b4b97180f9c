#ifndef TAGFLOW_FUZZ_GRAPHS_UNSTRUCTURED_H_
#define TAGFLOW_FUZZ_GRAPHS_UNSTRUCTURED_H_

// Graphs that no builder would make and the standard still gives a meaning to: frames entered
// without a loop, several Exits of one frame, two loops in a frame, Merges of Merges, control edges
// into and out of every primitive, constant Enters that are dead or come late, dead loops in live
// ones, variables with and without an order. All of them are valid. Most end with values; a few
// starve, fetch what is dead, fail, or run until a limit stops them, which are outcomes too.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

struct UnstructuredOptions {
  int least_actions = 3;  // an action adds a node, or the few nodes of a loop or a cond
  int most_actions = 30;
};

GraphSample MakeUnstructured(Choices& choices, const UnstructuredOptions& options = {});

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_UNSTRUCTURED_H_
