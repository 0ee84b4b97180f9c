#include "transform/deadness/structure.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "graph/switch_predicate.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow {
namespace {

bool IsTrigger(const Node& node) { return node.op == "ControlTrigger"; }

bool ExchangesTokens(const Node& node) {
  static constexpr std::string_view kOps[] = {"_Send", "_HostSend", "_Recv", "_HostRecv"};
  return std::ranges::find(kOps, node.op) != std::end(kOps);
}

// By what may be 0.
bool DividesIntegers(const Node& node) {
  static constexpr std::string_view kOps[] = {"Div", "FloorDiv", "TruncateDiv",
                                              "Mod", "FloorMod", "TruncateMod"};
  const Result<DType> type = TypeAttr(node, "T");
  return std::ranges::find(kOps, node.op) != std::end(kOps) && !(type.ok() && IsFloating(*type));
}

class Recovery {
 public:
  Recovery(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
           int32_t most_nested)
      : graph_(graph), valid_(valid), fed_(graph, call.feeds), most_nested_(most_nested) {}

  Structure Run() && {
    found_.condition.assign(graph_.id_limit(), ConditionId::kNever);
    found_.switched_on.assign(graph_.id_limit(), -1);
    control_.assign(graph_.id_limit(), ControlOp::kNone);
    found_.frames.resize(valid_.frames.frames.size());
    found_.order = DependencyOrder(graph_, valid_.needed, fed_);
    const auto needed = static_cast<size_t>(std::ranges::count(valid_.needed, true));
    if (found_.order.size() < needed) Fail("a cycle goes through no loop variable");
    MarkLoops();
    for (const NodeId id : found_.order) {
      if (!found_.irregular.empty()) break;
      Visit(graph_.node(id));
    }
    for (size_t frame = 1; frame < found_.frames.size() && found_.irregular.empty(); ++frame) {
      CheckLoop(frame);
    }
    if (found_.irregular.empty()) CheckLoneNodes();
    return std::move(found_);
  }

 private:
  void Fail(std::string why) {
    if (found_.irregular.empty()) found_.irregular = std::move(why);
  }
  void Fail(const Node& node, const std::string& why) { Fail("'" + node.name + "' " + why); }

  size_t FrameOf(const Node& node) const {
    return static_cast<size_t>(valid_.frames.frame_of[Index(node.id)]);
  }

  void MarkLoops() {
    loops_.assign(found_.frames.size(), false);
    next_of_.assign(found_.frames.size(), {});
    has_variables_.assign(found_.frames.size(), false);
    for (const NodeId id : found_.order) {
      const Node& node = graph_.node(id);
      const ControlOp control = control_[Index(id)] = ControlOpOf(node.op);
      if (valid_.frames.frame_of[Index(id)] == FrameTree::kUnreached) {
        Fail(node, "is on a cycle that nothing enters");
      } else if (control == ControlOp::kNextIteration) {
        loops_[FrameOf(node)] = true;
        next_of_[FrameOf(node)].push_back(id);
      } else if (control == ControlOp::kEnter && !IsConstantEnter(node)) {
        has_variables_[static_cast<size_t>(valid_.frames.OutputFrame(node))] = true;
      }
    }
  }

  void Visit(const Node& node) {
    ConditionId& condition = found_.condition[Index(node.id)];
    if (fed_.IsFedPlaceholder(node)) {
      condition = ConditionId::kAlways;
      return;
    }
    if (ExchangesTokens(node)) return Fail(node, "sends or receives");
    if (IsMerge(node)) {
      condition = ConditionOfMerge(node);
    } else {
      CheckSources(node);
      if (IsTrigger(node)) triggers_.push_back(node.id);
      condition = IsTrigger(node) ? ConditionId::kAlways : ConditionOfAll(node);
    }
    if (condition != ConditionId::kNever &&
        found_.conditions.num_literals(condition) > most_nested_) {
      return Fail(node, "is in more than " + std::to_string(most_nested_) + " nested branches");
    }
    if (IsSwitch(node) || IsSwitchN(node)) found_.switched_on[Index(node.id)] = PredicateOf(node);
    if (IsEnter(node)) NoteEnter(node, condition);
    if (IsExit(node)) NoteExit(node);
  }

  // What a constant gives may leave before anything else enters: then it is not known yet where the
  // frame is.
  void NoteExit(const Node& exit) {
    FrameStructure& frame = found_.frames[FrameOf(exit)];
    if (!frame.entered) return Fail(exit, "may leave a frame before anything but constants enters");
    frame.exits.push_back(exit.id);
  }

