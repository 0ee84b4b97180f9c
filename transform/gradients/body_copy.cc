#include "transform/gradients/body_copy.h"

#include <algorithm>
#include <unordered_set>

#include "graph/control_ops.h"

namespace tagflow::internal {

// Whether it is the loop's own Switch, whose body side is the variable itself.
bool BodyCopy::IsVariablePort(NodeId node) const {
  return forward_.SwitchedOn(node) == loop_.repeats.predicate &&
         forward_.FrameOf(node) == loop_.frame;
}

const ForwardVariable* BodyCopy::VariableOf(NodeId merge) const {
  const auto found = std::ranges::find(loop_.variables, merge, &ForwardVariable::merge);
  return found == loop_.variables.end() ? nullptr : &*found;
}

// What the variables' next values need, producers first.
std::vector<NodeId> BodyCopy::NeededNodes() const {
  const Graph& graph = forward_.graph();
  std::unordered_set<NodeId> needed;
  std::vector<NodeId> work;
  const auto want = [&](NodeId id) {
    const bool is_given = VariableOf(id) != nullptr || captured_.contains(id);
    if (!is_given && needed.insert(id).second) work.push_back(id);
  };
  for (const ForwardVariable& variable : loop_.variables) {
    want(graph.node(variable.next).inputs[0].node);
  }
  while (!work.empty()) {
    const Node& node = graph.node(work.back());
    work.pop_back();
    if (IsVariablePort(node.id)) {
      want(node.inputs[0].node);
      continue;
    }
    for (const OutputRef& input : node.inputs) want(input.node);
    for (const NodeId control : node.control_inputs) want(control);
  }
  std::vector<NodeId> ordered;
  for (const NodeId id : forward_.order()) {
    if (needed.contains(id) && !IsVariablePort(id)) ordered.push_back(id);
  }
  return ordered;
}

// What has an effect or may give something else the second time; so may the value behind a
// reference, which whatever takes it may change.
bool BodyCopy::MustNotRunTwice(const Node& node) const {
  const BuildState& state = forward_.state();
  const auto is_ref = [](const ArgType& type) { return type.is_ref; };
  return node.def->is_stateful || std::ranges::any_of(state.output_types(node.id), is_ref) ||
         std::ranges::any_of(node.inputs, is_ref,
                             [&](const OutputRef& input) { return state.type(input); });
}

Result<OutputRef> BodyCopy::CopyOf(OutputRef tensor) {
  if (const ForwardVariable* variable = VariableOf(tensor.node)) {
    return values_[static_cast<size_t>(variable - loop_.variables.data())].ref();
  }
  if (const auto outside = captured_.find(tensor.node); outside != captured_.end()) {
    return forward_.state().Capture(outside->second.ref(), scope_.data().context, "copy");
  }
  if (IsVariablePort(tensor.node)) return CopyOf(forward_.graph().node(tensor.node).inputs[0]);
  return OutputRef{copies_.at(tensor.node), tensor.index};
}

Result<NodeId> BodyCopy::CopyOfControl(NodeId node) {
  if (const auto copy = copies_.find(node); copy != copies_.end()) return copy->second;
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef tensor, CopyOf({node, 0}));
  return tensor.node;
}

// The copy of an input; of a loop variable's, whose NextIteration is not copied yet, the other one.
Result<OutputRef> BodyCopy::InputOf(const Node& node, size_t slot) {
  const OutputRef input = node.inputs[slot];
  if (!IsMerge(node) || !IsNextIteration(forward_.graph().node(input.node))) return CopyOf(input);
  open_.emplace_back(node.id, slot);
  return CopyOf(node.inputs[1 - slot]);
}

Result<AttrMap> BodyCopy::AttrsOf(const Node& node) {
  AttrMap attrs = node.attrs;
  if (!IsEnter(node)) return attrs;
  for (auto& [name, value] : attrs) {
    if (name != "frame_name") continue;
    const std::string frame = *value.Get<std::string>();
    std::string& copy = frame_names_[forward_.OutputFrameOf(node.id)];
    if (copy.empty()) {
      copy = forward_.state().UniqueScopeName(scope_.OpName(frame.substr(frame.rfind('/') + 1)));
      forward_.state().ClaimFrameName(copy);
    }
    value = copy;
  }
  return attrs;
}

Status BodyCopy::Copy(NodeId id) {
  const Node node = forward_.graph().node(id);
  if (MustNotRunTwice(node)) effects_.push_back(id);
  NodeSpec spec;
  spec.name = scope_.OpName(node.name.substr(node.name.rfind('/') + 1));
  spec.op = node.op;
  spec.device = node.device;
  spec.context = scope_.data().context;
  TAGFLOW_ASSIGN_OR_RETURN(spec.attrs, AttrsOf(node));
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef input, InputOf(node, slot));
    spec.inputs.push_back(input);
  }
  for (const NodeId control : node.control_inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId copy, CopyOfControl(control));
    spec.controls.push_back(copy);
  }
  BuildState& state = forward_.state();
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId copy, state.AddNode(std::move(spec)));
  copies_[id] = copy;
  for (size_t port = 0; port < state.output_types(id).size(); ++port) {
    const auto index = static_cast<int32_t>(port);
    state.SetShape({copy, index}, state.shape({id, index}));
  }
  return Status();
}

Result<OutputList> BodyCopy::Build(const OutputList& values) {
  values_ = values;
  for (const NodeId id : NeededNodes()) TAGFLOW_RETURN_IF_ERROR(Copy(id));
  for (const auto& [merge, slot] : open_) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef next,
                             CopyOf(forward_.graph().node(merge).inputs[slot]));
    TAGFLOW_RETURN_IF_ERROR(forward_.state().ReplaceInput(copies_.at(merge), slot, next));
  }
  OutputList next;
  for (const ForwardVariable& variable : loop_.variables) {
    const OutputRef tensor = forward_.graph().node(variable.next).inputs[0];
    if (const auto outside = captured_.find(tensor.node); outside != captured_.end()) {
      next.push_back(outside->second);  // the builder brings it in
      continue;
    }
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef value, CopyOf(tensor));
    next.push_back(Output(scope_.state(), value));
  }
  return next;
}

}  // namespace tagflow::internal
