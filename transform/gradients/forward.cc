#include "transform/gradients/forward.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/control_ops.h"
#include "graph/unknown_ops.h"
#include "transform/deadness/dependency_order.h"
#include "transform/gradients/array_flow.h"
#include "transform/gradients/x_frame.h"

namespace tagflow::internal {
namespace {

// The loops around (or at) a context, innermost first, as indices of while_contexts().
std::vector<size_t> OpenLoops(const BuildState& state, ContextId id) {
  std::vector<size_t> loops;
  for (; id != ContextId::kRoot; id = state.context(id).parent) {
    const ContextKind kind = state.context(id).kind;
    if (kind == ContextKind::kLoopCond || kind == ContextKind::kLoopBody) {
      loops.push_back(state.context(id).frame);
    }
  }
  return loops;
}

// Lets every variable of a loop that is being built go round as it is.
Status CloseLoop(const WhileContext& loop, Graph& graph) {
  for (size_t i = 0; i < loop.merges.size(); ++i) {
    Node& merge = graph.mutable_node(loop.merges[i]);
    if (merge.inputs[0] != merge.inputs[1]) continue;  // closed already
    const AttrValue type = *FindAttr(merge, "T");
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId next,
                             graph.AddNode(graph.UniqueName("next"), "NextIteration"));
    graph.mutable_node(next).inputs = {loop.body_inputs[i]};
    graph.SetAttr(next, "T", type);
    graph.mutable_node(loop.merges[i]).inputs[1] = {next, 0};
  }
  return Status();
}

// Past what hands on its input and waits for nothing else.
OutputRef Origin(const Graph& graph, OutputRef output) {
  for (;;) {
    const Node& node = graph.node(output.node);
    if ((node.op != "Identity" && node.op != "LoopCond") || !node.control_inputs.empty()) {
      return output;
    }
    output = node.inputs[0];
  }
}

}  // namespace

Result<Forward> Forward::Analyze(const Scope& scope, const std::vector<OutputRef>& ys,
                                 const std::vector<OutputRef>& xs, const GradientOptions& options,
                                 const std::map<OutputRef, DType>& flows) {
  Forward forward(scope.state(), options);
  forward.name_prefix_ = scope.data().prefix;
  TAGFLOW_RETURN_IF_ERROR(forward.Validate(scope, ys));
  TAGFLOW_RETURN_IF_ERROR(forward.FindFrame(scope, ys));
  TAGFLOW_RETURN_IF_ERROR(forward.CheckFrames(xs));
  TAGFLOW_RETURN_IF_ERROR(forward.FindBase(scope));
  forward.FindLoops();
  TAGFLOW_RETURN_IF_ERROR(forward.FindHandles(xs));
  forward.FindPath(ys);
  forward.flows_ = FindArrayFlows(forward.graph(), flows);
  TAGFLOW_RETURN_IF_ERROR(forward.CheckPath(ys));
  TAGFLOW_RETURN_IF_ERROR(forward.CheckStacks());
  TAGFLOW_RETURN_IF_ERROR(forward.CheckChanges());
  return forward;
}

Status Forward::Validate(const Scope& scope, const std::vector<OutputRef>& ys) {
  limit_ = graph().id_limit();
  closed_ = graph().Clone();
  for (const size_t loop : OpenLoops(*state_, scope.data().context)) {
    const WhileContext& record = state_->while_contexts()[loop];
    if (record.body_inputs.empty()) {
      return Unimplemented("gradients are asked for in the predicate of loop '" + record.name +
                           "', which is not built yet: take them in the body, or before the loop");
    }
    TAGFLOW_RETURN_IF_ERROR(CloseLoop(record, closed_));
  }
  CallSpec call;
  for (const OutputRef y : ys) call.targets.push_back(y.node);
  TAGFLOW_ASSIGN_OR_RETURN(valid_, ValidateCall(closed_, call));
  structure_ = RecoverStructure(closed_, call, valid_, std::numeric_limits<int32_t>::max());
  if (structure_.irregular.empty()) return Status();
  return Unimplemented(
      "the control flow behind the ys is no nest of branches and loops, which gradients need: " +
      structure_.irregular + HintOfStacks());
}

// A gradient that TensorFlow made, with stacks, is such a graph.
std::string Forward::HintOfStacks() const {
  for (const NodeId id : closed_.NodeIds()) {
    const Node& node = closed_.node(id);
    if (!IsNeeded(id) || !node.op.starts_with("StackPop")) continue;
    return "; '" + node.name +
           "' pops a stack, which has no gradient, either: gradients that keep their history in "
           "lists, as they do here unless told otherwise, have gradients";
  }
  return "";
}

