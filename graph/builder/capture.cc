// Captures: a tensor made further out and used in a branch or a loop.
//
// A tensor of a context may be used in that context and in those inside it. On its way in it passes
// every boundary once:
//
//     root            x ───────────────────────────────┐
//     loop f            Enter(x, is_constant, f) ──────┐   one per (tensor, loop)
//     branch in f         Switch(Enter, pred) ─ port 1 ┐   one per (tensor, cond), both branches
//     op there              Mul(Switch:1, …)
//
// Invariants:
//   1. What Capture returns lies in the frame of the context it was asked for, and is dead whenever
//      that branch is not taken.
//   2. A node of a loop runs in no iteration but those the predicate lets in: one all of whose
//      inputs are constant Enters, or that has none, hangs on the pivot by a control edge. A chain
//      Enter -> Enter into an inner loop obeys this as well, so no inner frame is made in the
//      outer loop's last, false iteration.
//   3. No control edge crosses a frame: a control input from outside a loop becomes
//      Const -> Enter(is_constant), and the edge leaves the Enter, for every iteration.
//
// Tested by capture_test, cond_test, while_loop_test and conformance/builder.

#include <algorithm>

#include "graph/builder/build_state.h"

namespace tagflow::internal {
namespace {

std::string LastPart(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

bool IsLoopPart(ContextKind kind) {
  return kind == ContextKind::kLoopCond || kind == ContextKind::kLoopBody;
}

AttrMap EnterAttrs(ArgType type, const LoopFrame& frame) {
  return {{"T", type.dtype},
          {"frame_name", frame.frame_name},
          {"is_constant", true},
          {"parallel_iterations", frame.parallel_iterations}};
}

}  // namespace

Status BuildState::NotVisible(const std::string& what, ContextId made_in, ContextId to,
                              const std::string& user) const {
  std::string fix;
  if (!context(made_in).closed) {
    fix = "make '" + user + "' with the Scope that the function is given";
  } else if (context(made_in).kind == ContextKind::kBranch) {
    fix = "return it from both branches and use the output of the Cond";
  } else if (context(made_in).kind == ContextKind::kLoopCond) {
    fix = "compute it again where it is needed";
  } else {
    fix = "return it from the body as a loop variable and use the output of the loop";
  }
  return InvalidArgument("'" + what + "' belongs to " + Describe(made_in) + ", and '" + user +
                         "' in " + Describe(to) + " cannot use it: " + fix)
      .WithNode(user);
}

Result<OutputRef> BuildState::Capture(OutputRef output, ContextId to, const std::string& user) {
  const ContextId made_in = context_of(output.node);
  if (made_in == to) return output;
  if (!Encloses(made_in, to)) return NotVisible(Name(output), made_in, to, user);
  const Context& inner = context(to);
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef outer, Capture(output, inner.parent, user));
  return IsLoopPart(inner.kind) ? CaptureInLoop(output, outer, inner)
                                : CaptureInBranch(output, outer, inner);
}

Result<OutputRef> BuildState::CaptureInBranch(OutputRef source, OutputRef outer,
                                              const Context& context) {
  CondFrame& frame = cond_frames_[context.frame];
  const auto known = frame.switches.find(outer);
  if (known != frame.switches.end()) return OutputRef{known->second, context.branch ? 1 : 0};
  const ArgType held = type(outer);
  NodeSpec spec;
  spec.name = frame.name + "/" + LastPart(graph_.node(source.node).name) + "/Switch";
  spec.op = held.is_ref ? "RefSwitch" : "Switch";
  spec.inputs = {outer, frame.pred};
  spec.controls = frame.controls;
  spec.attrs = {{"T", held.dtype}};
  spec.device =
      graph_.node(outer.node).device.empty() ? frame.device : graph_.node(outer.node).device;
  spec.context = frame.parent;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, AddNode(std::move(spec)));
  frame.switches.emplace(outer, node);
  return OutputRef{node, context.branch ? 1 : 0};
}

