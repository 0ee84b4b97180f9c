#include "transform/deadness/structure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "graph/switch_predicate.h"
#include "transform/deadness/dependency_order.h"
#include "transform/deadness/lone_nodes.h"

namespace tagflow {
namespace {

bool IsTrigger(const Node& node) { return node.op == "ControlTrigger"; }

bool ExchangesTokens(const Node& node) {
  static constexpr std::string_view kOps[] = {"_Send", "_HostSend", "_Recv", "_HostRecv"};
  return std::ranges::find(kOps, node.op) != std::end(kOps);
}

// The predicates that Switches ask, and those that stand for what nobody knows of.
class Predicates {
 public:
  Predicates(const Graph& graph, const ValidatedCall& valid, const FeedSet& fed,
             const std::vector<bool>& is_apart, Structure& found)
      : graph_(graph), valid_(valid), fed_(fed), is_apart_(is_apart), found_(found) {}

  // Where `around` holds, and something that nobody knows of does.
  ConditionId SetApart(const Node& node, ConditionId around, const std::string& why) {
    found_.irregular_nodes.push_back({node.id, "'" + node.name + "' " + why});
    return found_.conditions.With(around, {NewPredicate({node.id, 0}, 2, around, node, why), 1});
  }
  // The way of a Switch in a loop by a predicate that is a constant of it: where the loop is
  // entered only when that has one value. TensorFlow's gradients of loops in conds have such.
  std::optional<int32_t> KnownWay(const Node& node) const {
    std::vector<size_t> entered;  // the frames that the predicate came through
    OutputRef tensor = AskedTensor(graph_, fed_, node.inputs[1]);
    while (!fed_.Contains(tensor) && IsConstantEnter(graph_.node(tensor.node))) {
      entered.push_back(static_cast<size_t>(valid_.frames.OutputFrame(graph_.node(tensor.node))));
      tensor = AskedTensor(graph_, fed_, graph_.node(tensor.node).inputs[0]);
    }
    if (entered.empty()) return std::nullopt;
    const auto id = ids_.find({tensor, IsSwitchN(node) ? NumWays(node) : 0});
    if (id == ids_.end()) return std::nullopt;
    for (const size_t frame : entered) {
      const std::optional<ConditionId>& condition = found_.frames[frame].entered;
      if (!condition || *condition == ConditionId::kNever || is_apart_[frame]) continue;
      if (const auto literal = found_.conditions.Find(*condition, id->second)) {
        return literal->value;
      }
    }
    return std::nullopt;
  }

  // Sets `why` where two that ask may see different values.
  int32_t PredicateOf(const Node& node, std::string& why) {
    const bool is_index = IsSwitchN(node);
    const OutputRef tensor = AskedTensor(graph_, fed_, node.inputs[1]);
    const int32_t arity = NumWays(node);
    if (MayChangeBetween(graph_, fed_, tensor)) {
      constexpr char kWhy[] = "asks a variable, which may change between two that ask";
      why = kWhy;
      return NewPredicate(tensor, arity, found_.OfOutput(graph_, valid_.frames, tensor), node,
                          kWhy);
    }
    const auto [place, is_new] = ids_.try_emplace({tensor, is_index ? arity : 0}, -1);
    if (is_new) {
      const bool is_fed = fed_.Contains(tensor);
      place->second = found_.conditions.AddPredicate(
          arity, is_fed ? ConditionId::kAlways : found_.OfOutput(graph_, valid_.frames, tensor));
      found_.predicates.push_back(
          {tensor, is_index, node.id, FirstOn(node.inputs[1], node.id), ""});
    }
    return place->second;
  }

 private:
  int32_t NewPredicate(OutputRef tensor, int32_t arity, ConditionId own, const Node& witness,
                       const std::string& why) {
    found_.predicates.push_back(
        {tensor, false, witness.id, witness.id, "'" + witness.name + "' " + why});
    return found_.conditions.AddPredicate(arity, own);
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

  const Graph& graph_;
  const ValidatedCall& valid_;
  const FeedSet& fed_;
  const std::vector<bool>& is_apart_;
  Structure& found_;
  std::map<std::pair<OutputRef, int32_t>, int32_t> ids_;
};

class Recovery {
 public:
  Recovery(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
           int32_t most_nested)
      : graph_(graph),
        valid_(valid),
        fed_(graph, call.feeds),
        most_nested_(most_nested),
        is_apart_(valid.frames.frames.size()) {}

