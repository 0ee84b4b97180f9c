#include "transform/gradients/effect_replay.h"

#include <algorithm>
#include <string>

#include "graph/control_ops.h"

namespace tagflow::internal {
namespace {

// Of a Switch, some outputs are dead where the node was not.
bool HasWays(const Node& node) { return IsSwitch(node) || IsSwitchN(node); }

}  // namespace

Result<OutputRef> EffectHistory::InnerList(int frame, OutputRef tensor) {
  TAGFLOW_ASSIGN_OR_RETURN(const ForwardLoop* loop, outer_.forward().LoopOf(frame));
  LoopHistory& history =
      inner_.try_emplace(frame, outer_.forward(), *loop, outer_.scope()).first->second;
  const OutputRef list = history.SaveEach(tensor);
  TAGFLOW_RETURN_IF_ERROR(outer_.scope().status());
  return list;
}

EffectReplay::EffectReplay(Forward& forward, const ForwardLoop& loop, EffectHistory& history,
                           const BodyCopy& copy, const Output& iteration)
    : forward_(forward),
      state_(forward.state()),
      loop_(loop),
      history_(history),
      copy_(copy),
      iteration_(iteration) {
  for (const NodeId effect : copy.effects()) originals_[copy.copies().at(effect)] = effect;
}

Status EffectReplay::Run() {
  if (originals_.empty()) return Status();
  FindUses();
  for (const Use& use : uses_) {
    if (use.slot == kControl) {
      TAGFLOW_ASSIGN_OR_RETURN(const OutputRef live, WhereLive(use.effect.node));
      std::erase(state_.mutable_graph().mutable_node(use.user).control_inputs,
                 copy_.copies().at(use.effect.node));
      state_.AddControl(use.user, live.node);
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(const OutputRef value, Recorded(use.effect));
      TAGFLOW_RETURN_IF_ERROR(state_.ReplaceInput(use.user, static_cast<size_t>(use.slot), value));
    }
  }
  const std::vector<NodeId>& effects = copy_.effects();
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    state_.mutable_graph().RemoveNode(copy_.copies().at(*effect));
  }
  return Status();
}

// Who takes what the effects give, but for other effects.
void EffectReplay::FindUses() {
  for (const NodeId id : state_.graph().NodeIds()) {
    if (originals_.contains(id)) continue;
    const Node& node = state_.graph().node(id);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const auto effect = originals_.find(node.inputs[slot].node);
      if (effect == originals_.end()) continue;
      uses_.push_back({id, static_cast<int32_t>(slot), {effect->second, node.inputs[slot].index}});
    }
    for (const NodeId control : node.control_inputs) {
      const auto effect = originals_.find(control);
      if (effect != originals_.end()) uses_.push_back({id, kControl, {effect->second, 0}});
    }
  }
}

// What stands for an output of an effect.
Result<OutputRef> EffectReplay::Recorded(OutputRef tensor) {
  const auto found = recorded_.find(tensor);
  if (found != recorded_.end()) return found->second;
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef live, WhereLive(tensor));
  if (forward_.IsFlow(tensor)) {
    TAGFLOW_ASSIGN_OR_RETURN(
        recorded_[tensor],
        Add("Const", {}, {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(0.0f)}}, {live.node}));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef list, ListIn(forward_.FrameOf(tensor.node), tensor));
    TAGFLOW_ASSIGN_OR_RETURN(recorded_[tensor], ElementOf(list, live, tensor));
  }
  return recorded_[tensor];
}

Result<OutputRef> EffectReplay::ElementOf(OutputRef list, OutputRef index, OutputRef like) {
  TAGFLOW_ASSIGN_OR_RETURN(
      const OutputRef any_shape,
      Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(int32_t{-1})}},
          {index.node}));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef element,
                           Add("TensorListGetItem", {list, index, any_shape},
                               {{"element_dtype", state_.type(like).dtype}}));
  state_.SetShape(element, state_.shape(like));
  return element;
}

