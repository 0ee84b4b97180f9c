#include "transform/simplify/fold_switches.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "graph/control_ops.h"
#include "graph/validate.h"
#include "transform/deadness/dependency_order.h"
#include "transform/deadness/structure.h"
#include "transform/simplify/anchors.h"
#include "transform/simplify/call_view.h"
#include "transform/simplify/droppable.h"
#include "transform/simplify/rewiring.h"

namespace tagflow {
namespace {

constexpr int kUnknown = -1;

bool DeadTokensActOn(const Node& node) {
  return node.op == "ControlTrigger" || (IsMerge(node) && !node.control_inputs.empty());
}

// Which outputs of the needed nodes something takes: a bit for each of the first two.
std::vector<uint8_t> TakenOutputs(const CallView& view, const CallSpec& call) {
  std::vector<uint8_t> taken(view.graph().id_limit());
  const auto take = [&](OutputRef output) {
    taken[Index(output.node)] |= static_cast<uint8_t>(output.index == 0 ? 1 : 2);
  };
  for (const NodeId id : view.needed()) {
    for (const OutputRef& input : view.graph().node(id).inputs) take(input);
  }
  for (const OutputRef& fetch : call.fetches) take(fetch);
  return taken;
}

// Leaves the inputs of every Merge out that never come.
class MergeTrimmer {
 public:
  MergeTrimmer(Graph& graph, const CallSpec& call, const CallView& view, const ValidatedCall& valid,
               Structure& structure)
      : graph_(graph),
        call_(call),
        view_(view),
        frames_(valid.frames),
        structure_(structure),
        taken_(TakenOutputs(view, call)) {
    FindConstantPredicates();
  }

  int64_t Run() {
    if (std::ranges::all_of(value_, [](int value) { return value == kUnknown; })) return 0;
    for (const NodeId id : view_.needed()) Trim(graph_.mutable_node(id));
    return TakeBack();
  }

 private:
  void FindConstantPredicates() {
    for (const Predicate& predicate : structure_.predicates) {
      const Tensor* value = predicate.is_index ? nullptr : view_.ConstantOf(predicate.tensor);
      const bool is_flag =
          value != nullptr && value->dtype() == DType::kBool && value->dims().empty();
      value_.push_back(is_flag ? static_cast<int>(value->scalar<bool>()) : kUnknown);
    }
    for (const FrameStructure& frame : structure_.frames) {
      if (frame.repeats) value_[static_cast<size_t>(frame.repeats->predicate)] = kUnknown;
    }
  }

  bool Never(ConditionId condition) const {
    if (condition == ConditionId::kNever) return true;
    return std::ranges::any_of(structure_.conditions.literals(condition),
                               [&](const ConditionLiteral& one) {
                                 const int value = value_[static_cast<size_t>(one.predicate)];
                                 return value != kUnknown && value != one.value;
                               });
  }
  bool Never(OutputRef output) {
    return !view_.IsFed(output) && Never(structure_.OfOutput(graph_, frames_, output));
  }

  void Trim(Node& merge) {
    if (!view_.Has(merge.id, kMerge) || view_.Has(merge.id, kFed)) return;
    if ((taken_[Index(merge.id)] & 2) != 0 || IsLoopVariable(graph_, merge, view_.fed())) return;
    std::vector<OutputRef> left;
    for (const OutputRef& input : merge.inputs) {
      if (!Never(input)) left.push_back(input);
    }
    if (left.empty() || left.size() == merge.inputs.size()) return;
    trimmed_.emplace_back(merge.id, std::exchange(merge.inputs, std::move(left)));
  }

  // Gives Merges back what brings something with it that runs, and that would be missed. Returns
  // how many Merges are left changed.
  int64_t TakeBack() {
    const std::vector<bool> needed = NeededNodes(graph_, call_);
    for (auto& [id, inputs] : trimmed_) graph_.mutable_node(id).inputs.swap(inputs);
    std::vector<NodeId> missed;
    for (const NodeId id : view_.needed()) {
      const bool is_missed =
          !needed[Index(id)] && !IsDead(id) && !MayBeDropped(view_, graph_.node(id));
      if (is_missed) missed.push_back(id);
    }
    const std::vector<bool> brings = After(missed);
    int64_t count = 0;
    for (const auto& [id, trimmed] : trimmed_) {
      std::vector<OutputRef>& inputs = graph_.mutable_node(id).inputs;
      const size_t before = inputs.size();
      std::erase_if(inputs,
                    [&](OutputRef input) { return Never(input) && !brings[Index(input.node)]; });
      count += inputs.size() < before;
      graph_.SetAttr(id, "N", static_cast<int64_t>(inputs.size()));
    }
    return count;
  }

