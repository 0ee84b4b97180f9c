#include "transform/gradients/loop_values.h"

#include "graph/builder/builder.h"
#include "graph/control_ops.h"

namespace tagflow::internal {

// Past Identity and the loop's own Switch.
OutputRef LoopValues::PastNames(OutputRef tensor) const {
  for (;;) {
    const Node& node = forward_.graph().node(tensor.node);
    const bool is_name = node.op == "Identity" && !forward_.state().type(node.inputs[0]).is_ref;
    const bool is_own = forward_.SwitchedOn(node.id) == history_.loop().repeats.predicate;
    if (!is_name && !is_own) return tensor;
    tensor = node.inputs[0];
  }
}

// Past another Switch, too, where that leads outside: a captured value that a branch takes need not
// be saved for each branch.
OutputRef LoopValues::Origin(OutputRef tensor) {
  tensor = PastNames(tensor);
  std::vector<OutputRef> ports;
  OutputRef source = tensor;
  while (IsSwitch(forward_.graph().node(source.node))) {
    const auto known = captured_.find(source);
    if (known != captured_.end()) {
      source = known->second;
      break;
    }
    ports.push_back(source);
    source = PastNames(forward_.graph().node(source.node).inputs[0]);
  }
  const Node& node = forward_.graph().node(source.node);
  const bool is_outside = IsEnter(node) || node.op == "Const";
  for (const OutputRef& port : ports) captured_[port] = is_outside ? source : port;
  return is_outside || ports.empty() ? source : tensor;
}

Output LoopValues::Value(OutputRef tensor) {
  tensor = Origin(tensor);
  const auto found = known_.find(tensor);
  if (found != known_.end()) return found->second;
  return known_[tensor] = Find(tensor);
}

Output LoopValues::Find(OutputRef tensor) {
  const Node& node = forward_.graph().node(tensor.node);
  if (IsEnter(node)) return outer_.Value(node.inputs[0]);
  if (const Tensor* value = forward_.state().ConstantValue(tensor)) return Const(scope_, *value);
  return forward_.options().history == History::kStacks ? PopStack(tensor) : PopList(tensor);
}

// In the order of the iterations: see loop_history.h for the pushes.
Output LoopValues::PopStack(OutputRef tensor) {
  const Output stack = outer_.Value(history_.SaveOnStack(tensor));
  const ConditionId live = forward_.ConditionOf(tensor);
  const Output handle = gates_.Gate(stack, gates_.base(), live);
  const Operation pop = Op(scope_.WithControlDependencies({iteration_}), "StackPopV2", {handle},
                           {{"elem_type", forward_.state().type(tensor).dtype}});
  if (!scope_.ok()) return pop;
  scope_.SetShape(pop, forward_.state().shape(tensor));
  popped_.push_back(Op(scope_.WithControlDependencies({pop}), "ControlTrigger"));
  return pop;
}

Output LoopValues::PopList(OutputRef tensor) {
  const Output list = outer_.Value(history_.Save(tensor));
  if (!scope_.ok()) return list;
  const size_t variable = builder_.AddVariable(list);
  Popped popped;
  const auto pop = [&](const Output& so_far) {
    popped = PopBack(scope_, so_far, forward_.state().type(tensor).dtype,
                     forward_.state().shape(tensor));
    return popped.rest;
  };
  const ConditionId live = gates_.UnderBase(forward_.ConditionOf(tensor));
  const Output rest =
      gates_.Guarded(builder_.body_value(variable), forward_.Path(gates_.base(), live), pop);
  added_.emplace_back(variable, rest);
  return popped.value;
}

Output LoopValues::ShapeOf(OutputRef tensor) {
  tensor = Origin(tensor);
  const PartialShape& shape = forward_.GradientShape(tensor);
  if (shape.fully_known() && FitsConst(shape)) return ShapeConst(scope_, shape);
  const Node& node = forward_.graph().node(tensor.node);
  if (IsEnter(node)) return outer_.ShapeOf(node.inputs[0]);
  if (forward_.IsHandle(tensor)) return Op(scope_, "VariableShape", {Value(tensor)});
  return Value(history_.ShapeOf(tensor));
}

}  // namespace tagflow::internal
