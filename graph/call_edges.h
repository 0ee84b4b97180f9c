#ifndef TAGFLOW_GRAPH_CALL_EDGES_H_
#define TAGFLOW_GRAPH_CALL_EDGES_H_

// The edges between the nodes of a call, without those that a feed replaces.

#include <span>
#include <vector>

#include "graph/call.h"
#include "graph/feed_set.h"
#include "graph/graph.h"

namespace tagflow {

class CallEdges {
 public:
  // included: by node id; it and the graph outlive the edges
  CallEdges(const Graph& graph, const std::vector<bool>& included, const CallSpec& call)
      : graph_(graph), included_(included), fed_(graph, call.feeds) {}

  const Graph& graph() const { return graph_; }
  bool Includes(NodeId id) const { return Index(id) < included_.size() && included_[Index(id)]; }

  // Calls edge(source) for each data and control edge of `node` inside the part looked at, and
  // feed(output) for each input that is fed.
  template <typename Edge, typename Feed>
  void ForEachInput(const Node& node, Edge edge, Feed feed) const {
    if (fed_.IsFedPlaceholder(node)) return;
    for (const OutputRef& input : node.inputs) {
      if (fed_.Contains(input)) {
        feed(input);
      } else if (Includes(input.node)) {
        edge(input.node);
      }
    }
    for (NodeId control : node.control_inputs) {
      if (Includes(control)) edge(control);
    }
  }

  // Calls edge(source, node) for each edge, in order of the nodes' ids.
  template <typename Edge>
  void ForEach(Edge edge) const {
    for (size_t i = 0; i < included_.size(); ++i) {
      if (!included_[i]) continue;
      const auto id = static_cast<NodeId>(i);
      ForEachInput(
          graph_.node(id), [&](NodeId from) { edge(from, id); }, [](OutputRef) {});
    }
  }

 private:
  const Graph& graph_;
  const std::vector<bool>& included_;
  const FeedSet fed_;
};

// The same edges from their sources. Linear in nodes and edges.
class CallConsumers {
 public:
  explicit CallConsumers(const CallEdges& edges) : first_(edges.graph().id_limit() + 1, 0) {
    edges.ForEach([&](NodeId from, NodeId) { ++first_[Index(from) + 1]; });
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    consumers_.resize(first_.back());
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    edges.ForEach([&](NodeId from, NodeId to) { consumers_[next[Index(from)]++] = to; });
  }

  // What the node has an edge to, once for each, in order of ids.
  std::span<const NodeId> Of(NodeId id) const {
    const size_t first = first_[Index(id)];
    return std::span(consumers_).subspan(first, first_[Index(id) + 1] - first);
  }

 private:
  std::vector<size_t> first_;  // by node id: where in consumers_ its own begin
  std::vector<NodeId> consumers_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_CALL_EDGES_H_
