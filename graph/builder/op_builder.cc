#include "graph/builder/op_builder.h"

#include <algorithm>

#include "graph/builder/bind_args.h"
#include "graph/builder/build_state.h"
#include "graph/builder/effects.h"

namespace tagflow {

using internal::BindArgs;
using internal::BoundCall;
using internal::BoundInput;
using internal::BuildState;
using internal::NodeSpec;

namespace {

Status NoSuchOp(const OpRegistry& registry, std::string_view op) {
  auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
  for (const OpDef* def : registry.All()) {
    if (std::equal(def->name.begin(), def->name.end(), op.begin(), op.end(), same)) {
      return NotFound("no op is named '" + std::string(op) + "': did you mean '" + def->name +
                      "'?");
    }
  }
  return NotFound("no op is named '" + std::string(op) + "'");
}

NodeSpec SpecOf(const Scope& scope, std::string name, std::string_view op) {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.op = op;
  spec.device = scope.data().device;
  spec.context = scope.data().context;
  return spec;
}

Result<NodeId> AddConst(const Scope& scope, std::string name, Tensor value) {
  NodeSpec spec = SpecOf(scope, std::move(name), "Const");
  spec.attrs = {{"dtype", value.dtype()}, {"value", std::move(value)}};
  return scope.state()->AddNode(std::move(spec));
}

Result<OutputRef> Resolve(const Scope& scope, const std::string& node, const BoundInput& input) {
  if (!input.output.valid()) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId id,
                             AddConst(scope, node + "/" + input.arg, input.constant));
    return OutputRef{id, 0};
  }
  if (input.output.state() != scope.state()) {
    return InvalidArgument("'" + node + "': '" + input.output.name() + "' belongs to another graph")
        .WithNode(node);
  }
  return scope.state()->Capture(input.output.ref(), scope.data().context, node);
}

Status AddColocation(const Scope& scope, AttrMap* attrs) {
  if (scope.data().colocation.empty()) return Status();
  for (const auto& [name, value] : *attrs) {
    if (name == "_class") return Status();  // the caller's own
  }
  AttrList list;
  list.strings = scope.data().colocation;
  attrs->emplace_back("_class", std::move(list));
  return Status();
}

Result<NodeId> Make(const Scope& scope, std::string_view op, std::vector<Input> inputs,
                    AttrMap attrs) {
  BuildState& state = *scope.state();
  const OpDef* def = state.graph().registry().Find(op);
  if (def == nullptr) return NoSuchOp(state.graph().registry(), op);
  const std::string name = state.mutable_graph().UniqueName(scope.OpName(op));
  TAGFLOW_ASSIGN_OR_RETURN(BoundCall call,
                           BindArgs(*def, name, std::move(inputs), std::move(attrs)));
  NodeSpec spec = SpecOf(scope, name, op);
  spec.attrs = std::move(call.attrs);
  // Before any constant is made for it: an error leaves no node behind.
  Node probe;
  probe.name = name;
  probe.op = op;
  probe.def = def;
  probe.attrs = spec.attrs;
  TAGFLOW_ASSIGN_OR_RETURN(Signature signature, ResolveSignature(probe));
  TAGFLOW_RETURN_IF_ERROR(AddColocation(scope, &spec.attrs));
  TAGFLOW_ASSIGN_OR_RETURN(
      spec.controls, state.CaptureControls(scope.data().controls, scope.data().context, name));
  for (const BoundInput& input : call.inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ref, Resolve(scope, name, input));
    spec.inputs.push_back(ref);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId id,
                           state.AddChecked(std::move(spec), std::move(signature)));
  if (internal::IsEffect(state.graph().node(id))) {
    state.mutable_context(scope.data().context).effects.push_back(id);
  }
  return id;
}

}  // namespace

Operation Op(const Scope& scope, std::string_view op, std::vector<Input> inputs, AttrMap attrs) {
  if (!scope.ok()) return Operation(scope.state(), NodeId::kNone);
  Result<NodeId> node = Make(scope, op, std::move(inputs), std::move(attrs));
  if (!node.ok()) scope.Fail(node.status());
  return Operation(scope.state(), node.ok() ? *node : NodeId::kNone);
}

Output Const(const Scope& scope, Tensor value) {
  if (!value.has_value()) {
    scope.Fail(InvalidArgument("a constant needs a value: the Tensor is empty"));
  }
  if (!scope.ok()) return Output(scope.state(), OutputRef{});
  const DType dtype = value.dtype();
  return Op(scope, "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
}

}  // namespace tagflow