Status Forward::FindFrame(const Scope& scope, const std::vector<OutputRef>& ys) {
  const int loop = state_->InnermostLoop(scope.data().context);
  const std::string wanted =
      loop < 0 ? "" : state_->while_contexts()[static_cast<size_t>(loop)].frame_name;
  for (const OutputRef y : ys) {
    frame_ = OutputFrameOf(y.node);
    if (valid_.frames.frames[static_cast<size_t>(frame_)].name == wanted) continue;
    const std::string node = graph().node(y.node).name;
    if (frame_ == FrameTree::kRoot) {
      return InvalidArgument("y '" + node + "' is outside the loop '" + wanted +
                             "' that gradients are built in")
          .WithNode(node);
    }
    return InvalidArgument("y '" + node + "' is in frame '" + FrameName(frame_) +
                           "': take the gradient of what leaves the loop (its Exit), or build it "
                           "in the body with the scope of the body")
        .WithNode(node);
  }
  return Status();
}

Status Forward::CheckFrames(const std::vector<OutputRef>& xs) const {
  CallSpec apart;  // xs that no y needs
  for (const OutputRef x : xs) {
    if (Index(x.node) < valid_.needed.size() && valid_.needed[Index(x.node)]) {
      TAGFLOW_RETURN_IF_ERROR(CheckIsInFrame(closed_, valid_.frames, x, FrameName(frame_)));
    } else {
      apart.targets.push_back(x.node);
    }
  }
  if (apart.targets.empty()) return Status();
  // What is wrong with them is no matter of the ys.
  const Result<ValidatedCall> valid = ValidateCall(closed_, apart);
  if (!valid.ok()) return Status();
  for (const OutputRef x : xs) {
    if (!valid->needed[Index(x.node)]) continue;
    TAGFLOW_RETURN_IF_ERROR(CheckIsInFrame(closed_, valid->frames, x, FrameName(frame_)));
  }
  return Status();
}

// What holds in the scope's context: the branches it is in, and that its loop goes on.
Status Forward::FindBase(const Scope& scope) {
  for (ContextId id = scope.data().context; id != ContextId::kRoot;
       id = state_->context(id).parent) {
    const Context& context = state_->context(id);
    if (context.kind == ContextKind::kLoopBody) {
      const auto& frame = structure_.frames[static_cast<size_t>(frame_)];
      base_ = conditions().With(base_, *frame.repeats);
      return Status();
    }
    const OutputRef asked = Origin(graph(), state_->cond_frame(context.frame).pred);
    for (size_t p = 0; p < structure_.predicates.size(); ++p) {
      if (structure_.predicates[p].is_index || structure_.predicates[p].tensor != asked) continue;
      base_ = conditions().With(base_, {static_cast<int32_t>(p), context.branch ? 1 : 0});
    }
  }
  return Status();
}

void Forward::FindLoops() {
  loops_.resize(structure_.frames.size());
  std::unordered_map<NodeId, ForwardVariable*> by_merge;
  for (size_t f = 1; f < loops_.size(); ++f) {
    const FrameStructure& found = structure_.frames[f];
    if (!found.repeats || !found.entered) continue;
    ForwardLoop& loop = loops_[f].emplace();
    loop.frame = static_cast<int>(f);
    loop.parent = valid_.frames.frames[f].parent;
    loop.entered = *found.entered;
    loop.repeats = *found.repeats;
    for (const LoopVariable& variable : found.variables) {
      loop.variables.push_back({variable.merge, variable.enter, variable.next, {}, {}});
    }
    for (ForwardVariable& variable : loop.variables) by_merge[variable.merge] = &variable;
  }
  runs_again_.resize(loops_.size());
  for (size_t f = loops_.size() - 1; f > 0; --f) {  // parents come before children
    if (options_->RematerializationOf(Frame(static_cast<int>(f)).name)) runs_again_[f] = true;
    if (runs_again_[f]) runs_again_[static_cast<size_t>(Frame(static_cast<int>(f)).parent)] = true;
  }
  for (const NodeId id : structure_.order) {
    const Node& node = closed_.node(id);
    if (IsConstantEnter(node)) {
      if (auto& loop = loops_[static_cast<size_t>(OutputFrameOf(id))])
        loop->constants.push_back(id);
      continue;
    }
    auto& loop = loops_[static_cast<size_t>(FrameOf(id))];
    if (!loop) continue;
    if (SwitchedOn(id) == loop->repeats.predicate) {
      loop->predicate = node.inputs[1];
      const auto variable = by_merge.find(Origin(closed_, node.inputs[0]).node);
      if (variable != by_merge.end()) variable->second->switches.push_back(id);
    } else if (IsExit(node)) {
      const OutputRef port = Origin(closed_, node.inputs[0]);
      const Node& from = closed_.node(port.node);
      const auto variable =
          IsSwitch(from) ? by_merge.find(Origin(closed_, from.inputs[0]).node) : by_merge.end();
      (variable != by_merge.end() ? variable->second->exits : loop->other_exits).push_back(id);
    }
  }
}

