#include "transform/deadness/meetings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/limits.h"
#include "graph/switch_predicate.h"
#include "transform/deadness/conditions.h"
#include "transform/deadness/dependency_order.h"
#include "transform/deadness/structure.h"

namespace tagflow {
namespace {

class Finder {
 public:
  Finder(const Graph& graph, const CallSpec& call, const ValidatedCall& valid)
      : graph_(graph),
        valid_(valid),
        fed_(graph, call.feeds),
        needs_(graph.id_limit(), ConditionId::kAlways),
        switched_on_(graph.id_limit(), -1),
        may_meet_(graph.id_limit()) {}

  std::vector<bool> Run() && {
    // What is on an unusual cycle is not visited: nothing is known of it.
    for (size_t i = 0; i < valid_.needed.size(); ++i) {
      may_meet_[i] = valid_.needed[i] && IsMerge(graph_.node(static_cast<NodeId>(i)));
    }
    for (const NodeId id : DependencyOrder(graph_, valid_.needed, fed_)) Visit(graph_.node(id));
    return std::move(may_meet_);
  }

 private:
  void Visit(const Node& node) {
    if (fed_.IsFedPlaceholder(node) || node.op == "ControlTrigger") return;
    const ConditionId needs = IsMerge(node) ? NeedsOfMerge(node) : NeedsOfAll(node);
    const bool is_long =
        needs != ConditionId::kNever && conditions_.num_literals(needs) > kMostConditions;
    needs_[Index(node.id)] = is_long ? ConditionId::kAlways : needs;
    if (IsSwitch(node) || IsSwitchN(node)) switched_on_[Index(node.id)] = PredicateOf(node);
  }

  // Under the tag that a token from the node comes with.
  ConditionId OfNode(NodeId id) const {
    const FrameTree& frames = valid_.frames;
    const bool stays = frames.output_frame_of[Index(id)] == frames.frame_of[Index(id)] &&
                       !IsNextIteration(graph_.node(id));
    return stays ? needs_[Index(id)] : ConditionId::kAlways;
  }
  ConditionId OfInput(OutputRef input) {
    if (fed_.Contains(input)) return ConditionId::kAlways;
    const ConditionId needs = OfNode(input.node);
    const int32_t predicate = switched_on_[Index(input.node)];
    if (predicate < 0 || needs == ConditionId::kNever) return needs;
    return conditions_.With(needs, {predicate, input.index});
  }

  ConditionId NeedsOfAll(const Node& node) {
    ConditionId all = ConditionId::kAlways;
    for (const OutputRef& input : node.inputs) all = conditions_.Both(all, OfInput(input));
    for (const NodeId control : node.control_inputs) {
      all = conditions_.Both(all, OfNode(control));
    }
    return all;
  }

  ConditionId NeedsOfMerge(const Node& merge) {
    std::vector<ConditionId> first, later;  // of what is present in those iterations ([merge.1])
    for (const OutputRef& input : merge.inputs) {
      const Node& source = graph_.node(input.node);
      const bool is_fed = fed_.Contains(input);
      const ConditionId needs = OfInput(input);
      if (needs == ConditionId::kNever) continue;
      if (is_fed || !IsNextIteration(source)) first.push_back(needs);
      if (is_fed || !IsEnter(source) || IsConstantEnter(source)) later.push_back(needs);
    }
    std::vector<ConditionId> all = first;
    all.insert(all.end(), later.begin(), later.end());
    may_meet_[Index(merge.id)] = !Excludes(std::move(first)) || !Excludes(std::move(later));
    return Common(all);
  }

  // Whether no two of them hold together, as far as splitting by one predicate after the other
  // tells.
  bool Excludes(std::vector<ConditionId> ways) {
    if (ways.size() < 2) return true;
    for (const ConditionLiteral& literal : conditions_.literals(ways[0])) {
      std::map<int32_t, std::vector<ConditionId>> by_value;
      for (const ConditionId way : ways) {
        const std::optional<ConditionLiteral> found = conditions_.Find(way, literal.predicate);
        if (!found) break;
        by_value[found->value].push_back(conditions_.Without(way, literal.predicate));
      }
      size_t covered = 0;
      for (const auto& [value, group] : by_value) covered += group.size();
      if (covered < ways.size() || by_value.size() < 2) continue;
      return std::ranges::all_of(by_value, [&](auto& group) { return Excludes(group.second); });
    }
    return false;
  }

  ConditionId Common(const std::vector<ConditionId>& ways) {
    if (ways.empty()) return ConditionId::kNever;
    std::vector<ConditionLiteral> common = conditions_.literals(ways[0]);
    for (const ConditionId way : ways) {
      std::vector<ConditionLiteral> both;
      std::ranges::set_intersection(common, conditions_.literals(way), std::back_inserter(both));
      common = std::move(both);
    }
    ConditionId condition = ConditionId::kAlways;
    for (const ConditionLiteral& literal : common) {
      condition = conditions_.With(condition, literal);
    }
    return condition;
  }

  // Switches that ask one tensor ask one predicate, but for a variable, which may change between.
  int32_t PredicateOf(const Node& node) {
    const OutputRef tensor = AskedTensor(graph_, fed_, node.inputs[1]);
    const int32_t ways = NumWays(node);
    if (MayChangeBetween(graph_, fed_, tensor)) return conditions_.AddPredicate(ways);
    const auto [place, is_new] = predicates_.try_emplace({tensor, ways}, -1);
    if (is_new) place->second = conditions_.AddPredicate(ways);
    return place->second;
  }

  const Graph& graph_;
  const ValidatedCall& valid_;
  const FeedSet fed_;
  Conditions conditions_;
  std::vector<ConditionId> needs_;    // by node id
  std::vector<int32_t> switched_on_;  // by node id: a Switch's predicate, else -1
  std::map<std::pair<OutputRef, int32_t>, int32_t> predicates_;
  std::vector<bool> may_meet_;  // by node id
};

}  // namespace

std::vector<bool> MergesWhereTwoMayMeet(const Graph& graph, const CallSpec& call,
                                        const ValidatedCall& valid) {
  return Finder(graph, call, valid).Run();
}

}  // namespace tagflow
