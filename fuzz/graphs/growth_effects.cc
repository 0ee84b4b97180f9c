#include "fuzz/graphs/growth_effects.h"

#include <string>

#include "fuzz/graphs/message.h"

namespace tagflow::fuzz {

void EffectGrowth::Touch(int frame) {
  if (variables_.empty() || choices_.Chance(kSometimes)) variables_.push_back(NewVariable());
  Variable& variable = variables_[choices_.Below(variables_.size())];
  const std::vector<NodeId> before = maker_.frame(frame).nodes;
  const Value handle =
      BroughtInto(frame, choices_.Chance(kSeldom) ? OtherHandle(variable) : variable.handle);
  static const std::vector<std::string> ops = {"ReadVariableOp", "AssignVariableOp",
                                               "AssignAddVariableOp"};
  static const Odds weights[] = {kEvenly, kSometimes, kSometimes};
  const size_t op = choices_.Weighted(weights);
  std::vector<Value> inputs = {handle};
  if (op != 0) inputs.push_back(AnyInt(frame));
  const std::vector<DType> outputs(op == 0 ? 1 : 0, DType::kInt32);
  const NodeId id = maker_.AddOp(frame, ops[op], inputs, outputs, {{"dtype", DType::kInt32}});
  const bool ordered = variable.last != NodeId::kNone && variable.last_frame == frame;
  if (ordered && !choices_.Chance(kSeldom)) {
    WaitFor(id, variable.last);
  } else if (!before.empty() && choices_.Chance(kEvenly)) {
    WaitFor(id, choices_.Of(before));
  }
  variable.last = id;
  variable.last_frame = frame;
}

// Also by way of a node that does nothing.
void EffectGrowth::WaitFor(NodeId id, NodeId before) {
  if (choices_.Chance(kSometimes)) {
    const NodeId between =
        maker_.AddNode(choices_.Chance(kEvenly) ? "ControlTrigger" : "NoOp", {}, {});
    maker_.AddControl(between, before);
    before = between;  // made later than `id`: others must not take it for earlier
  }
  maker_.AddControl(id, before);
}

// A handle, behind the variable's first assignment as a rule. Now and then the name is another
// variable's, in another container ([resource.1]).
EffectGrowth::Variable EffectGrowth::NewVariable() {
  const bool shares = !variables_.empty() && choices_.Chance(kEvenly);
  const std::string number = std::to_string(maker_.graph.num_nodes());
  Variable variable;
  variable.name = shares ? variables_.back().name : "v" + number;
  variable.container = shares ? "c" + number : "";
  const Value handle = Handle(variable);
  variable.handle = handle;
  if (!choices_.Chance(kSeldom)) {
    const NodeId init = maker_.AddOp(kRoot, "AssignVariableOp", {handle, AnyInt(kRoot)}, {},
                                     {{"dtype", DType::kInt32}});
    const NodeId after =
        maker_.AddOp(kRoot, "Identity", {handle}, {DType::kResource}, {{"T", DType::kResource}});
    maker_.AddControl(after, init);
    variable.handle = maker_.frame(kRoot).values.back();
  }
  return variable;
}

Value EffectGrowth::Handle(const Variable& variable) {
  const NodeId id = maker_.AddNode("VarHandleOp", {},
                                   {{"dtype", DType::kInt32},
                                    {"shape", PartialShape::Scalar()},
                                    {"container", variable.container},
                                    {"shared_name", variable.name}});
  maker_.frame(kRoot).nodes.push_back(id);
  return {{id, 0}, DType::kResource, Span::kOnce, {}};
}

// By a node of its own; there when the variable's first handle is.
Value EffectGrowth::OtherHandle(const Variable& variable) {
  const Value copy = maker_.AddIdentity(kRoot, Handle(variable));
  maker_.AddControl(copy.output.node, variable.handle.output.node);
  return copy;
}

// The Recv waits for something of the frame, so that it is there under the Send's tags.
void EffectGrowth::SendAndReceive(int frame) {
  const Value value = AnyInt(frame);
  const std::vector<NodeId> nodes = maker_.frame(frame).nodes;
  const NodeId control = choices_.Chance(kEvenly) ? value.output.node : choices_.Of(nodes);
  const auto [send, receive] =
      AddMessage(maker_, value, control, NextKey(frame), choices_.Chance(kSometimes));
  MaybeControl(frame, send, kSometimes);
  for (const NodeId node : {receive, send}) maker_.frame(frame).nodes.push_back(node);
  // What comes may be dead, and the Recv is not ([rendezvous.2]).
  if (choices_.Chance(kEvenly)) {
    maker_.AddControl(maker_.AddIdentity(frame, AnyInt(frame)).output.node, receive);
  }
  maker_.Publish(frame, {{receive, 0}, DType::kInt32, value.span, {}});
}

// Of keys that differ in one part; the first ones of loops share one, since their tags differ.
MessageKey EffectGrowth::NextKey(int frame) {
  MessageKey key{"edge"};
  const bool is_first = frame != kRoot && sending_.insert(frame).second;
  if (is_first) return key;
  const int number = static_cast<int>(maker_.graph.num_nodes());
  enum { kName, kSender, kReceiver };
  const auto part = choices_.Of({kName, kSender, kReceiver});
  if (part == kName) key.name += std::to_string(number);
  if (part == kSender) key.sender = number;
  if (part == kReceiver) key.receiver = number;
  return key;
}

}  // namespace tagflow::fuzz
