// Cond and its two branches. See cond.h for the shape, capture.cc for what happens to tensors that
// the branches use from outside.
//
// Tested by cond_test and conformance/builder.

#include "graph/builder/cond.h"

#include "graph/builder/build_state.h"
#include "graph/builder/function_scope.h"

namespace tagflow {

using internal::BuildState;
using internal::CondFrame;
using internal::Context;
using internal::ContextKind;
using internal::NodeSpec;
using internal::ScopeData;

namespace {

class CondBuilder {
 public:
  CondBuilder(const Scope& scope, std::string_view name)
      : scope_(scope.SubScope(scope.data().op_name.empty() ? name : scope.data().op_name)),
        state_(*scope.state()),
        name_(scope_.data().prefix.substr(0, scope_.data().prefix.size() - 1)) {}

  Result<CondResult> Build(const Output& pred, const BranchFunction& then_branch,
                           const BranchFunction& else_branch);

 private:
  // A branch that has been built: its outputs, captured into it, and what must run with it.
  struct Branch {
    internal::ContextId context;
    std::vector<OutputRef> outputs;
  };

  Status Open(const Output& pred);
  Result<Branch> BuildBranch(const BranchFunction& function, bool value);
  Result<NodeId> Merge(OutputRef on_false, OutputRef on_true, const std::string& name);
  Result<OutputList> MergeOutputs(const Branch& on_false, const Branch& on_true);
  Result<OutputRef> BranchDone(const Branch& branch);
  Result<Operation> Done(const Branch& on_false, const Branch& on_true, const OutputList& outputs);

  Scope scope_;  // named, in the parent context
  BuildState& state_;
  std::string name_;
  size_t frame_ = 0;
};

Status CondBuilder::Open(const Output& pred) {
  if (!pred.valid() || pred.state() != scope_.state()) {
    return InvalidArgument("the predicate of cond '" + name_ + "' is no tensor of this graph");
  }
  if (pred.dtype() != DType::kBool || (pred.shape().known_rank() && pred.shape().rank() != 0)) {
    return InvalidArgument("the predicate of cond '" + name_ + "', '" + pred.name() + "', is " +
                           DTypeName(pred.dtype()) + pred.shape().ToString() +
                           ": a bool scalar is needed (compare, or use All or Any)")
        .WithNode(name_);
  }
  CondFrame frame;
  frame.name = name_;
  frame.parent = scope_.data().context;
  frame.device = scope_.data().device;
  TAGFLOW_ASSIGN_OR_RETURN(frame.pred, state_.Capture(pred.ref(), frame.parent, name_));
  TAGFLOW_ASSIGN_OR_RETURN(frame.controls,
                           state_.CaptureControls(scope_.data().controls, frame.parent, name_));
  frame_ = state_.AddCondFrame(std::move(frame));
  return Status();
}

Result<CondBuilder::Branch> CondBuilder::BuildBranch(const BranchFunction& function, bool value) {
  Branch branch;
  branch.context = state_.AddContext({.kind = ContextKind::kBranch,
                                      .parent = scope_.data().context,
                                      .frame = frame_,
                                      .branch = value,
                                      .effects = {}});
  ScopeData data = scope_.data();
  data.context = branch.context;
  data.controls.clear();  // its Switches wait for them
  const Scope scope(scope_.state(), std::move(data));
  internal::FunctionScope running(scope);
  const OutputList outputs = function(scope);
  TAGFLOW_RETURN_IF_ERROR(state_.status());
  const std::string user = name_ + (value ? " (true branch)" : " (false branch)");
  for (const Output& output : outputs) {
    if (!output.valid() || output.state() != scope_.state()) {
      return InvalidArgument("output " + std::to_string(branch.outputs.size()) + " of " + user +
                             " is no tensor of this graph");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ref,
                             state_.Capture(output.ref(), branch.context, user));
    branch.outputs.push_back(ref);
  }
  return branch;
}

Result<NodeId> CondBuilder::Merge(OutputRef on_false, OutputRef on_true, const std::string& name) {
  NodeSpec spec;
  spec.name = name;
  spec.op = "Merge";
  spec.inputs = {on_false, on_true};
  spec.attrs = {{"N", 2}, {"T", state_.type(on_false).dtype}};
  spec.device = scope_.data().device;
  spec.context = scope_.data().context;
  return state_.AddNode(std::move(spec));
}

Result<OutputList> CondBuilder::MergeOutputs(const Branch& on_false, const Branch& on_true) {
  if (on_false.outputs.size() != on_true.outputs.size()) {
    return InvalidArgument("the true branch of cond '" + name_ + "' gives " +
                           std::to_string(on_true.outputs.size()) +
                           " outputs and the false branch " +
                           std::to_string(on_false.outputs.size()) + ": they must agree")
        .WithNode(name_);
  }
  std::vector<Output> outputs;
  for (size_t i = 0; i < on_true.outputs.size(); ++i) {
    const DType then_type = state_.type(on_true.outputs[i]).dtype;
    const DType else_type = state_.type(on_false.outputs[i]).dtype;
    if (then_type != else_type) {
      return InvalidArgument("output " + std::to_string(i) + " of cond '" + name_ + "' is " +
                             DTypeName(then_type) + " in the true branch and " +
                             DTypeName(else_type) + " in the false one: they must agree")
          .WithNode(name_);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId node,
                             Merge(on_false.outputs[i], on_true.outputs[i], name_ + "/Merge"));
    outputs.emplace_back(scope_.state(), OutputRef{node, 0});
  }
  return OutputList(std::move(outputs), scope_.state());
}

// A token that is live when the branch is taken, and after everything in it that must run.
Result<OutputRef> CondBuilder::BranchDone(const Branch& branch) {
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId pivot, state_.Pivot(branch.context));
  NodeSpec spec;
  spec.name = name_ + (state_.context(branch.context).branch ? "/done_t" : "/done_f");
  spec.op = "Identity";
  spec.inputs = {OutputRef{pivot, 0}};
  spec.controls = state_.context(branch.context).effects;
  spec.attrs = {{"T", DType::kBool}};
  spec.device = scope_.data().device;
  spec.context = branch.context;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, state_.AddNode(std::move(spec)));
  return OutputRef{node, 0};
}

