#include "graph/builder/scope.h"

#include "graph/builder/build_state.h"
#include "graph/out_of_memory.h"
#include "graph/unknown_ops.h"

namespace tagflow {

using internal::BuildState;
using internal::ScopeData;

Scope Scope::Root(const OpRegistry& registry) {
  return Scope(std::make_shared<BuildState>(registry), ScopeData());
}

Result<Scope> Scope::Open(Graph graph) {
  return OrOutOfMemory([&]() -> Result<Scope> {
    TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<BuildState> state, BuildState::Open(std::move(graph)));
    return Scope(std::shared_ptr<BuildState>(std::move(state)), ScopeData());
  });
}

Scope Scope::Current(const Output& output) {
  return Scope(output.state(), output.state()->current());
}

Scope Scope::SubScope(std::string_view name) const {
  Scope scope = *this;
  const std::string wanted = data_.prefix + std::string(name);
  scope.data_.prefix = state_->UniqueScopeName(wanted) + "/";
  scope.data_.op_name.clear();
  return scope;
}

Scope Scope::WithOpName(std::string_view name) const {
  Scope scope = *this;
  scope.data_.op_name = name;
  return scope;
}

Scope Scope::WithDevice(std::string_view device) const {
  Scope scope = *this;
  scope.data_.device = device;
  return scope;
}

Scope Scope::ColocateWith(const Operation& op) const {
  Scope scope = *this;
  if (!op.valid() || op.state() != state_) {
    Fail(InvalidArgument("ColocateWith needs an operation of this graph"));
    return scope;
  }
  const Node& node = graph().node(op.node());
  scope.data_.colocation = {"loc:@" + node.name};
  scope.data_.device = node.device;
  return scope;
}

Scope Scope::WithControlDependencies(const std::vector<Operation>& ops) const {
  Scope scope = *this;
  for (const Operation& op : ops) {
    if (!op.valid() || op.state() != state_) {
      Fail(InvalidArgument("a control dependency must be an operation of this graph"));
      return scope;
    }
    scope.data_.controls.push_back(op.node());
  }
  return scope;
}

Scope Scope::WithoutControlDependencies() const {
  Scope scope = *this;
  scope.data_.controls.clear();
  return scope;
}

const Status& Scope::status() const { return state_->status(); }
void Scope::Fail(const Status& status) const { state_->Fail(status); }
const Graph& Scope::graph() const { return state_->graph(); }

Result<Output> Scope::Find(std::string_view tensor_name) const {
  return OrOutOfMemory([&]() -> Result<Output> {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ref, FindOutput(graph(), tensor_name));
    const Node& node = graph().node(ref.node);
    if (IsStandIn(node)) return CannotRun(node, "");  // its types are what others take it for
    TAGFLOW_RETURN_IF_ERROR(ResolveSignature(node).status());
    return Output(state_, ref);
  });
}

Result<Graph> Scope::Finish() const {
  if (!ok()) return status();
  if (state_->in_function()) {
    return FailedPrecondition(
        "Finish is called inside a branch or body function: the graph is not whole yet");
  }
  return OrOutOfMemory([&]() -> Result<Graph> {
    Graph whole = state_->graph().Clone();
    RestoreUnknownOps(whole);
    return whole;
  });
}

void Scope::ReplaceInput(const Operation& op, int index, const Output& input) const {
  if (!ok()) return;
  if (!op.valid() || !input.valid() || op.state() != state_ || input.state() != state_ ||
      index < 0) {
    return Fail(InvalidArgument("ReplaceInput needs an operation, an input and a tensor of it"));
  }
  Fail(state_->ReplaceInput(op.node(), static_cast<size_t>(index), input.ref()));
}

void Scope::AddControlInput(const Operation& op, const Operation& control) const {
  if (!ok()) return;
  if (!op.valid() || !control.valid() || op.state() != state_ || control.state() != state_) {
    return Fail(InvalidArgument("AddControlInput needs two operations of this graph"));
  }
  state_->AddControl(op.node(), control.node());
}

void Scope::SetShape(const Output& output, const PartialShape& shape) const {
  if (!ok()) return;
  if (!output.valid() || output.state() != state_) {
    return Fail(InvalidArgument("SetShape needs a tensor of this graph"));
  }
  Result<PartialShape> merged = MergeShapes(state_->shape(output.ref()), shape);
  if (!merged.ok()) return Fail(merged.status().WithNode(output.name()));
  state_->SetShape(output.ref(), *std::move(merged));
}

std::vector<WhileContext> Scope::while_contexts() const {
  return {state_->while_contexts().begin(), state_->while_contexts().end()};
}

std::string Scope::OpName(std::string_view fallback) const {
  return data_.prefix + (data_.op_name.empty() ? std::string(fallback) : data_.op_name);
}

}  // namespace tagflow