// Of variables the handles that the ys need: a variable may have more than one.
Status Forward::FindHandles(const std::vector<OutputRef>& xs) {
  xs_ = xs;
  const auto is_resource = [&](const OutputRef& x) {
    return state_->type(x).dtype == DType::kResource;
  };
  if (std::ranges::any_of(xs, is_resource)) {
    handles_ = FindVariableHandles(closed_);
    const auto of_one_variable = HandlesOfOneVariable(closed_);
    for (const OutputRef& x : xs) {
      OutputRef origin = x;
      while (IsEnter(closed_.node(origin.node))) origin = closed_.node(origin.node).inputs[0];
      const auto all = of_one_variable.find(origin);
      if (all == of_one_variable.end() || others_.contains(x)) continue;
      for (const OutputRef& other : all->second) {
        if (other == origin || !valid_.needed[Index(other.node)]) continue;
        if (origin != x || OutputFrameOf(other.node) != frame_) {
          return Unimplemented("'" + closed_.node(origin.node).name + "' and '" +
                               closed_.node(other.node).name +
                               "' are handles of one variable, in or around a loop that the "
                               "gradient by it is built in or for: let both be one node outside");
        }
        others_[x].push_back(other);
      }
    }
  }
  for (const auto& [x, others] : others_) xs_.insert(xs_.end(), others.begin(), others.end());
  std::sort(xs_.begin(), xs_.end());
  return Status();
}

const std::vector<OutputRef>& Forward::OtherHandles(OutputRef x) const {
  static const std::vector<OutputRef> kNone;
  const auto others = others_.find(x);
  return others == others_.end() ? kNone : others->second;
}

void Forward::FindPath(const std::vector<OutputRef>& ys) {
  const size_t n = closed_.id_limit();
  std::vector<std::vector<NodeId>> consumers(n);
  for (const NodeId id : structure_.order) {
    for (const OutputRef& input : closed_.node(id).inputs) {
      if (Index(input.node) < limit_ && IsTrainable(input))
        consumers[Index(input.node)].push_back(id);
    }
  }
  const auto passes = [&](NodeId id) {
    const GradientFunction* function = registry().Find(closed_.node(id).op);
    return function == nullptr || *function != nullptr;
  };
  from_x_.assign(n, false);
  std::vector<NodeId> work;
  const auto reach = [&](NodeId id) {
    if (from_x_[Index(id)] || !passes(id)) return;
    from_x_[Index(id)] = true;
    work.push_back(id);
  };
  for (const OutputRef& x : xs_) {
    for (const NodeId id : consumers[Index(x.node)]) {
      const auto& inputs = closed_.node(id).inputs;
      if (std::ranges::find(inputs, x) != inputs.end()) reach(id);
    }
  }
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    for (const NodeId consumer : consumers[Index(id)]) reach(consumer);
  }
  on_path_.assign(n, false);
  const auto back = [&](OutputRef output) {
    const size_t i = Index(output.node);
    if (!from_x_[i] || on_path_[i] || i >= limit_ || !IsTrainable(output)) return;
    on_path_[i] = true;
    work.push_back(output.node);
  };
  for (const OutputRef& y : ys) back(y);
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    for (const OutputRef& input : closed_.node(id).inputs) back(input);
  }
}

bool Forward::LeadsToX(OutputRef output) const {
  if (Index(output.node) >= limit_ || !IsTrainable(output)) return false;
  return OnPath(output.node) || std::ranges::binary_search(xs_, output);
}

Status Forward::CheckPath(const std::vector<OutputRef>& ys) const {
  for (const NodeId id : structure_.order) {
    const Node& node = closed_.node(id);
    if (!OnPath(id) || ControlOpOf(node.op) != ControlOp::kNone || IsSwitchN(node)) continue;
    if (registry().Find(node.op) != nullptr) continue;
    return Unimplemented("the op " + OpNameOf(node) + " of '" + node.name +
                         "' has no gradient, and is on the path " + PathTo(id, ys) +
                         ": register one, or put a StopGradient there")
        .WithNode(node.name);
  }
  return Status();
}

