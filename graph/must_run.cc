#include "graph/must_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/limits.h"
#include "graph/switch_predicate.h"

namespace tagflow {
namespace {

struct Literal {
  OutputRef predicate;
  int64_t value = 0;
  int64_t ways = 2;
  friend auto operator<=>(const Literal&, const Literal&) = default;
};
using Literals = std::vector<Literal>;      // sorted; all hold
using Condition = std::optional<Literals>;  // nothing: not known

Condition Both(const Condition& a, const Condition& b) {
  if (!a || !b) return std::nullopt;
  Literals both;
  std::ranges::set_union(*a, *b, std::back_inserter(both));
  if (both.size() > kMostConditions) return std::nullopt;
  return both;
}

// Of ways that differ in one predicate alone, and are all of its values, what they have in common.
bool JoinBy(const Literals& one, std::vector<Literals>& ways) {
  for (const Literal& literal : one) {
    Literals rest = one;
    std::erase(rest, literal);
    std::vector<Literals> wanted;
    for (int64_t value = 0; value < literal.ways; ++value) {
      Literals way = rest;
      way.push_back({literal.predicate, value, literal.ways});
      std::ranges::sort(way);
      wanted.push_back(std::move(way));
    }
    const bool all_there = std::ranges::all_of(
        wanted, [&](const Literals& way) { return std::ranges::find(ways, way) != ways.end(); });
    if (!all_there) continue;
    std::erase_if(
        ways, [&](const Literals& way) { return std::ranges::find(wanted, way) != wanted.end(); });
    ways.push_back(std::move(rest));
    return true;
  }
  return false;
}

bool JoinOnce(std::vector<Literals>& ways) {
  return std::ranges::any_of(std::vector<Literals>(ways),
                             [&](const Literals& one) { return JoinBy(one, ways); });
}

class Finder {
 public:
  Finder(const Graph& graph, const CallSpec& call, const ValidatedCall& valid)
      : graph_(graph), valid_(valid), fed_(graph, call.feeds), condition_(graph.id_limit()) {}

  std::vector<bool> Run() && {
    for (const NodeId id : Order()) condition_[Index(id)] = ConditionOf(graph_.node(id));
    std::vector<bool> must_run(graph_.id_limit());
    for (size_t i = 0; i < must_run.size(); ++i) {
      must_run[i] = valid_.needed[i] && condition_[i] && condition_[i]->empty() &&
                    valid_.frames.frame_of[i] != FrameTree::kUnreached;
    }
    return must_run;
  }

 private:
  // Calls visit(producer) for every edge that the node waits for in iteration 0.
  template <typename Visit>
  void ForEachProducer(const Node& node, const Visit& visit) const {
    if (fed_.IsFedPlaceholder(node)) return;
    for (const OutputRef& input : node.inputs) {
      if (!fed_.Contains(input) && !IsNextIteration(graph_.node(input.node))) visit(input.node);
    }
    for (const NodeId control : node.control_inputs) {
      if (!IsNextIteration(graph_.node(control))) visit(control);
    }
  }

  // Producers first. Every cycle goes through a NextIteration ([graph.2]).
  std::vector<NodeId> Order() const {
    std::vector<std::vector<NodeId>> consumers(graph_.id_limit());
    std::vector<size_t> waits(graph_.id_limit());
    std::vector<NodeId> order;
    for (const NodeId id : graph_.NodeIds()) {
      if (!valid_.needed[Index(id)]) continue;
      ForEachProducer(graph_.node(id), [&](NodeId producer) {
        consumers[Index(producer)].push_back(id);
        ++waits[Index(id)];
      });
      if (waits[Index(id)] == 0) order.push_back(id);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      for (const NodeId consumer : consumers[Index(order[i])]) {
        if (--waits[Index(consumer)] == 0) order.push_back(consumer);
      }
    }
    return order;
  }

  Condition ConditionOf(const Node& node) const {
    if (fed_.IsFedPlaceholder(node) || node.op == "ControlTrigger") return Literals();
    if (node.op == "_Recv" || node.op == "_HostRecv") return std::nullopt;
    if (IsMerge(node)) return OfMerge(node);
    if (IsExit(node)) return OfExit(node);
    Condition all = Literals();
    for (const OutputRef& input : node.inputs) all = Both(all, OfInput(input));
    for (const NodeId control : node.control_inputs) all = Both(all, OfNode(control));
    return all;
  }

  Condition OfNode(NodeId id) const {
    return IsNextIteration(graph_.node(id)) ? std::nullopt : condition_[Index(id)];
  }

  Condition OfInput(OutputRef input) const {
    if (fed_.Contains(input)) return Literals();
    const Node& source = graph_.node(input.node);
    if (!IsSwitch(source) && source.op != "_SwitchN") return OfNode(input.node);
    return Both(OfNode(input.node), Literals{LiteralOf(source, input.index)});
  }

  Literal LiteralOf(const Node& chooser, int32_t output) const {
    const OutputRef asked = AskedTensor(graph_, fed_, chooser.inputs[1]);
    // What a variable said to this node is a predicate of its own, which no tensor names.
    const OutputRef predicate =
        MayChangeBetween(graph_, fed_, asked) ? OutputRef{chooser.id, -1} : asked;
    return {predicate, output, NumWays(chooser)};
  }

  Condition OfMerge(const Node& merge) const {
    std::vector<Literals> ways;
    for (const OutputRef& input : merge.inputs) {
      if (!fed_.Contains(input) && IsNextIteration(graph_.node(input.node))) continue;
      const Condition way = OfInput(input);
      if (way && way->empty()) return way;
      if (!way || ways.size() > kMostConditions) return std::nullopt;
      ways.push_back(*way);
    }
    while (ways.size() > 1 && JoinOnce(ways)) continue;
    return ways.size() == 1 ? Condition(ways[0]) : std::nullopt;
  }

  // Of a loop that ends.
  Condition OfExit(const Node& exit) const {
    const OutputRef input = exit.inputs[0];
    if (fed_.Contains(input)) return std::nullopt;
    const Node& loop_switch = graph_.node(input.node);
    if (!IsSwitch(loop_switch) || fed_.Contains(loop_switch.inputs[1])) return OfInput(input);
    const bool ends_loop = input.index == 0 && IsLoopCond(graph_.node(loop_switch.inputs[1].node));
    return ends_loop ? OfNode(input.node) : std::nullopt;
  }

  const Graph& graph_;
  const ValidatedCall& valid_;
  const FeedSet fed_;
  std::vector<Condition> condition_;  // by node id
};

}  // namespace

std::vector<bool> NodesThatMustRun(const Graph& graph, const CallSpec& call,
                                   const ValidatedCall& valid) {
  return Finder(graph, call, valid).Run();
}

}  // namespace tagflow
