// Variables, by reference (VariableV2, Assign, …) and by resource handle (VarHandleOp,
// ReadVariableOp, …). A variable holds an immutable tensor, and a write puts another in its place,
// so what was read before stays as it was.                            Spec: [ref.2], [resource.1]

#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/table.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

// TensorFlow's name for "each execution makes a variable of its own".
constexpr char kAnonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// The container, "localhost" unless given, and the name the node's variable is known by.
Result<Resources::Key> KeyOf(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string container, StringAttr(node, "container"));
  TAGFLOW_ASSIGN_OR_RETURN(std::string name, StringAttr(node, "shared_name"));
  if (container.empty()) container = "localhost";
  if (name.empty()) name = node.name;
  return Resources::Key(std::move(container), std::move(name));
}

// `target` with all of its elements changed by those of `by`.
Result<Tensor> ChangedWhole(const Node& node, const Tensor& target, const Tensor& by,
                            Change change) {
  std::vector<int64_t> all(static_cast<size_t>(target.num_elements()));
  std::iota(all.begin(), all.end(), int64_t{0});
  return Changed(node.op, target, all, by, change);
}

// ---- Resource variables ----

//   output: a handle; the variable itself appears with its first assignment
Status VarHandle(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Resources::Key key, KeyOf(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "shape"));
  ResourceHandle handle;
  handle.container = key.first;
  handle.name = key.second;
  handle.type_name = kVariableTypeName;
  if (key.second == kAnonymous) {
    auto variable = std::make_shared<Variable>();
    variable->name = context.node.name;
    TAGFLOW_ASSIGN_OR_RETURN(variable->dtype, TypeAttr(context.node, "dtype"));
    variable->shape = shape;
    handle.object = std::move(variable);
  } else {
    // Its dtype is that of whoever assigns it first.
    TAGFLOW_RETURN_IF_ERROR(
        context.resources.FindOrCreateVariable(key, DType::kInvalid, shape).status());
  }
  context.outputs[0] = Tensor::Scalar(std::move(handle));
  return Status();
}

Status Read(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
  LogAccess(context, *variable, false);
  const DType dtype = context.signature.outputs[0].dtype;
  if (!variable->value.has_value()) {
    // An anonymous variable that nobody assigned reads as nothing at all in TensorFlow; here it is
    // as uninitialized as any other.
    return FailedPrecondition("Could not find variable " + variable->name +
                              ". This could mean that the variable has been deleted, or that it "
                              "is uninitialized: run what assigns it first (" +
                              HandleText(context) + ")");
  }
  if (variable->dtype != dtype) return WrongDType("read", dtype, variable->dtype);
  context.outputs[0] = variable->value;
  return Status();
}

Status AssignVariable(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool validate_shape, BoolAttr(context.node, "validate_shape"));
  LogAccess(context, *variable, true);
  const Tensor& value = context.inputs[1];
  if (variable->dtype != DType::kInvalid && variable->dtype != value.dtype()) {
    return WrongDType("assign", variable->dtype, value.dtype());
  }
  if (validate_shape && variable->value.has_value() &&
      ToDims(variable->value.dims()) != ToDims(value.dims())) {
    return InvalidArgument("Trying to assign to variable with tensor with wrong shape. Expected " +
                           DimsString(variable->value.dims()) + " got " + DimsString(value.dims()));
  }
  variable->dtype = value.dtype();
  variable->value = value;
  return Status();
}

Status UpdateVariable(KernelContext& context, Change change) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, FindVariable(context, true));
  const Tensor& value = context.inputs[1];
  if (variable->dtype != value.dtype()) return WrongDType("update", variable->dtype, value.dtype());
  if (ToDims(variable->value.dims()) != ToDims(value.dims())) {
    return InvalidArgument("Cannot update variable with shape " +
                           DimsString(variable->value.dims()) + " using a Tensor with shape " +
                           DimsString(value.dims()) + ", shapes must be equal.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(variable->value,
                           ChangedWhole(context.node, variable->value, value, change));
  return Status();
}

Status AssignAddVariable(KernelContext& context) { return UpdateVariable(context, Change::kAdd); }
Status AssignSubVariable(KernelContext& context) {
  return UpdateVariable(context, Change::kSubtract);
}

Status VarIsInitialized(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
  LogQuestion(context, *variable);
  context.outputs[0] = Tensor::Scalar(variable->value.has_value());
  return Status();
}

Status VariableShape(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, FindVariable(context, false));
  const Dims dims = ToDims(variable->value.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(context.signature.outputs[0].dtype,
                                       Dims{static_cast<int64_t>(dims.size())}, dims));
  return Status();
}

Status DestroyResource(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool ignore_missing,
                           BoolAttr(context.node, "ignore_lookup_error"));
  if (IsTableHandle(context.inputs[0])) return DestroyTable(context, ignore_missing);
  Result<std::shared_ptr<Variable>> variable = FindVariable(context, true);
  if (!variable.ok()) {
    const bool missing = variable.status().code() == Code::kNotFound;
    return ignore_missing && missing ? Status() : variable.status();
  }
  // The object stays, as the name's place: whoever assigns it next may choose another dtype.
  (*variable)->value = Tensor();
  (*variable)->dtype = DType::kInvalid;
  return Status();
}

// ---- Reference variables ----

// Kept apart from resource variables of the same name, which are another kind of object.
constexpr char kReferences[] = " (references)";

Status RefVariable(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Resources::Key key, KeyOf(context.node));
  key.first += kReferences;
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(context.node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "shape"));
  if (shape.known_rank() && !shape.fully_known()) {
    return InvalidArgument("Shape " + shape.ToString() + " is not fully defined");
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.output_variables[0],
                           context.resources.FindOrCreateVariable(key, dtype, shape));
  return Status();
}

