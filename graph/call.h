#ifndef TAGFLOW_GRAPH_CALL_H_
#define TAGFLOW_GRAPH_CALL_H_

// One call of a graph: what is fed, fetched and run for effect; and the part of the graph that it
// needs.

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tagflow {

struct CallSpec {
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;
};

// Names resolved. Errors: NOT_FOUND / INVALID_ARGUMENT naming the feed, fetch or target (a name fed
// twice too).
Result<CallSpec> ResolveCall(const Graph& graph, const std::vector<std::string>& feeds,
                             const std::vector<std::string>& fetches,
                             const std::vector<std::string>& targets);

// Whether a fed node needs no run: Placeholder, PlaceholderV2 and PlaceholderWithDefault; their
// control edges are satisfied by the feed ([feed.2]).
bool IsPlaceholderOp(const Node& node);

// Which nodes the call needs, by id: those reached backwards from fetches and targets through data
// and control edges; a fed output is not followed ([feed.1]); a fed placeholder is included but its
// inputs are not followed.
std::vector<bool> NeededNodes(const Graph& graph, const CallSpec& call);

// The same of a graph of which every node is needed.
std::vector<bool> AllNodes(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_CALL_H_