Result<OutputRef> BuildState::CaptureInLoop(OutputRef source, OutputRef outer,
                                            const Context& context) {
  const size_t index = context.frame;
  LoopFrame& frame = loop_frames_[index];
  const auto known = frame.enters.find(outer);
  if (known != frame.enters.end()) return OutputRef{known->second, 0};
  const ArgType held = type(outer);
  NodeSpec spec;
  spec.name = frame.name + "/" + LastPart(graph_.node(source.node).name) + "/Enter";
  spec.op = held.is_ref ? "RefEnter" : "Enter";
  spec.inputs = {outer};
  spec.controls = frame.controls;
  spec.attrs = EnterAttrs(held, frame);
  spec.device =
      graph_.node(outer.node).device.empty() ? frame.device : graph_.node(outer.node).device;
  spec.context = frame.parent;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, AddNode(std::move(spec)));
  frame.enters.emplace(outer, node);
  frame.constant_enters.insert(node);
  while_contexts_[index].captures.emplace_back(outer, node);
  return OutputRef{node, 0};
}

Result<NodeId> BuildState::CaptureControl(NodeId control, ContextId to, const std::string& user) {
  const ContextId made_in = context_of(control);
  if (made_in == to) return control;
  if (!Encloses(made_in, to)) return NotVisible("^" + graph_.node(control).name, made_in, to, user);
  const Context& inner = context(to);
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId outer, CaptureControl(control, inner.parent, user));
  // A branch shares its parent's frame: the edge may go straight in.
  return IsLoopPart(inner.kind) ? CaptureControlInLoop(outer, inner) : Result<NodeId>(outer);
}

Result<NodeId> BuildState::CaptureControlInLoop(NodeId outer, const Context& context) {
  LoopFrame& frame = loop_frames_[context.frame];
  const auto known = frame.control_enters.find(outer);
  if (known != frame.control_enters.end()) return known->second;
  const std::string name = frame.name + "/" + LastPart(graph_.node(outer).name);
  NodeSpec token;
  token.name = name + "/token";
  token.op = "Const";
  token.controls = {outer};
  token.attrs = {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}};
  token.device = frame.device;
  token.context = frame.parent;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId value, AddNode(std::move(token)));
  NodeSpec enter;
  enter.name = name + "/control/Enter";
  enter.op = "Enter";
  enter.inputs = {OutputRef{value, 0}};
  enter.controls = frame.controls;
  enter.attrs = EnterAttrs(ArgType{DType::kBool, false}, frame);
  enter.device = frame.device;
  enter.context = frame.parent;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, AddNode(std::move(enter)));
  frame.control_enters.emplace(outer, node);
  frame.constant_enters.insert(node);
  return node;
}

Result<std::vector<NodeId>> BuildState::CaptureControls(const std::vector<NodeId>& controls,
                                                        ContextId to, const std::string& user) {
  std::vector<NodeId> inside;
  for (const NodeId control : controls) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, CaptureControl(control, to, user));
    inside.push_back(node);
  }
  return inside;
}

Result<NodeId> BuildState::Pivot(ContextId id) {
  if (context(id).pivot != NodeId::kNone) return context(id).pivot;
  // Only a branch makes its pivot late: a loop has one from its first variable on.
  TAGFLOW_CHECK(context(id).kind == ContextKind::kBranch);
  const CondFrame& frame = cond_frames_[context(id).frame];
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef pred,
                           CaptureInBranch(frame.pred, frame.pred, context(id)));
  NodeSpec spec;
  spec.name = frame.name + (context(id).branch ? "/switch_t" : "/switch_f");
  spec.op = "Identity";
  spec.inputs = {pred};
  spec.attrs = {{"T", DType::kBool}};
  spec.device = frame.device;
  spec.context = id;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId pivot, AddNode(std::move(spec)));
  mutable_context(id).pivot = pivot;
  return pivot;
}

Result<bool> BuildState::NeedsPivot(const NodeSpec& spec) const {
  if (spec.context == ContextId::kRoot) return false;
  const Context& c = context(spec.context);
  if (IsLoopPart(c.kind)) {
    const LoopFrame& frame = loop_frames_[c.frame];
    for (const OutputRef input : spec.inputs) {
      if (!frame.constant_enters.contains(input.node)) return false;
    }
  } else if (!spec.inputs.empty()) {
    return false;
  }
  // A control input made in this very context hangs on the pivot itself, and hands its deadness on;
  // a ControlTrigger does not.
  for (const NodeId control : spec.controls) {
    if (context_of(control) == spec.context && graph_.node(control).op != "ControlTrigger") {
      return false;
    }
  }
  return true;
}

}  // namespace tagflow::internal
