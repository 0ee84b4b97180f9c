// The construction of one loop. Per variable: Enter -> Merge(Enter, NextIteration) ->
// Switch(Merge, LoopCond) -> Identity (the body's input), and Exit.
//
// Invariants:
//   1. The Merge is made with the Enter twice; its second input becomes the NextIteration at the
//      end, so the graph is acyclic while the functions run.
//   2. Merge 0 is the pivot of the predicate (it runs in every iteration, the last one included),
//      the body's first input that of the body (it is dead when the predicate is false).
//   3. A loop variable is a value: a reference is read by its Enter.
//
// Tested by while_loop_test and conformance/builder.

#include "graph/builder/loop_builder.h"

#include <algorithm>

#include "graph/builder/const_op.h"
#include "graph/builder/function_scope.h"

namespace tagflow::internal {

LoopBuilder::LoopBuilder(const Scope& scope, const WhileOptions& options)
    : scope_(scope), state_(*scope.state()), run_effects_(options.run_effects) {
  if (!scope.ok()) return;
  scope_ = scope.SubScope(scope.data().op_name.empty() ? options.name : scope.data().op_name);
  name_ = scope_.data().prefix.substr(0, scope_.data().prefix.size() - 1);
  scope_.Fail(Open(options));
}

Status LoopBuilder::Open(const WhileOptions& options) {
  if (options.parallel_iterations < 1) {
    return InvalidArgument("loop '" + name_ + "' has parallel_iterations " +
                           std::to_string(options.parallel_iterations) + ": at least 1 is needed")
        .WithNode(name_);
  }
  LoopFrame frame;
  frame.name = name_;
  frame.frame_name = options.frame_name.empty() ? name_ : options.frame_name;
  if (!state_.ClaimFrameName(frame.frame_name)) {
    return AlreadyExists("loop '" + name_ + "' asks for the frame_name '" + frame.frame_name +
                         "', which another loop has: each loop needs its own")
        .WithNode(name_);
  }
  frame.parallel_iterations = options.parallel_iterations;
  frame.back_prop = options.back_prop;
  frame.swap_memory = options.swap_memory;
  frame.parent = scope_.data().context;
  frame.device = scope_.data().device;
  TAGFLOW_ASSIGN_OR_RETURN(frame.controls,
                           state_.CaptureControls(scope_.data().controls, frame.parent, name_));
  frame_ = state_.AddLoopFrame(std::move(frame));
  record().listed = options.create_while_context;
  scope_ = scope_.WithoutControlDependencies();  // the Enters wait for them
  cond_ = MakeContext(ContextKind::kLoopCond);
  body_ = MakeContext(ContextKind::kLoopBody);
  marks_ = {{"_back_prop", options.back_prop}, {"_swap_memory", options.swap_memory}};
  return Status();
}

ContextId LoopBuilder::MakeContext(ContextKind kind) {
  return state_.AddContext(
      {.kind = kind, .parent = scope_.data().context, .frame = frame_, .effects = {}});
}

Scope LoopBuilder::ScopeOf(ContextId context) const {
  ScopeData data = scope_.data();
  data.context = context;
  return Scope(scope_.state(), std::move(data));
}

std::string LoopBuilder::VariableName(size_t i) const {
  return "variable " + std::to_string(i - hidden_) + " of loop '" + name_ + "' (initially '" +
         variables_[i].initial.name() + "')";
}

Result<NodeId> LoopBuilder::Add(const std::string& op, ContextId context,
                                std::vector<OutputRef> inputs, AttrMap attrs,
                                std::vector<NodeId> controls) {
  NodeSpec spec;
  spec.name = name_ + "/" + op;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.controls = std::move(controls);
  spec.attrs = std::move(attrs);
  spec.device = scope_.data().device;
  spec.context = context;
  return state_.AddNode(std::move(spec));
}

size_t LoopBuilder::AddVariable(const Output& initial, const PartialShape* invariant) {
  if (!ok()) return 0;
  Result<size_t> index = TryAddVariable(initial, invariant);
  if (!index.ok()) scope_.Fail(index.status());
  return index.ok() ? *index : 0;
}

Result<size_t> LoopBuilder::TryAddVariable(const Output& initial, const PartialShape* invariant) {
  const size_t i = variables_.size();
  if (!initial.valid() || initial.state() != scope_.state()) {
    return InvalidArgument("the initial value of variable " + std::to_string(i - hidden_) +
                           " of loop '" + name_ + "' is no tensor of this graph")
        .WithNode(name_);
  }
  Variable variable{.initial = initial, .shape = initial.shape(), .type = {initial.dtype(), false}};
  if (invariant != nullptr) {
    if (!MergeShapes(variable.shape, *invariant).ok()) {
      return InvalidArgument("the shape invariant " + invariant->ToString() + " of variable " +
                             std::to_string(i - hidden_) + " of loop '" + name_ +
                             "' does not fit its initial value '" + initial.name() + "', " +
                             variable.shape.ToString())
          .WithNode(name_);
    }
    variable.shape = *invariant;
    variable.has_invariant = true;
  }
  const LoopFrame& frame = state_.loop_frame(frame_);
  TAGFLOW_ASSIGN_OR_RETURN(const OutputRef outer,
                           state_.Capture(initial.ref(), frame.parent, name_));
  AttrMap attrs = marks_;
  attrs.insert(attrs.end(), {{"T", variable.type},
                             {"frame_name", frame.frame_name},
                             {"is_constant", false},
                             {"parallel_iterations", frame.parallel_iterations}});
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId enter,
                           Add("Enter", frame.parent, {outer}, std::move(attrs), frame.controls));
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId merge, Add("Merge", cond_, {{enter, 0}, {enter, 0}},
                                                   {{"N", 2}, {"T", variable.type}}));
  state_.SetShape({merge, 0}, variable.shape);
  record().enters.push_back(enter);
  record().merges.push_back(merge);
  if (i == 0) state_.mutable_context(cond_).pivot = merge;
  variables_.push_back(std::move(variable));
  if (record().loop_cond != NodeId::kNone) TAGFLOW_RETURN_IF_ERROR(AddSwitch(i));
  return i;
}