  // Sets irregular parts apart; `apart` are the frames of which that is known, and whose nodes are
  // not looked at.
  Recovery(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
           std::vector<std::string> apart)
      : Recovery(graph, call, valid, std::numeric_limits<int32_t>::max()) {
    sets_apart_ = true;
    why_apart_ = std::move(apart);
    why_apart_.resize(valid.frames.frames.size());
    for (size_t frame = 1; frame < why_apart_.size(); ++frame) {
      is_apart_[frame] = !why_apart_[frame].empty() || is_apart_[ParentOf(frame)];
    }
  }
  // The frames that are known to be irregular now.
  std::vector<std::string> Apart() const { return why_apart_; }

  Structure Run() {
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
    for (size_t frame = 0; frame < why_apart_.size(); ++frame) {
      found_.frames[frame].irregular = why_apart_[frame];
    }
    return std::move(found_);
  }

 private:
  void Fail(std::string why) {
    if (found_.irregular.empty()) found_.irregular = std::move(why);
  }
  void Fail(const Node& node, const std::string& why) { Fail("'" + node.name + "' " + why); }
  void FailFrame(size_t frame, const std::string& why) {
    if (!sets_apart_) return Fail(why);
    if (why_apart_[frame].empty()) why_apart_[frame] = why;
  }
  void FailFrame(size_t frame, const Node& node, const std::string& why) {
    FailFrame(frame, "'" + node.name + "' " + why);
  }
  bool IsApart(size_t frame) const { return is_apart_[frame]; }

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
    if (IsApart(FrameOf(node))) return VisitApart(node);
    if (ExchangesTokens(node)) {
      if (!sets_apart_) return Fail(node, "sends or receives");
      condition = predicates_.SetApart(node, ConditionOfAll(node), "sends or receives");
      return;
    }
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
    if (IsSwitch(node) || IsSwitchN(node)) NoteSwitch(node);
    if (IsEnter(node)) NoteEnter(node, condition);
    if (IsExit(node)) NoteExit(node);
  }

  void NoteSwitch(const Node& node) {
    std::string why;
    const std::optional<int32_t> way = sets_apart_ ? predicates_.KnownWay(node) : std::nullopt;
    if (way) found_.known_ways[node.id] = *way;
    if (!way) found_.switched_on[Index(node.id)] = predicates_.PredicateOf(node, why);
    if (!why.empty() && !sets_apart_) Fail(node, why);
  }

  // A node of an irregular frame: what leaves it is of interest.
  void VisitApart(const Node& node) {
    found_.condition[Index(node.id)] = ConditionId::kAlways;
    const size_t frame = FrameOf(node);
    if (!IsExit(node) || IsApart(ParentOf(frame))) return;
    const ConditionId around = found_.frames[frame].entered.value_or(ConditionId::kAlways);
    found_.irregular_exits[node.id] =
        predicates_.SetApart(node, around, "leaves a frame without structure");
  }

  // What a constant gives may leave before anything else enters: then it is not known yet where the
  // frame is.
  void NoteExit(const Node& exit) {
    FrameStructure& frame = found_.frames[FrameOf(exit)];
    if (!frame.entered) {
      return FailFrame(FrameOf(exit), exit,
                       "may leave a frame before anything but constants enters");
    }
    frame.exits.push_back(exit.id);
  }