  // By node id: those among the nodes, and all that come after one of them.
  std::vector<bool> After(std::vector<NodeId> nodes) const {
    std::vector<bool> after(graph_.id_limit());
    if (nodes.empty()) return after;
    std::vector<std::vector<NodeId>> consumers(graph_.id_limit());
    for (const NodeId id : view_.needed()) {
      const Node& node = graph_.node(id);
      if (view_.fed().IsFedPlaceholder(node)) continue;
      for (const OutputRef& input : node.inputs) {
        if (!view_.IsFed(input)) consumers[Index(input.node)].push_back(id);
      }
      for (const NodeId control : node.control_inputs) consumers[Index(control)].push_back(id);
    }
    while (!nodes.empty()) {
      const NodeId id = nodes.back();
      nodes.pop_back();
      if (after[Index(id)]) continue;
      after[Index(id)] = true;
      nodes.insert(nodes.end(), consumers[Index(id)].begin(), consumers[Index(id)].end());
    }
    return after;
  }

  // Whether it never runs: under its condition in its frame, or because the frame is not entered.
  bool IsDead(NodeId id) const {
    if (Never(structure_.condition[Index(id)])) return true;
    for (int frame = frames_.frame_of[Index(id)]; frame != FrameTree::kRoot;) {
      const std::optional<ConditionId>& entered =
          structure_.frames[static_cast<size_t>(frame)].entered;
      if (entered && Never(*entered)) return true;
      frame = frames_.frames[static_cast<size_t>(frame)].parent;
    }
    return false;
  }

  Graph& graph_;
  const CallSpec& call_;
  const CallView& view_;
  const FrameTree& frames_;
  Structure& structure_;
  const std::vector<uint8_t> taken_;
  std::vector<int> value_;  // by predicate: of a constant one
  // Merges that were changed, and their other inputs: those before, while they have the new ones.
  std::vector<std::pair<NodeId, std::vector<OutputRef>>> trimmed_;
};

// By node id: whether the node is a Switch that ends a loop.
std::vector<bool> LoopSwitches(const Structure& structure) {
  std::vector<bool> ends_loop(structure.switched_on.size());
  std::vector<bool> repeats(structure.predicates.size());
  for (const FrameStructure& frame : structure.frames) {
    if (frame.repeats) repeats[static_cast<size_t>(frame.repeats->predicate)] = true;
  }
  for (size_t i = 0; i < ends_loop.size(); ++i) {
    const int32_t predicate = structure.switched_on[i];
    ends_loop[i] = predicate >= 0 && repeats[static_cast<size_t>(predicate)];
  }
  return ends_loop;
}

// Makes an Identity of every Switch on a constant of which one output is left.
int64_t ReplaceSwitches(Graph& graph, const CallSpec& call, const std::vector<bool>& ends_loop) {
  CallView view(graph, call);
  const std::vector<uint8_t> taken = TakenOutputs(view, call);
  Rewiring rewiring;
  int64_t replaced = 0;
  for (const NodeId id : view.needed()) {
    if (!view.Has(id, kSwitch) || view.Has(id, kFed | kFetched) || ends_loop[Index(id)]) continue;
    Node& node = graph.mutable_node(id);
    const Tensor* pred = view.ConstantOf(node.inputs[1]);
    if (pred == nullptr || !pred->dims().empty() || view.IsReference(node.inputs[0])) continue;
    const bool value = pred->scalar<bool>();
    if ((taken[Index(id)] & (value ? 1 : 2)) != 0) continue;
    AddAnchors(view, node.inputs[1], node.control_inputs);
    RemoveRepeated(node.control_inputs);
    node.inputs.pop_back();
    BecomeOp(graph, id, "Identity");
    if (value) rewiring.Replace({id, 1}, {id, 0});
    ++replaced;
  }
  rewiring.Apply(graph, view.needed());
  return replaced;
}

}  // namespace

int64_t FoldSwitches(Graph& graph, const CallSpec& call) {
  const Result<ValidatedCall> valid = ValidateCall(graph, call);
  if (!valid.ok()) return 0;
  const CallView view(graph, call, valid->needed);
  const bool any = std::ranges::any_of(view.needed(), [&](NodeId id) {
    return view.Has(id, kSwitch) && view.ConstantOf(graph.node(id).inputs[1]) != nullptr;
  });
  if (!any) return 0;
  for (const NodeId id : view.needed()) {
    if (DeadTokensActOn(graph.node(id))) return 0;
  }
  Structure structure = RecoverStructure(graph, call, *valid);
  if (!structure.irregular.empty()) return 0;
  const int64_t trimmed = MergeTrimmer(graph, call, view, *valid, structure).Run();
  return trimmed + ReplaceSwitches(graph, call, LoopSwitches(structure));
}

}  // namespace tagflow