// In every iteration that is run again, be it of an inner loop.
bool EffectReplay::RunsAlways(NodeId node) const {
  const ConditionId condition = forward_.ConditionOf(node);
  if (condition == ConditionId::kAlways) return true;
  return forward_.FrameOf(node) == loop_.frame &&
         condition == forward_.conditions().With(ConditionId::kAlways, loop_.repeats);
}

// The number of the iteration, live where the tensor is.
Result<OutputRef> EffectReplay::WhereLive(OutputRef tensor) {
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef live, WhereLive(tensor.node));
  const Node& copy = state_.graph().node(copy_.copies().at(tensor.node));
  if (!HasWays(copy)) return live;
  OutputRef chooser = copy.inputs[1];
  if (const auto effect = originals_.find(chooser.node); effect != originals_.end()) {
    TAGFLOW_ASSIGN_OR_RETURN(chooser, Recorded({effect->second, chooser.index}));
  }
  const AttrMap int32 = {{"T", DType::kInt32}};
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ports, Add("Switch", {live, chooser}, int32));
  return Add("Identity", {{ports.node, tensor.index}}, int32);
}

// The same, where the node is.
Result<OutputRef> EffectReplay::WhereLive(NodeId node) {
  const auto found = where_live_.find(node);
  if (found != where_live_.end()) return found->second;
  TAGFLOW_ASSIGN_OR_RETURN(OutputRef live, IterationOf(forward_.FrameOf(node)));
  if (!RunsAlways(node)) {
    const Node copy = state_.graph().node(copy_.copies().at(node));
    if (IsMerge(copy)) {
      return Unimplemented("loop '" + forward_.FrameName(loop_.frame) +
                           "' cannot be rematerialized: '" + forward_.graph().node(node).name +
                           "' joins references to variables in a branch: use resource variables, "
                           "or let this loop keep its history")
          .WithNode(forward_.graph().node(node).name);
    }
    std::vector<NodeId> witnesses;
    for (const OutputRef& input : copy.inputs) {
      TAGFLOW_ASSIGN_OR_RETURN(witnesses.emplace_back(), Witness(input));
    }
    for (const NodeId control : copy.control_inputs) {
      TAGFLOW_ASSIGN_OR_RETURN(witnesses.emplace_back(), Witness({control, kControl}));
    }
    TAGFLOW_ASSIGN_OR_RETURN(live, Add("Identity", {live}, {{"T", DType::kInt32}}, witnesses));
  }
  return where_live_[node] = live;
}

// A node of the copy that is live where this is.
Result<NodeId> EffectReplay::Witness(OutputRef input) {
  if (const auto effect = originals_.find(input.node); effect != originals_.end()) {
    const bool is_control = input.index == kControl;
    TAGFLOW_ASSIGN_OR_RETURN(
        const OutputRef live,
        is_control ? WhereLive(effect->second) : WhereLive(OutputRef{effect->second, input.index}));
    return live.node;
  }
  if (input.index == kControl || !HasWays(state_.graph().node(input.node))) return input.node;
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef port,
                           Add("Identity", {input}, {{"T", state_.type(input).dtype}}));
  return port.node;
}

Result<OutputRef> EffectReplay::IterationOf(int frame) {
  const auto found = iterations_.find(frame);
  if (found != iterations_.end()) return found->second;
  if (frame == loop_.frame) {
    TAGFLOW_ASSIGN_OR_RETURN(
        iterations_[frame],
        state_.Capture(iteration_.ref(), copy_.scope().data().context, "iteration"));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(iterations_[frame], CountIterations(frame));
  }
  return iterations_[frame];
}

