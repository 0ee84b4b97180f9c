#ifndef TAGFLOW_FUZZ_LOWER_LOWER_H_
#define TAGFLOW_FUZZ_LOWER_LOWER_H_

// From a program to a graph, by the builder that users have.

#include <string>
#include <utility>
#include <vector>

#include "fuzz/program/program.h"
#include "graph/graph.h"

namespace tagflow::fuzz {

// A graph and how to call it. A run feeds `feeds` (one name per input of the program) and fetches
// `fetches` (one per result, then one per variable). `init` are targets of a step that comes first;
// empty when the program has no variables.
struct Lowered {
  Graph graph;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> init;
  std::vector<OutputRef> result_outputs;  // of the fetches, in the graph
  // By value: the tensor it has become, in whatever frame; of the only branch of a Case one of two.
  // NodeId::kNone for arrays and stacks.
  std::vector<OutputRef> values;
};

//   Errors: the builder's; for a program that passes Check that is a bug.
Result<Lowered> Lower(const Program& program);

// What run `run` feeds, by name.
std::vector<std::pair<std::string, Tensor>> FeedsOf(const Program& program, const Lowered& lowered,
                                                    int run);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_LOWER_H_
