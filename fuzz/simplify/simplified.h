#ifndef TAGFLOW_FUZZ_SIMPLIFY_SIMPLIFIED_H_
#define TAGFLOW_FUZZ_SIMPLIFY_SIMPLIFIED_H_

// The passes of transform/simplify, run one by one on a graph, with the validator after each.

#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/call.h"
#include "graph/evaluate.h"
#include "graph/graph.h"
#include "transform/simplify/simplify.h"

namespace tagflow::fuzz {

// One op by the reference's kernel, so that the reference gives the same bits for what was folded.
Evaluate EvaluateByReference();

// What to try: each pass alone, and all of them, twice around, in two orders that are drawn.
std::vector<std::vector<Pass>> PassOrders(Choices& choices);
std::string NamesOf(const std::vector<Pass>& passes);

// The graph after these passes, for this call; its nodes keep their ids.
//   Errors: INTERNAL when a pass made the call invalid, which names it
Result<Graph> RunPasses(const Graph& graph, const CallSpec& call, const std::vector<Pass>& passes);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SIMPLIFY_SIMPLIFIED_H_
