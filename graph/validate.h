#ifndef TAGFLOW_GRAPH_VALIDATE_H_
#define TAGFLOW_GRAPH_VALIDATE_H_

// What must hold before anything runs. Each error names the node, the rule and the fix.

#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow {

struct ValidatedCall {
  std::vector<bool> needed;  // by node id
  FrameTree frames;          // of the needed nodes
};

// The check of one call on the part of the graph it needs ([graph.1], [graph.2], [frame.*],
// [fetch.2]): every op known, every attr there and allowed, inputs of the right number and type, no
// cycle without NextIteration, frame rules, no fetch from a non-root frame (the error names the
// frame and the Exit to fetch), feeds in the root frame.
Result<ValidatedCall> ValidateCall(const Graph& graph, const CallSpec& call);

// Everything that is wrong with the whole graph, unknown ops and shape contradictions included:
// `tagflow show --check`.
std::vector<Status> ValidateGraph(const Graph& graph);

// What is allowed and still deserves a look, a sentence each: loops without a LoopCond, frames
// without an Exit, cycles that nothing enters, attrs the op does not have, differing
// parallel_iterations.
std::vector<std::string> GraphNotes(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_VALIDATE_H_
