#include "transform/simplify/remove_dead_variables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/control_ops.h"
#include "graph/validate.h"
#include "transform/deadness/structure.h"
#include "transform/simplify/call_view.h"
#include "transform/simplify/droppable.h"
#include "transform/simplify/rewiring.h"

namespace tagflow {
namespace {

// A node of a loop variable that control edges may leave for the same node of another variable.
struct Pivot {
  size_t frame = 0;
  int32_t output = -1;           // of the Switch that it is an Identity of; -1: a Merge
  NodeId merge = NodeId::kNone;  // of its variable
};

class Freer {
 public:
  Freer(Graph& graph, const CallSpec& call, const ValidatedCall& valid, const Structure& structure)
      : graph_(graph),
        call_(call),
        structure_(structure),
        frame_of_(valid.frames.frame_of),
        view_(graph, call, valid.needed),
        pivots_(graph.id_limit()),
        ordered_(graph.id_limit()),
        useful_(graph.id_limit()) {}

  int64_t Run() {
    wanted_.assign(structure_.frames.size(), false);
    FindPivots();
    FindOrdered();
    MarkRoots();
    do {
      Follow();
    } while (KeepSomeVariables());
    return MoveEdges();
  }

 private:
  void FindPivots() {
    for (size_t frame = 1; frame < structure_.frames.size(); ++frame) {
      for (const LoopVariable& variable : structure_.frames[frame].variables) {
        pivots_[Index(variable.merge)] = Pivot{frame, -1, variable.merge};
      }
    }
    for (const NodeId id : view_.needed()) {
      if (!view_.Has(id, kSwitch) || !FrameOfLoopSwitch(id)) continue;
      switch_of_.try_emplace(graph_.node(id).inputs[0].node, id);
    }
    for (const NodeId id : view_.needed()) {
      const Node& node = graph_.node(id);
      if (!view_.Has(id, kForwards) || !node.control_inputs.empty()) continue;
      const OutputRef input = node.inputs[0];
      if (!view_.Has(input.node, kSwitch) || view_.IsFed(input)) continue;
      const std::optional<size_t> frame = FrameOfLoopSwitch(input.node);
      if (!frame) continue;
      pivots_[Index(id)] = Pivot{*frame, input.index, graph_.node(input.node).inputs[0].node};
    }
  }

  // The frame of whose variables one is handed on by this Switch, as the loop's predicate says.
  std::optional<size_t> FrameOfLoopSwitch(NodeId id) const {
    const Node& node = graph_.node(id);
    const auto frame = static_cast<size_t>(frame_of_[Index(id)]);
    const std::optional<ConditionLiteral>& repeats = structure_.frames[frame].repeats;
    const std::optional<Pivot>& data = pivots_[Index(node.inputs[0].node)];
    const bool is_one = repeats && structure_.switched_on[Index(id)] == repeats->predicate &&
                        node.control_inputs.empty() && node.inputs[0].index == 0 && data &&
                        data->output < 0 && !view_.IsFed(node.inputs[0]);
    return is_one ? std::optional<size_t>(frame) : std::nullopt;
  }

  // Goes round once more for each variable that hands the order on to another.
  void FindOrdered() {
    for (bool grows = true; grows;) {
      grows = false;
      for (const NodeId id : structure_.order) {
        if (ordered_[Index(id)] || !IsOrdered(graph_.node(id))) continue;
        ordered_[Index(id)] = grows = true;
      }
    }
  }

  bool IsOrdered(const Node& node) const {
    if (view_.fed().IsFedPlaceholder(node)) return false;
    if (TouchesState(view_, node)) return true;
    std::span<const OutputRef> inputs = node.inputs;
    // All variables of a loop come after its predicate.
    if (view_.Has(node.id, kSwitch) && FrameOfLoopSwitch(node.id)) inputs = inputs.first(1);
    const auto is_ordered = [&](NodeId id) { return ordered_[Index(id)]; };
    return std::ranges::any_of(node.control_inputs, is_ordered) ||
           std::ranges::any_of(inputs, [&](OutputRef input) {
             return !view_.IsFed(input) && is_ordered(input.node);
           });
  }

  void MarkRoots() {
    for (const OutputRef& fetch : call_.fetches) Need(fetch);
    for (const NodeId target : call_.targets) Need(target);
    NeedLateVariables();
  }

  // A variable that begins with what its own loop gives out is there later than the others, or
  // never, where too few iterations may be in flight: none stands in for another there.
  void NeedLateVariables() {
    place_.assign(graph_.id_limit(), 0);
    for (size_t i = 0; i < structure_.order.size(); ++i) place_[Index(structure_.order[i])] = i;
    for (const FrameStructure& frame : structure_.frames) {
      const auto is_late = [&](const LoopVariable& variable) {
        return ComesAfterOneOf(frame.exits, variable.enter);
      };
      if (std::ranges::none_of(frame.variables, is_late)) continue;
      for (const LoopVariable& variable : frame.variables) Need(variable.merge);
    }
  }

  // By the order, all that comes after one of them is behind the first of them.
  bool ComesAfterOneOf(const std::vector<NodeId>& exits, NodeId id) const {
    size_t first = structure_.order.size();
    for (const NodeId exit : exits) first = std::min(first, place_[Index(exit)]);
    std::vector<NodeId> before = {id};
    std::unordered_set<NodeId> seen = {id};
    const auto look_at = [&](NodeId input) {
      if (place_[Index(input)] >= first && seen.insert(input).second) before.push_back(input);
    };
    while (!before.empty()) {
      const Node& node = graph_.node(before.back());
      before.pop_back();
      if (std::ranges::find(exits, node.id) != exits.end()) return true;
      for (const NodeId control : node.control_inputs) look_at(control);
      if (view_.fed().IsFedPlaceholder(node)) continue;
      for (const OutputRef& input : node.inputs) {
        if (!view_.IsFed(input)) look_at(input.node);
      }
    }
    return false;
  }

