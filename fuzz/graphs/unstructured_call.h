#ifndef TAGFLOW_FUZZ_GRAPHS_UNSTRUCTURED_CALL_H_
#define TAGFLOW_FUZZ_GRAPHS_UNSTRUCTURED_CALL_H_

// What is asked of a graph that was made: feeds, fetches, targets.

#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/graph_maker.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// One to three runs. Most nodes that nothing consumes are targets; most fetches are of tensors that
// the naive executor finds live in every run. `feeds`: the placeholders.
GraphSample FinishSample(Choices& choices, GraphMaker maker, const std::vector<Value>& feeds);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_UNSTRUCTURED_CALL_H_