  // Tokens that come in one iteration of a loop and not in others.
  void CheckSources(const Node& node) {
    for (const OutputRef& input : node.inputs) {
      if (fed_.Contains(input)) continue;
      if (IsNext(input.node)) Fail(node, "takes a value of NextIteration");
      if (ComesOnce(input.node)) {
        Fail(node, "takes a value of an Enter that comes in one iteration");
      }
    }
    CheckControls(node);
  }
  void CheckControls(const Node& node) {
    for (const NodeId control : node.control_inputs) {
      if (IsNext(control)) Fail(node, "waits for a NextIteration");
      if (ComesOnce(control)) Fail(node, "waits for an Enter that comes in one iteration");
    }
  }
  bool IsNext(NodeId id) const { return control_[Index(id)] == ControlOp::kNextIteration; }
  bool ComesOnce(NodeId id) const {
    if (control_[Index(id)] != ControlOp::kEnter || IsConstantEnter(graph_.node(id))) return false;
    return loops_[static_cast<size_t>(valid_.frames.output_frame_of[Index(id)])];
  }

  ConditionId ConditionOfAll(const Node& node) {
    ConditionId all = ConditionId::kAlways;
    for (const OutputRef& input : node.inputs) {
      if (!fed_.Contains(input)) all = found_.conditions.Both(all, OutputCondition(input));
    }
    for (const NodeId control : node.control_inputs) {
      all = found_.conditions.Both(all, found_.OfControl(graph_, valid_.frames, control));
    }
    return all;
  }

  ConditionId OutputCondition(OutputRef output) {
    return found_.OfOutput(graph_, valid_.frames, output);
  }

  ConditionId ConditionOfMerge(const Node& merge) {
    CheckControls(merge);
    if (IsLoopVariable(graph_, merge, fed_)) {
      NoteVariable(merge);
      return ConditionId::kAlways;
    }
    CheckSources(merge);
    std::vector<ConditionId> ways;
    for (const OutputRef& input : merge.inputs) {
      ways.push_back(fed_.Contains(input) ? ConditionId::kAlways : OutputCondition(input));
    }
    const std::optional<ConditionId> one = found_.conditions.OneOf(std::move(ways));
    if (!one) Fail(merge, "joins what is not the ways of one predicate");
    return one.value_or(ConditionId::kNever);
  }

  void NoteVariable(const Node& merge) {
    LoopVariable variable{.merge = merge.id};
    for (const OutputRef& input : merge.inputs) {
      (IsEnter(graph_.node(input.node)) ? variable.enter : variable.next) = input.node;
    }
    found_.frames[FrameOf(merge)].variables.push_back(variable);
  }

  // The variables of a frame live and die together; a constant may be live where they are dead.
  void NoteEnter(const Node& enter, ConditionId condition) {
    const auto child = static_cast<size_t>(valid_.frames.OutputFrame(enter));
    if (IsConstantEnter(enter) && has_variables_[child]) return constants_.push_back(enter.id);
    std::optional<ConditionId>& entered = found_.frames[child].entered;
    if (!entered) entered = condition;
    if (*entered != condition) Fail(enter, "enters a frame under another condition than others");
  }

  // Where a constant enters and the variables do not, the frame is there without its loop, and so
  // it is where all that enters is dead: what hangs on such constants and on ControlTriggers alone
  // fires in it ([enter.2], [control.2]), which is nobody's business unless it acts, fails or
  // leaves.
  void CheckLoneNodes() {
    std::vector<bool> is_lone(graph_.id_limit());
    for (const NodeId id : triggers_) is_lone[Index(id)] = MayBeDead(FrameOf(graph_.node(id)));
    for (const NodeId id : constants_) {
      const Node& enter = graph_.node(id);
      const auto child = static_cast<size_t>(valid_.frames.OutputFrame(enter));
      const ConditionId entered = *found_.frames[child].entered;
      const ConditionId condition = found_.condition[Index(id)];
      if (condition == entered) continue;
      if (!found_.conditions.Implied(condition, entered)) {
        return Fail(enter, "may be dead in a loop that is live");
      }
      is_lone[Index(id)] = true;
    }
    if (std::ranges::find(is_lone, true) == is_lone.end()) return;
    for (const NodeId id : found_.order) {
      const Node& node = graph_.node(id);
      if (is_lone[Index(id)] || !HangsOnLoneConstants(node, is_lone)) continue;
      is_lone[Index(id)] = true;
      if (node.def->is_stateful || DividesIntegers(node)) {
        return Fail(node, "may act or fail where its loop does not run");
      }
      if (IsExit(node)) return Fail(node, "may leave a loop that does not run");
    }
  }
  bool MayBeDead(size_t frame) const {
    for (; frame != FrameTree::kRoot; frame = ParentOf(frame)) {
      if (found_.frames[frame].entered != ConditionId::kAlways) return true;
    }
    return false;
  }
  size_t ParentOf(size_t frame) const {
    return static_cast<size_t>(valid_.frames.frames[frame].parent);
  }
  bool HangsOnLoneConstants(const Node& node, const std::vector<bool>& is_lone) const {
    const auto is_lone_node = [&](NodeId id) { return is_lone[Index(id)]; };
    const auto is_lone_input = [&](const OutputRef& input) {
      return !fed_.Contains(input) && is_lone_node(input.node);
    };
    // One live input does, whatever its control inputs are ([merge.2]).
    if (IsMerge(node)) return std::ranges::any_of(node.inputs, is_lone_input);
    const bool by_data = std::ranges::all_of(node.inputs, is_lone_input);
    return by_data && std::ranges::all_of(node.control_inputs, is_lone_node) &&
           !(node.inputs.empty() && node.control_inputs.empty());
  }

