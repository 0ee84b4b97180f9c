#ifndef TAGFLOW_FUZZ_SIMPLIFY_SIMPLIFIED_H_
#define TAGFLOW_FUZZ_SIMPLIFY_SIMPLIFIED_H_

// The passes of transform/simplify, run one by one on a graph, with the validator after each.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/call.h"
#include "graph/evaluate.h"
#include "graph/graph.h"
#include "transform/simplify/simplify.h"

namespace tagflow::fuzz {

// One op by the kernel of whatever will run the graph, so that what was folded has the same bits:
// engines may round otherwise than one another.
//   run: a call of a graph in a session of its own
using RunOnce = std::function<Result<std::vector<Tensor>>(
    Graph graph, const std::vector<std::pair<std::string, Tensor>>& feeds,
    const std::vector<std::string>& fetches)>;
Evaluate EvaluateBy(RunOnce run);
Evaluate EvaluateByReference();

// What to try: each pass alone, and all of them, twice around, in two orders that are drawn.
std::vector<std::vector<Pass>> PassOrders(Choices& choices);
std::string NamesOf(const std::vector<Pass>& passes);

// The graph after these passes, for this call; its nodes keep their ids.
//   Errors: INTERNAL when a pass made the call invalid, which names it
Result<Graph> RunPasses(const Graph& graph, const CallSpec& call, const std::vector<Pass>& passes,
                        const Evaluate& evaluate);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SIMPLIFY_SIMPLIFIED_H_