  void Need(OutputRef output) {
    if (!view_.IsFed(output)) Need(output.node);
  }
  void Need(NodeId id) {
    if (useful_[Index(id)]) return;
    useful_[Index(id)] = true;
    stack_.push_back(id);
  }

  void Follow() {
    while (!stack_.empty()) {
      const Node& node = graph_.node(stack_.back());
      stack_.pop_back();
      if (view_.fed().IsFedPlaceholder(node)) continue;
      for (const OutputRef& input : node.inputs) Need(input);
      for (const NodeId control : node.control_inputs) {
        const auto& pivot = pivots_[Index(control)];
        if (pivot && !ordered_[Index(control)]) {
          wanted_[pivot->frame] = true;
        } else {
          Need(control);
        }
      }
    }
  }

  // The Merge of a variable that is of use, and can stand in for any other of the loop: it waits
  // for nothing of its iteration, so that nothing that is to wait for it comes before it.
  NodeId UsefulVariable(size_t frame) const {
    for (const LoopVariable& variable : structure_.frames[frame].variables) {
      const NodeId merge = variable.merge;
      const bool waits = !graph_.node(merge).control_inputs.empty();
      if (useful_[Index(merge)] && switch_of_.contains(merge) && !waits) return merge;
    }
    return NodeId::kNone;
  }

  // A loop that is there for its pivots alone keeps its variables. Returns whether that marks more.
  bool KeepSomeVariables() {
    for (size_t frame = 1; frame < wanted_.size(); ++frame) {
      if (!wanted_[frame] || UsefulVariable(frame) != NodeId::kNone) continue;
      for (const LoopVariable& variable : structure_.frames[frame].variables) Need(variable.merge);
      wanted_[frame] = false;
    }
    return !stack_.empty();
  }

  // The node that stands in for a pivot; kNone where it stays as it is.
  NodeId StandIn(NodeId id) {
    const std::optional<Pivot>& pivot = pivots_[Index(id)];
    if (!pivot || useful_[Index(pivot->merge)]) return NodeId::kNone;
    const NodeId merge = UsefulVariable(pivot->frame);
    if (merge == NodeId::kNone || pivot->output < 0) return merge;
    const auto [place, is_new] = made_.try_emplace({pivot->frame, pivot->output}, NodeId::kNone);
    if (is_new) place->second = MakePivot(merge, pivot->output);
    return place->second;
  }

  NodeId MakePivot(NodeId merge, int32_t output) {
    const std::string name = graph_.UniqueName(graph_.node(merge).name + "/pivot");
    const NodeId made = *graph_.AddNode(name, "Identity");
    graph_.mutable_node(made).inputs = {{switch_of_.find(merge)->second, output}};
    graph_.mutable_node(made).device = graph_.node(merge).device;
    graph_.SetAttr(made, "T", *TypeAttr(graph_.node(merge), "T"));
    return made;
  }

  int64_t MoveEdges() {
    Rewiring rewiring;
    std::vector<std::pair<NodeId, std::vector<NodeId>>> before;
    for (const NodeId id : view_.needed()) {
      for (const NodeId control : graph_.node(id).control_inputs) {
        const NodeId to = StandIn(control);
        if (to == NodeId::kNone) continue;
        rewiring.ReplaceControl(control, to);
        if (before.empty() || before.back().first != id) {
          before.emplace_back(id, graph_.node(id).control_inputs);
        }
      }
    }
    const int64_t moved = rewiring.Apply(graph_, view_.needed());
    if (moved == 0 || NothingIsLost()) return moved;
    for (auto& [id, controls] : before) graph_.mutable_node(id).control_inputs = controls;
    return 0;
  }

  // Whether nothing that acts, or may fail, is no longer needed.
  bool NothingIsLost() const {
    const std::vector<bool> needed = NeededNodes(graph_, call_);
    return std::ranges::all_of(view_.needed(), [&](NodeId id) {
      return needed[Index(id)] || MayBeDropped(view_, graph_.node(id));
    });
  }

  Graph& graph_;
  const CallSpec& call_;
  const Structure& structure_;
  const std::vector<int>& frame_of_;
  CallView view_;
  std::vector<std::optional<Pivot>> pivots_;           // by node id
  std::unordered_map<NodeId, NodeId> switch_of_;       // by the Merge of a loop variable
  std::map<std::pair<size_t, int32_t>, NodeId> made_;  // by frame and output: a new pivot
  std::vector<bool> ordered_;                          // by node id: comes after a use of state
  std::vector<bool> useful_;                           // by node id
  std::vector<bool> wanted_;                           // by frame: something waits for a pivot
  std::vector<size_t> place_;                          // by node id: in the dependency order
  std::vector<NodeId> stack_;
};

}  // namespace

int64_t RemoveDeadVariables(Graph& graph, const CallSpec& call) {
  const Result<ValidatedCall> valid = ValidateCall(graph, call);
  if (!valid.ok() || valid->frames.frames.size() == 1) return 0;
  const Structure structure = RecoverStructure(graph, call, *valid);
  if (!structure.irregular.empty()) return 0;
  return Freer(graph, call, *valid, structure).Run();
}

}  // namespace tagflow