Status LoopBuilder::CheckLimit(const Output& limit) const {
  const bool scalar = !limit.shape().known_rank() || limit.shape().rank() == 0;
  if ((limit.dtype() == DType::kInt32 || limit.dtype() == DType::kInt64) && scalar) return Status();
  return InvalidArgument("maximum_iterations of loop '" + name_ + "' is " +
                         DTypeName(limit.dtype()) + limit.shape().ToString() +
                         ": an int32 or int64 scalar is needed")
      .WithNode(name_);
}

void LoopBuilder::AddCounter(const Output& limit) {
  if (!ok()) return;
  scope_.Fail(CheckLimit(limit));
  const Scope names = scope_.WithOpName("counter");
  AddVariable(limit.dtype() == DType::kInt32 ? Const(names, int32_t{0}) : Const(names, int64_t{0}));
  limit_ = limit;
  hidden_ = 1;
  if (ok()) record().has_iteration_limit = true;
}

// The limit where it is a constant, else the name of its tensor.
AttrValue LoopBuilder::LimitMark() const {
  const Tensor* value = state_.ConstantValue(limit_.ref());
  if (value == nullptr) return limit_.name();
  return value->dtype() == DType::kInt32 ? int64_t{value->scalar<int32_t>()}
                                         : value->scalar<int64_t>();
}

Status LoopBuilder::AddSwitch(size_t i) {
  const ArgType type = variables_[i].type;
  TAGFLOW_ASSIGN_OR_RETURN(
      const NodeId node,
      Add("Switch", cond_, {{record().merges[i], 0}, {record().loop_cond, 0}}, {{"T", type}}));
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId input, Add("Identity", body_, {{node, 1}}, {{"T", type}}));
  record().switches.push_back(node);
  record().body_inputs.push_back({input, 0});
  if (i == 0) {
    state_.mutable_context(body_).pivot = input;
    record().pivot = input;
  }
  return Status();
}

Output LoopBuilder::body_value(size_t i) const {
  if (!ok()) return Output(scope_.state(), OutputRef{});
  return Output(scope_.state(), record().body_inputs[i]);
}

void LoopBuilder::SetPredicate(const PredicateFunction& predicate) {
  if (ok()) scope_.Fail(TrySetPredicate(predicate));
}

Status LoopBuilder::TrySetPredicate(const PredicateFunction& predicate) {
  if (variables_.empty()) {
    return InvalidArgument("loop '" + name_ + "' has no loop variable: at least one is needed")
        .WithNode(name_);
  }
  const Scope scope = ScopeOf(cond_);
  FunctionScope running(scope);
  std::vector<Output> values;
  for (const NodeId merge : record().merges) values.emplace_back(scope_.state(), OutputRef{merge});
  const Output answer = predicate(scope, OutputList(std::move(values), scope_.state()));
  TAGFLOW_RETURN_IF_ERROR(state_.status());
  if (!answer.valid() || answer.state() != scope_.state()) {
    return InvalidArgument("the predicate of loop '" + name_ + "' gives no tensor of this graph")
        .WithNode(name_);
  }
  if (answer.dtype() != DType::kBool ||
      (answer.shape().known_rank() && answer.shape().rank() != 0)) {
    return InvalidArgument("the predicate of loop '" + name_ + "', '" + answer.name() + "', is " +
                           DTypeName(answer.dtype()) + answer.shape().ToString() +
                           ": a bool scalar is needed")
        .WithNode(name_);
  }
  TAGFLOW_ASSIGN_OR_RETURN(record().cond_output, state_.Capture(answer.ref(), cond_, name_));
  AttrMap marks = marks_;
  if (limit_.valid()) marks.emplace_back("_maximum_iterations", LimitMark());
  TAGFLOW_ASSIGN_OR_RETURN(
      record().loop_cond,
      Add("LoopCond", cond_, {record().cond_output}, std::move(marks),
          run_effects_ ? state_.context(cond_).effects : std::vector<NodeId>()));
  for (size_t i = 0; i < variables_.size(); ++i) TAGFLOW_RETURN_IF_ERROR(AddSwitch(i));
  return Status();
}

