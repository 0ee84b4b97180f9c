#include "graph/cycles.h"

#include <algorithm>
#include <string>

#include "graph/control_ops.h"
#include "graph/feed_set.h"

namespace tagflow {
namespace {

// Nodes are taken away as long as one has no input left (a NextIteration's token is of the next
// iteration, so it is not waited for). What stays either lies on a cycle or waits for one; walking
// backwards from any of it meets a node again.
class CycleSearch {
 public:
  CycleSearch(const Graph& graph, const std::vector<bool>& included, const CallSpec& call)
      : graph_(graph),
        included_(included),
        fed_(graph, call.feeds),
        is_next_(graph.id_limit()),
        pending_(graph.id_limit()) {
    for (size_t i = 0; i < included.size(); ++i) {
      if (included[i]) is_next_[i] = IsNextIteration(graph.node(static_cast<NodeId>(i)));
    }
  }

  std::vector<NodeId> Run() {
    if (InputsComeFirst()) return {};
    TakeAway();
    for (NodeId id : graph_.NodeIds()) {
      if (pending_[Index(id)] > 0) return WalkBack(id);
    }
    return {};
  }

 private:
  template <typename Edge>
  void ForEachInput(const Node& node, Edge edge) const {
    if (fed_.IsFedPlaceholder(node)) return;
    auto follow = [&](NodeId from) {
      const bool included = Index(from) < included_.size() && included_[Index(from)];
      if (included && !is_next_[Index(from)]) edge(from);
    };
    for (const OutputRef& input : node.inputs) {
      if (!fed_.Contains(input)) follow(input.node);
    }
    for (NodeId control : node.control_inputs) follow(control);
  }

  // As in every graph that was built from the front to the back: no further look is needed.
  bool InputsComeFirst() const {
    bool come_first = true;
    for (size_t i = 0; i < included_.size() && come_first; ++i) {
      if (!included_[i]) continue;
      const auto id = static_cast<NodeId>(i);
      ForEachInput(graph_.node(id), [&](NodeId from) { come_first &= from < id; });
    }
    return come_first;
  }

  void TakeAway() {
    std::vector<size_t> first(graph_.id_limit() + 1, 0);
    std::vector<NodeId> ready;
    for (NodeId id : graph_.NodeIds()) {
      if (!included_[Index(id)]) continue;
      ForEachInput(graph_.node(id), [&](NodeId from) {
        ++first[Index(from) + 1];
        ++pending_[Index(id)];
      });
      if (pending_[Index(id)] == 0) ready.push_back(id);
    }
    for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<NodeId> consumers(first.back());
    std::vector<size_t> next(first.begin(), first.end() - 1);
    for (NodeId id : graph_.NodeIds()) {
      if (!included_[Index(id)]) continue;
      ForEachInput(graph_.node(id), [&](NodeId from) { consumers[next[Index(from)]++] = id; });
    }
    while (!ready.empty()) {
      const size_t done = Index(ready.back());
      ready.pop_back();
      for (size_t i = first[done]; i < first[done + 1]; ++i) {
        if (--pending_[Index(consumers[i])] == 0) ready.push_back(consumers[i]);
      }
    }
  }

  std::vector<NodeId> WalkBack(NodeId start) const {
    std::vector<size_t> step_of(graph_.id_limit(), 0);  // 1 + place in the walk
    std::vector<NodeId> walk;
    NodeId at = start;
    while (step_of[Index(at)] == 0) {
      walk.push_back(at);
      step_of[Index(at)] = walk.size();
      NodeId previous = NodeId::kNone;
      ForEachInput(graph_.node(at), [&](NodeId from) {
        if (previous == NodeId::kNone && pending_[Index(from)] > 0) previous = from;
      });
      at = previous;
    }
    walk.erase(walk.begin(), walk.begin() + static_cast<ptrdiff_t>(step_of[Index(at)] - 1));
    std::reverse(walk.begin(), walk.end());
    std::rotate(walk.begin(), std::min_element(walk.begin(), walk.end()), walk.end());
    return walk;
  }

  const Graph& graph_;
  const std::vector<bool>& included_;
  const FeedSet fed_;
  std::vector<bool> is_next_;     // by node id: a NextIteration
  std::vector<int32_t> pending_;  // inputs not taken away yet
};

}  // namespace

Status IllegalCycle(const Graph& graph, const std::vector<NodeId>& cycle) {
  constexpr size_t kShown = 20;
  std::string nodes;
  for (size_t i = 0; i < cycle.size() && i < kShown; ++i) {
    nodes += "'" + graph.node(cycle[i]).name + "' -> ";
  }
  if (cycle.size() > kShown) {
    nodes += "(" + std::to_string(cycle.size() - kShown) + " more) -> ";
  }
  const std::string& first = graph.node(cycle.front()).name;
  return InvalidArgument(
             "a cycle without NextIteration, whose nodes wait for each other for ever: " + nodes +
             "'" + first + "': a loop needs a NextIteration on its way back to its Merge")
      .WithNode(first)
      .WithRule("graph.2");
}

std::vector<NodeId> FindIllegalCycle(const Graph& graph, const std::vector<bool>& included,
                                     const CallSpec& call) {
  return CycleSearch(graph, included, call).Run();
}

}  // namespace tagflow
