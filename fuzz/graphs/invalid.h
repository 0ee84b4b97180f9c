#ifndef TAGFLOW_FUZZ_GRAPHS_INVALID_H_
#define TAGFLOW_FUZZ_GRAPHS_INVALID_H_

// Graphs with one rule broken: a valid unstructured graph, to which a node or an edge is added (or
// a call changed) that the standard refuses. The sample says which error must come, at which node.

#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

GraphSample MakeInvalid(Choices& choices);

// What can be broken, in words: the values of ExpectedError::violation.
std::vector<std::string> Violations();

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_INVALID_H_