  int32_t PredicateOf(const Node& node) {
    const bool is_index = IsSwitchN(node);
    const OutputRef tensor = AskedTensor(graph_, fed_, node.inputs[1]);
    if (MayChangeBetween(graph_, fed_, tensor)) {
      Fail(node, "asks a variable, which may change between two that ask");
    }
    const int32_t arity = NumWays(node);
    const auto [place, is_new] = predicate_ids_.try_emplace({tensor, is_index ? arity : 0}, -1);
    if (is_new) {
      const bool is_fed = fed_.Contains(tensor);
      place->second = found_.conditions.AddPredicate(
          arity, is_fed ? ConditionId::kAlways : OutputCondition(tensor));
      found_.predicates.push_back({tensor, is_index, node.id, FirstOn(node.inputs[1], node.id)});
    }
    return place->second;
  }

  // The first LoopCond of the chain that AskedTensor follows; else the Switch at its end.
  NodeId FirstOn(OutputRef tensor, NodeId asks) const {
    NodeId first = asks;
    for (const OutputRef asked = AskedTensor(graph_, fed_, tensor); tensor != asked;) {
      const Node& node = graph_.node(tensor.node);
      if (IsLoopCond(node)) first = node.id;
      tensor = node.inputs[0];
    }
    return first;
  }

  // The induction step: see the head of structure.h.
  void CheckLoop(size_t frame) {
    FrameStructure& found = found_.frames[frame];
    const std::string name = "frame '" + valid_.frames.Path(static_cast<int>(frame)) + "'";
    if (!found.entered) return Fail(name + " is entered by nothing");
    ConditionId exit = ConditionId::kAlways;
    if (loops_[frame]) {
      const std::optional<ConditionId> next = CommonCondition(next_of_[frame]);
      if (!next || *next == ConditionId::kNever || !IsOneBoolean(*next)) {
        return Fail(name + " has variables that do not go on under one predicate");
      }
      const ConditionLiteral repeats = found_.conditions.Innermost(*next);
      found.repeats = repeats;
      exit = found_.conditions.With(ConditionId::kAlways, {repeats.predicate, 1 - repeats.value});
    }
    for (const NodeId id : found.exits) {
      if (found_.condition[Index(id)] != exit) {
        return Fail(graph_.node(id), "does not leave its loop in the last iteration alone");
      }
    }
  }

  std::optional<ConditionId> CommonCondition(const std::vector<NodeId>& nodes) const {
    const ConditionId first = found_.condition[Index(nodes[0])];
    for (const NodeId id : nodes) {
      if (found_.condition[Index(id)] != first) return std::nullopt;
    }
    return first;
  }
  bool IsOneBoolean(ConditionId condition) const {
    if (found_.conditions.num_literals(condition) != 1) return false;
    return found_.conditions.arity(found_.conditions.Innermost(condition).predicate) == 2;
  }

  const Graph& graph_;
  const ValidatedCall& valid_;
  const FeedSet fed_;
  const int32_t most_nested_;
  Structure found_;
  // By node id, also where the node would have to be fetched from memory to ask it.
  std::vector<ControlOp> control_;
  std::vector<bool> loops_;                   // by frame: whether it has a NextIteration
  std::vector<std::vector<NodeId>> next_of_;  // by frame: its NextIterations
  std::vector<bool> has_variables_;           // by frame: whether an Enter of it is not constant
  std::vector<NodeId> constants_;             // the constant Enters of such frames
  std::vector<NodeId> triggers_;
  std::map<std::pair<OutputRef, int32_t>, int32_t> predicate_ids_;
};

}  // namespace

ConditionId Structure::OfOutput(const Graph& graph, const FrameTree& tree, OutputRef output) {
  const ConditionId fired = OfControl(graph, tree, output.node);
  const int32_t predicate = switched_on[Index(output.node)];
  if (predicate < 0 || fired == ConditionId::kNever) return fired;
  return conditions.With(fired, {predicate, output.index});
}

ConditionId Structure::OfControl(const Graph& graph, const FrameTree& tree, NodeId node) const {
  const int frame = tree.frame_of[Index(node)];
  if (tree.output_frame_of[Index(node)] == frame) return condition[Index(node)];
  if (IsEnter(graph.node(node))) return ConditionId::kAlways;
  return frames[static_cast<size_t>(frame)].entered.value_or(ConditionId::kNever);
}

bool IsSwitchN(const Node& node) { return node.op == "_SwitchN"; }

Structure RecoverStructure(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                           int32_t most_nested) {
  return Recovery(graph, call, valid, most_nested).Run();
}

}  // namespace tagflow
