#ifndef TAGFLOW_FUZZ_MUTANTS_GRAPH_JUDGE_H_
#define TAGFLOW_FUZZ_MUTANTS_GRAPH_JUDGE_H_

#include <cstdint>
#include <string>

#include "fuzz/graphs/sample.h"
#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

// What is wrong with a mutant by a graph; "" when nothing is, or no telling. For mutants whose
// hooks the properties of graphs cannot be given: a run that is certain to end in one way by the
// standard must end in this way, and its races must be the standard's.
std::string WrongByGraph(const GraphSample& sample, const Mutant& mutant, uint64_t seed);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_GRAPH_JUDGE_H_