// "y <- … <- node", the shortest, with at most eight names.
std::string Forward::PathTo(NodeId node, const std::vector<OutputRef>& ys) const {
  std::unordered_map<NodeId, NodeId> towards_y;
  std::vector<NodeId> queue;
  const auto visit = [&](NodeId id, NodeId from) {
    if (OnPath(id) && towards_y.emplace(id, from).second) queue.push_back(id);
  };
  for (const OutputRef& y : ys) visit(y.node, NodeId::kNone);
  for (size_t i = 0; i < queue.size() && !towards_y.contains(node); ++i) {
    for (const OutputRef& input : closed_.node(queue[i]).inputs) visit(input.node, queue[i]);
  }
  std::vector<std::string> names;
  for (NodeId id = node; id != NodeId::kNone; id = towards_y.at(id)) {
    names.push_back("'" + closed_.node(id).name + "'");
  }
  std::ranges::reverse(names);
  if (names.size() > 8) {
    names.erase(names.begin() + 4, names.end() - 3);
    names.insert(names.begin() + 4, "…");
  }
  std::string path = names[0];
  for (size_t i = 1; i < names.size(); ++i) path += " <- " + names[i];
  return path;
}

// What goes through a stack is seen in no edge: rather an error than a gradient that lacks it.
Status Forward::CheckStacks() const {
  const auto stack_of = [&](const Node& node) {
    OutputRef handle = node.inputs[0];
    for (;;) {
      const Node& from = closed_.node(handle.node);
      if (from.inputs.empty() ||
          (ControlOpOf(from.op) == ControlOp::kNone && from.op != "Identity")) {
        return handle.node;
      }
      handle = from.inputs[0];
    }
  };
  std::unordered_map<NodeId, NodeId> pushed;  // stack -> a push of what an x leads to
  for (const NodeId id : structure_.order) {
    const Node& node = closed_.node(id);
    if (node.op != "StackPushV2" && node.op != "StackPush") continue;
    const OutputRef value = node.inputs[1];
    if (IsTrainable(value) &&
        (from_x_[Index(value.node)] || std::ranges::binary_search(xs_, value))) {
      pushed[stack_of(node)] = id;
    }
  }
  for (const NodeId id : structure_.order) {
    const Node& node = closed_.node(id);
    if (node.op != "StackPopV2" && node.op != "StackPop") continue;
    // A handle that was itself on a stack may be of any.
    const NodeId stack = stack_of(node);
    const bool is_known =
        closed_.node(stack).op.starts_with("StackV") || closed_.node(stack).op == "Stack";
    const auto push = is_known ? pushed.find(stack) : pushed.begin();
    if (push == pushed.end() || !IsTrainable(OutputRef{id, 0})) continue;
    return Unimplemented("'" + node.name + "' pops what '" + closed_.node(push->second).name +
                         "' pushed, and a stack has no gradient: carry a TensorList as a loop "
                         "variable instead (gradients that keep their history in lists, as they "
                         "do unless told otherwise, have gradients)")
        .WithNode(node.name);
  }
  return Status();
}

// The derivative is by the value that a variable's reads give, if that is one.
Status Forward::CheckChanges() const {
  if (!ChangeAny(closed_, structure_.order, handles_)) return Status();
  for (const OutputRef& x : xs_) {
    const auto type = handles_.find(x);
    if (type == handles_.end()) continue;
    VariableHandles seeds = {*type};
    for (const OutputRef& other : OtherHandles(x)) seeds.insert(*handles_.find(other));
    const VariableHandles handles = HandlesFrom(closed_, std::move(seeds));
    const auto [change, read] =
        FindChangeBetweenReads(closed_, structure_.order, handles, on_path_);
    if (change == NodeId::kNone) continue;
    const std::string variable = closed_.node(x.node).name;
    return Unimplemented("the gradient by variable '" + variable + "' would mix values of it: '" +
                         closed_.node(change).name +
                         "' changes it in the same step, and not all "
                         "that read it do so before, or all after, '" +
                         closed_.node(read).name +
                         "' for one: take the gradient by what was read instead")
        .WithNode(closed_.node(change).name);
  }
  return Status();
}

Result<const ForwardLoop*> Forward::LoopOf(int frame) const {
  const auto& loop = loops_[static_cast<size_t>(frame)];
  if (loop) return &*loop;
  return Unimplemented("frame '" + FrameName(frame) +
                       "' is on the path and is no loop: gradients of frames that are entered and "
                       "left without one are not known");
}

ConditionId Forward::ConditionOf(OutputRef output) {
  if (const auto found = inserted_.find(output.node); found != inserted_.end()) {
    return found->second;
  }
  return structure_.OfOutput(closed_, valid_.frames, output);
}

std::vector<ConditionLiteral> Forward::Path(ConditionId from, ConditionId to) {
  TAGFLOW_CHECK(conditions().Implied(from, to));
  std::vector<ConditionLiteral> path = conditions().Rest(to, from);
  // A predicate is live where the rest of a condition holds, and nested deeper than that.
  std::ranges::stable_sort(path, {}, [&](const ConditionLiteral& literal) {
    return conditions().nesting(literal.predicate);
  });
  return path;
}

}  // namespace tagflow::internal