  // Tokens that come in one iteration of a loop and not in others.
  void CheckSources(const Node& node) {
    for (const OutputRef& input : node.inputs) {
      if (fed_.Contains(input)) continue;
      if (IsNext(input.node)) FailFrame(FrameOf(node), node, "takes a value of NextIteration");
      if (ComesOnce(input.node)) {
        FailFrame(FrameOf(node), node, "takes a value of an Enter that comes in one iteration");
      }
    }
    CheckControls(node);
  }
  void CheckControls(const Node& node) {
    for (const NodeId control : node.control_inputs) {
      if (IsNext(control)) FailFrame(FrameOf(node), node, "waits for a NextIteration");
      if (ComesOnce(control)) {
        FailFrame(FrameOf(node), node, "waits for an Enter that comes in one iteration");
      }
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
    const std::optional<ConditionId> one = found_.conditions.OneOf(ways);
    constexpr char kWhy[] = "joins what is not the ways of one predicate";
    if (!one && sets_apart_) return predicates_.SetApart(merge, CommonTo(ways), kWhy);
    if (!one) Fail(merge, kWhy);
    return one.value_or(ConditionId::kNever);
  }

  // What holds wherever one of the conditions does.
  ConditionId CommonTo(const std::vector<ConditionId>& conditions) {
    std::optional<ConditionId> common;
    for (const ConditionId condition : conditions) {
      if (condition == ConditionId::kNever) continue;
      common = common ? found_.conditions.Common(*common, condition) : condition;
    }
    return common.value_or(ConditionId::kAlways);
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
    std::optional<ConditionId>& entered = found_.frames[child].entered;
    if (IsApart(child)) {
      entered = entered ? CommonTo({*entered, condition}) : condition;
      return;
    }
    if (IsConstantEnter(enter) && has_variables_[child]) return constants_.push_back(enter.id);
    if (!entered) entered = condition;
    if (*entered != condition) {
      FailFrame(child, enter, "enters a frame under another condition than others");
    }
  }

  void CheckLoneNodes() {
    const LoneNodesQuestion question = {graph_,     valid_,    fed_,     found_,
                                        constants_, triggers_, is_apart_};
    for (const LoneNode& lone : FindLoneNodes(question)) {
      FailFrame(lone.frame, graph_.node(lone.node), lone.why);
    }
  }
  size_t ParentOf(size_t frame) const {
    return static_cast<size_t>(valid_.frames.frames[frame].parent);
  }

  // The induction step: see the head of structure.h.
  void CheckLoop(size_t frame) {
    if (IsApart(frame)) return;
    FrameStructure& found = found_.frames[frame];
    const std::string name = "frame '" + valid_.frames.Path(static_cast<int>(frame)) + "'";
    if (!found.entered) return FailFrame(frame, name + " is entered by nothing");
    ConditionId exit = ConditionId::kAlways;
    if (loops_[frame]) {
      const std::optional<ConditionId> next = CommonCondition(next_of_[frame]);
      if (!next || *next == ConditionId::kNever || !IsOneBoolean(*next)) {
        return FailFrame(frame, name + " has variables that do not go on under one predicate");
      }
      const ConditionLiteral repeats = found_.conditions.Innermost(*next);
      found.repeats = repeats;
      exit = found_.conditions.With(ConditionId::kAlways, {repeats.predicate, 1 - repeats.value});
    }
    for (const NodeId id : found.exits) {
      if (found_.condition[Index(id)] != exit) {
        return FailFrame(frame, graph_.node(id),
                         "does not leave its loop in the last iteration alone");
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
  std::vector<bool> is_apart_;  // by frame: it, or one around it, is set apart
  bool sets_apart_ = false;
  std::vector<std::string> why_apart_;  // by frame
  Structure found_;
  Predicates predicates_{graph_, valid_, fed_, is_apart_, found_};
  // By node id, also where the node would have to be fetched from memory to ask it.
  std::vector<ControlOp> control_;
  std::vector<bool> loops_;                   // by frame: whether it has a NextIteration
  std::vector<std::vector<NodeId>> next_of_;  // by frame: its NextIterations
  std::vector<bool> has_variables_;           // by frame: whether an Enter of it is not constant
  std::vector<NodeId> constants_;             // the constant Enters of such frames
  std::vector<NodeId> triggers_;
};

}  // namespace

ConditionId Structure::OfOutput(const Graph& graph, const FrameTree& tree, OutputRef output) {
  const ConditionId fired = OfControl(graph, tree, output.node);
  if (const auto way = known_ways.find(output.node); way != known_ways.end()) {
    return way->second == output.index ? fired : ConditionId::kNever;
  }
  const int32_t predicate = switched_on[Index(output.node)];
  if (predicate < 0 || fired == ConditionId::kNever) return fired;
  return conditions.With(fired, {predicate, output.index});
}

ConditionId Structure::OfControl(const Graph& graph, const FrameTree& tree, NodeId node) const {
  const int frame = tree.frame_of[Index(node)];
  if (tree.output_frame_of[Index(node)] == frame) return condition[Index(node)];
  if (IsEnter(graph.node(node))) return ConditionId::kAlways;
  if (const auto apart = irregular_exits.find(node); apart != irregular_exits.end()) {
    return apart->second;
  }
  return frames[static_cast<size_t>(frame)].entered.value_or(ConditionId::kNever);
}

bool IsSwitchN(const Node& node) { return node.op == "_SwitchN"; }

Structure RecoverStructure(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                           int32_t most_nested) {
  return Recovery(graph, call, valid, most_nested).Run();
}

Structure RecoverRegularParts(const Graph& graph, const CallSpec& call,
                              const ValidatedCall& valid) {
  // What leaves an irregular frame may make others irregular. A chain of such frames that is longer
  // than this is not followed to its end.
  constexpr int kMostRounds = 8;
  std::vector<std::string> apart(valid.frames.frames.size());
  for (int round = 0;; ++round) {
    Recovery recovery(graph, call, valid, apart);
    Structure found = recovery.Run();
    std::vector<std::string> now = recovery.Apart();
    if (now == apart || !found.irregular.empty()) return found;
    apart = std::move(now);
    if (round < kMostRounds) continue;
    for (size_t frame = 1; frame < apart.size(); ++frame) {
      if (apart[frame].empty())
        apart[frame] = "frame '" + valid.frames.Path(static_cast<int>(frame)) +
                       "' is among many irregular ones";
    }
  }
}

}  // namespace tagflow