// A variable more of the copy of an inner loop.
Result<OutputRef> EffectReplay::CountIterations(int frame) {
  TAGFLOW_ASSIGN_OR_RETURN(const ForwardLoop* loop, forward_.LoopOf(frame));
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId entry, EnterOf(frame));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef entered, WhereLive(entry));
  const auto number = [&](int32_t value, bool is_constant) -> Result<OutputRef> {
    TAGFLOW_ASSIGN_OR_RETURN(
        const OutputRef outside,
        Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}},
            {entered.node}));
    return EnterInto(frame, outside, is_constant);
  };
  const AttrMap int32 = {{"T", DType::kInt32}};
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef zero, number(0, false));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef one, number(1, true));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef count,
                           Add("Merge", {zero, zero}, {{"N", 2}, {"T", DType::kInt32}}));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef predicate, PredicateOf(*loop));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ports, Add("Switch", {count, predicate}, int32));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef next,
                           Add("AddV2", {{ports.node, loop->repeats.value}, one}, int32));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef again, Add("NextIteration", {next}, int32));
  TAGFLOW_RETURN_IF_ERROR(state_.ReplaceInput(count.node, 1, again));
  return count;
}

// The list of a tensor of a frame, as the copy of that frame has it.
Result<OutputRef> EffectReplay::ListIn(int frame, OutputRef tensor) {
  const auto found = lists_.find(tensor);
  if (found != lists_.end()) return found->second;
  if (frame == loop_.frame) {
    const Output list = history_.ListFor(tensor);
    TAGFLOW_RETURN_IF_ERROR(state_.status());
    TAGFLOW_ASSIGN_OR_RETURN(lists_[tensor],
                             state_.Capture(list.ref(), copy_.scope().data().context, "history"));
    return lists_[tensor];
  }
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef inner, history_.InnerList(frame, tensor));
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId entry, EnterOf(frame));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef entered, WhereLive(entry));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef lists, ListIn(forward_.FrameOf(entry), inner));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef list, ElementOf(lists, entered, inner));
  TAGFLOW_ASSIGN_OR_RETURN(lists_[tensor], EnterInto(frame, list, true));
  return lists_[tensor];
}

// An Enter of an inner loop that was copied.
Result<NodeId> EffectReplay::EnterOf(int frame) const {
  TAGFLOW_ASSIGN_OR_RETURN(const ForwardLoop* loop, forward_.LoopOf(frame));
  const auto copied = std::ranges::find_if(loop->variables, [&](const ForwardVariable& variable) {
    return copy_.copies().contains(variable.enter);
  });
  TAGFLOW_CHECK(copied != loop->variables.end());  // its predicate hangs on one
  return copied->enter;
}

// What the copies of an inner loop's Switches ask.
Result<OutputRef> EffectReplay::PredicateOf(const ForwardLoop& loop) const {
  for (const ForwardVariable& variable : loop.variables) {
    for (const NodeId ports : variable.switches) {
      const auto copy = copy_.copies().find(ports);
      if (copy != copy_.copies().end()) return state_.graph().node(copy->second).inputs[1];
    }
  }
  return Unimplemented("loop '" + forward_.FrameName(loop.frame) +
                       "' cannot be run again: none of its variables goes round");
}

Result<OutputRef> EffectReplay::EnterInto(int frame, OutputRef value, bool is_constant) {
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId enter, EnterOf(frame));
  const Node& copy = state_.graph().node(copy_.copies().at(enter));
  return Add("Enter", {value}, EnterAttrsLike(copy, state_.type(value).dtype, is_constant));
}

Result<OutputRef> EffectReplay::Add(const char* op, std::vector<OutputRef> inputs, AttrMap attrs,
                                    std::vector<NodeId> controls) {
  NodeSpec spec;
  spec.name = copy_.scope().OpName(std::string("recorded/") + op);
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.controls = std::move(controls);
  spec.attrs = std::move(attrs);
  spec.context = copy_.scope().data().context;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, state_.AddNode(std::move(spec)));
  return OutputRef{node, 0};
}

}  // namespace tagflow::internal
