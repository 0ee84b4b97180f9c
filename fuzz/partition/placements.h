#ifndef TAGFLOW_FUZZ_PARTITION_PLACEMENTS_H_
#define TAGFLOW_FUZZ_PARTITION_PLACEMENTS_H_

// Placements to try a graph on: everything on one device, all but a few nodes, alternating, random,
// random in pieces. Nodes that must be together are (together.h).
//
// Tested by placements_test.cc.

#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/graph.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

// For two to four devices; `about` is told in words which kind it is.
//   fed: tensors that are fed, which may cross though they are references in the graph
Placement DrawPlacement(const Graph& graph, const std::vector<OutputRef>& fed, Choices& choices,
                        std::string* about);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_PLACEMENTS_H_