void LoopBuilder::BuildBody(const BodyFunction& function) {
  if (ok()) scope_.Fail(TryBuildBody(function));
}

Status LoopBuilder::TryBuildBody(const BodyFunction& function) {
  const Scope scope = ScopeOf(body_);
  FunctionScope running(scope);
  std::vector<Output> values;
  for (const OutputRef input : record().body_inputs) values.emplace_back(scope_.state(), input);
  const OutputList next = function(scope, OutputList(std::move(values), scope_.state()));
  TAGFLOW_RETURN_IF_ERROR(state_.status());
  if (next.size() != variables_.size()) {
    return InvalidArgument("the body of loop '" + name_ + "' gives " +
                           std::to_string(next.size() - std::min(next.size(), hidden_)) +
                           " tensors, and there are " +
                           std::to_string(variables_.size() - hidden_) +
                           " loop variables: it must give the next value of each")
        .WithNode(name_);
  }
  for (size_t i = 0; i < next.size(); ++i) {
    if (!next[i].valid() || next[i].state() != scope_.state()) {
      return InvalidArgument("the body gives no tensor of this graph for " + VariableName(i))
          .WithNode(name_);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ref,
                             state_.Capture(next[i].ref(), body_, name_ + " (next value)"));
    TAGFLOW_RETURN_IF_ERROR(CheckNext(i, ref));
    record().body_outputs.push_back(ref);
  }
  return Status();
}

Status LoopBuilder::CheckNext(size_t i, OutputRef next) const {
  const Variable& variable = variables_[i];
  const DType dtype = state_.type(next).dtype;
  if (dtype != variable.type.dtype) {
    return InvalidArgument("the body gives '" + state_.Name(next) + "', " + DTypeName(dtype) +
                           ", for " + VariableName(i) + ", which is " +
                           DTypeName(variable.type.dtype) + ": it must keep its type")
        .WithNode(name_);
  }
  const PartialShape& shape = state_.shape(next);
  if (MergeShapes(shape, variable.shape).ok()) return Status();
  return InvalidArgument("the body gives '" + state_.Name(next) + "' of shape " + shape.ToString() +
                         " for " + VariableName(i) + ", whose shape is " +
                         variable.shape.ToString() +
                         ": where shapes change from one iteration to the next, say in "
                         "shape_invariants what stays")
      .WithNode(name_);
}

// What every NextIteration waits for: nothing, the one effect, or a NoOp after all of them.
Result<std::vector<NodeId>> LoopBuilder::JoinedEffects() {
  const std::vector<NodeId> effects = state_.context(body_).effects;
  if (!run_effects_) return std::vector<NodeId>();
  if (effects.size() <= 1 || variables_.size() == 1) return effects;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId join, Add("NoOp", body_, {}, {}, effects));
  return std::vector<NodeId>{join};
}

Status LoopBuilder::AddNext(size_t i, OutputRef next, const std::vector<NodeId>& effects) {
  TAGFLOW_ASSIGN_OR_RETURN(
      const NodeId node, Add("NextIteration", body_, {next}, {{"T", variables_[i].type}}, effects));
  record().next_iterations.push_back(node);
  TAGFLOW_RETURN_IF_ERROR(state_.ReplaceInput(record().merges[i], 1, {node, 0}));
  // What the final value may be: the initial one, or any later one.
  if (!variables_[i].has_invariant) {
    variables_[i].shape = JoinShapes(variables_[i].shape, state_.shape(next));
  }
  return Status();
}

OutputList LoopBuilder::Finish() {
  if (ok()) {
    Result<OutputList> outputs = TryFinish();
    if (outputs.ok()) return *std::move(outputs);
    scope_.Fail(outputs.status());
  }
  return OutputList({}, scope_.state());
}

Result<OutputList> LoopBuilder::TryFinish() {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<NodeId> effects, JoinedEffects());
  for (size_t i = 0; i < variables_.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(AddNext(i, record().body_outputs[i], effects));
  }
  std::vector<Output> outputs;
  for (size_t i = 0; i < variables_.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId exit,
                             Add("Exit", scope_.data().context, {{record().switches[i], 0}},
                                 {{"T", variables_[i].type}}));
    record().exits.push_back(exit);
    state_.SetShape({exit, 0}, variables_[i].shape);
    outputs.emplace_back(scope_.state(), OutputRef{exit, 0});
  }
  const bool has_effects =
      !state_.context(body_).effects.empty() || !state_.context(cond_).effects.empty();
  if (run_effects_ && has_effects) {
    state_.mutable_context(scope_.data().context).effects.push_back(record().exits[0]);
  }
  return OutputList(std::move(outputs), scope_.state());
}

}  // namespace tagflow::internal