Status IsInitialized(KernelContext& context) {
  const Variable& variable = *context.variables[0];
  LogQuestion(context, variable);
  context.outputs[0] = Tensor::Scalar(variable.value.has_value());
  return Status();
}

// The shape an assignment must have: that of the value, before the first one that of the node.
Dims ShapeToKeep(const Variable& variable) {
  if (variable.value.has_value()) return ToDims(variable.value.dims());
  return variable.shape.known_rank() ? variable.shape.dims() : Dims();
}

//   ref: reference; value: of its dtype; output: ref
Status Assign(KernelContext& context) {
  Variable& variable = *context.variables[0];
  const Tensor& value = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const bool validate_shape, BoolAttr(context.node, "validate_shape"));
  const Dims shape = ShapeToKeep(variable);
  LogAccess(context, variable, true);
  if (validate_shape && shape != ToDims(value.dims())) {
    return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= " +
                           DimsString(shape) + " rhs shape= " + DimsString(value.dims()));
  }
  variable.value = value;
  context.output_variables[0] = context.variables[0];
  return Status();
}

Status Update(KernelContext& context, Change change) {
  Variable& variable = *context.variables[0];
  const Tensor& value = context.inputs[1];
  LogAccess(context, variable, true);
  TAGFLOW_RETURN_IF_ERROR(CheckInitialized(variable));
  if (ToDims(variable.value.dims()) != ToDims(value.dims())) {
    return InvalidArgument("Parameters and update must be the same size");
  }
  TAGFLOW_ASSIGN_OR_RETURN(variable.value,
                           ChangedWhole(context.node, variable.value, value, change));
  context.output_variables[0] = context.variables[0];
  return Status();
}

Status AssignAdd(KernelContext& context) { return Update(context, Change::kAdd); }
Status AssignSub(KernelContext& context) { return Update(context, Change::kSubtract); }

//   the value of a variable: int32 or int64 scalar; output: its value before it was counted up
//   Errors: OUT_OF_RANGE once it has reached `limit`
Status CountUp(KernelContext& context, Variable& variable) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t limit, IntAttr(context.node, "limit"));
  const DType wanted = context.signature.outputs[0].dtype;
  if (variable.value.dtype() != wanted) return WrongDType("count", wanted, variable.value.dtype());
  if (variable.value.rank() != 0) {
    return InvalidArgument("input is not a scalar: " + DimsString(variable.value.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, SingleIndex(variable.value, "ref"));
  if (count >= limit) return OutOfRange("Reached limit of " + std::to_string(limit));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor next, IndexTensor(variable.dtype, {}, {count + 1}));
  context.outputs[0] = std::exchange(variable.value, std::move(next));
  return Status();
}

Status CountUpTo(KernelContext& context) {
  Variable& variable = *context.variables[0];
  LogAccess(context, variable, true);
  TAGFLOW_RETURN_IF_ERROR(CheckInitialized(variable));
  return CountUp(context, variable);
}

Status ResourceCountUpTo(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, FindVariable(context, true));
  return CountUp(context, *variable);
}

// ---- Variables of a step ----

// Known by name and tag: each iteration has its own.
Result<std::string> TemporaryName(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string name, StringAttr(context.node, "var_name"));
  if (name.empty()) name = context.node.name;
  return name + (context.tag.empty() ? "" : " at " + context.tag);
}

//   output: a reference to a new variable of zeros
Status TemporaryVariable(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(context.node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "shape"));
  if (!shape.fully_known()) {
    return InvalidArgument("Shape " + shape.ToString() + " is not fully defined");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, TemporaryName(context));
  TAGFLOW_RETURN_IF_ERROR(RequireTensorDType(dtype));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(shape.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(dtype, shape.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(auto variable, context.resources.CreateStepVariable(name));
  variable->dtype = dtype;
  variable->shape = shape;
  variable->value = std::move(zeros);
  LogAccess(context, *variable, true);
  context.output_variables[0] = std::move(variable);
  return Status();
}

//   ref: reference to it; output: its value. Errors: NOT_FOUND, of this name and tag there is none
Status DestroyTemporaryVariable(KernelContext& context) {
  const Variable& variable = *context.variables[0];
  LogAccess(context, variable, true);
  TAGFLOW_RETURN_IF_ERROR(CheckInitialized(variable));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, TemporaryName(context));
  context.outputs[0] = variable.value;
  if (context.resources.TakeStepVariable(name) != nullptr) return Status();
  return NotFound("there is no temporary variable '" + name + "'");
}

}  // namespace

Status RegisterVariableKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"VarHandleOp", VarHandle},
                                {"ReadVariableOp", Read},
                                {"AssignVariableOp", AssignVariable},
                                {"AssignAddVariableOp", AssignAddVariable},
                                {"AssignSubVariableOp", AssignSubVariable},
                                {"VarIsInitializedOp", VarIsInitialized},
                                {"VariableShape", VariableShape},
                                {"DestroyResourceOp", DestroyResource},
                                {"Variable", RefVariable},
                                {"VariableV2", RefVariable},
                                {"IsVariableInitialized", IsInitialized},
                                {"Assign", Assign},
                                {"AssignAdd", AssignAdd},
                                {"AssignSub", AssignSub},
                                {"CountUpTo", CountUpTo},
                                {"ResourceCountUpTo", ResourceCountUpTo},
                                {"TemporaryVariable", TemporaryVariable},
                                {"DestroyTemporaryVariable", DestroyTemporaryVariable}});
  ;
}

}  // namespace tagflow::reference
