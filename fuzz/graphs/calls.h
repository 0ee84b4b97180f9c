#ifndef TAGFLOW_FUZZ_GRAPHS_CALLS_H_
#define TAGFLOW_FUZZ_GRAPHS_CALLS_H_

// Calls of one graph that differ in what they fetch and run: a session may keep what it made of one
// for another, and must know them apart.

#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// A few calls of the sample's graph, with feeds of its runs: some of its fetches, in any order and
// also as targets; some of its targets; other nodes. Some differ in their feeds or targets alone.
std::vector<GraphCall> DrawCalls(const GraphSample& sample, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_CALLS_H_