Result<Operation> CondBuilder::Done(const Branch& on_false, const Branch& on_true,
                                    const OutputList& outputs) {
  const bool effects = !state_.context(on_false.context).effects.empty() ||
                       !state_.context(on_true.context).effects.empty();
  if (!effects && !outputs.empty()) return Operation(outputs[0]);
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef false_done, BranchDone(on_false));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef true_done, BranchDone(on_true));
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId merge, Merge(false_done, true_done, name_ + "/done"));
  if (effects) state_.mutable_context(scope_.data().context).effects.push_back(merge);
  return Operation(scope_.state(), merge);
}

Result<CondResult> CondBuilder::Build(const Output& pred, const BranchFunction& then_branch,
                                      const BranchFunction& else_branch) {
  TAGFLOW_RETURN_IF_ERROR(Open(pred));
  TAGFLOW_ASSIGN_OR_RETURN(const Branch on_true, BuildBranch(then_branch, true));
  TAGFLOW_ASSIGN_OR_RETURN(const Branch on_false, BuildBranch(else_branch, false));
  TAGFLOW_ASSIGN_OR_RETURN(OutputList outputs, MergeOutputs(on_false, on_true));
  TAGFLOW_ASSIGN_OR_RETURN(Operation done, Done(on_false, on_true, outputs));
  return CondResult(std::move(outputs), std::move(done));
}

}  // namespace

CondResult Cond(const Scope& scope, const Output& pred, const BranchFunction& then_branch,
                const BranchFunction& else_branch, std::string_view name) {
  if (scope.ok()) {
    Result<CondResult> result = CondBuilder(scope, name).Build(pred, then_branch, else_branch);
    if (result.ok()) return *std::move(result);
    scope.Fail(result.status());
  }
  return CondResult(OutputList({}, scope.state()), Operation(scope.state(), NodeId::kNone));
}

}  // namespace tagflow
