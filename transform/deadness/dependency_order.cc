#include "transform/deadness/dependency_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

// Calls visit(producer) for every edge that `node` waits for: data and control, not those cut by
// feeds.
template <typename F>
void VisitProducers(const Graph& graph, const Node& node, const FeedSet& fed, F&& visit) {
  if (fed.IsFedPlaceholder(node)) return;
  const bool is_variable = IsMerge(node) && IsLoopVariable(graph, node, fed);
  for (const OutputRef& input : node.inputs) {
    if (fed.Contains(input)) continue;
    if (is_variable && IsNextIteration(graph.node(input.node))) continue;
    visit(input.node);
  }
  for (const NodeId control : node.control_inputs) visit(control);
}

// Edges by producer, in one array.
struct Edges {
  std::vector<uint32_t> begin;  // by node id, and one more
  std::vector<NodeId> consumers;
};

Edges ConsumersOf(const Graph& graph, const std::vector<NodeId>& nodes, const FeedSet& fed) {
  Edges edges;
  edges.begin.resize(graph.id_limit() + 1);
  for (const NodeId id : nodes) {
    VisitProducers(graph, graph.node(id), fed,
                   [&](NodeId producer) { ++edges.begin[Index(producer) + 1]; });
  }
  for (size_t i = 1; i < edges.begin.size(); ++i) edges.begin[i] += edges.begin[i - 1];
  edges.consumers.resize(edges.begin.back());
  std::vector<uint32_t> next(edges.begin.begin(), edges.begin.end() - 1);
  for (const NodeId id : nodes) {
    VisitProducers(graph, graph.node(id), fed,
                   [&](NodeId producer) { edges.consumers[next[Index(producer)]++] = id; });
  }
  return edges;
}

bool InputsComeFirst(const Graph& graph, const std::vector<NodeId>& nodes, const FeedSet& fed) {
  bool come_first = true;
  for (size_t i = 0; i < nodes.size() && come_first; ++i) {
    VisitProducers(graph, graph.node(nodes[i]), fed,
                   [&](NodeId producer) { come_first &= producer < nodes[i]; });
  }
  return come_first;
}

}  // namespace

bool IsConstantEnter(const Node& node) {
  if (!IsEnter(node)) return false;
  const Result<bool> is_constant = BoolAttr(node, "is_constant");
  return is_constant.ok() && *is_constant;
}

bool IsLoopVariable(const Graph& graph, const Node& merge, const FeedSet& fed) {
  if (merge.inputs.size() != 2) return false;
  bool enters = false;
  bool repeats = false;
  for (const OutputRef& input : merge.inputs) {
    if (fed.Contains(input)) return false;
    const Node& source = graph.node(input.node);
    enters |= IsEnter(source) && !IsConstantEnter(source);
    repeats |= IsNextIteration(source);
  }
  return enters && repeats;
}

std::vector<NodeId> DependencyOrder(const Graph& graph, const std::vector<bool>& needed,
                                    const FeedSet& fed) {
  std::vector<NodeId> nodes;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) nodes.push_back(static_cast<NodeId>(i));
  }
  if (InputsComeFirst(graph, nodes, fed)) return nodes;
  const Edges edges = ConsumersOf(graph, nodes, fed);
  std::vector<uint32_t> waiting(graph.id_limit());
  for (const NodeId consumer : edges.consumers) ++waiting[Index(consumer)];
  std::vector<NodeId> order, ready;
  order.reserve(nodes.size());
  for (const NodeId id : std::views::reverse(nodes)) {
    if (waiting[Index(id)] == 0) ready.push_back(id);
  }
  // What waits for a node alone follows it: calls that go together stand together.
  while (!ready.empty()) {
    const NodeId id = ready.back();
    ready.pop_back();
    order.push_back(id);
    const auto first = static_cast<std::ptrdiff_t>(ready.size());
    for (uint32_t i = edges.begin[Index(id)]; i < edges.begin[Index(id) + 1]; ++i) {
      if (--waiting[Index(edges.consumers[i])] == 0) ready.push_back(edges.consumers[i]);
    }
    std::reverse(ready.begin() + first, ready.end());
  }
  return order;
}

}  // namespace tagflow
