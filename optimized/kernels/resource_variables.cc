// Variables by handle: VarHandleOp, ReadVariableOp, AssignVariableOp, ….        Spec: [resource.1]
// Tested by conformance/ops/variable.ops.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/owned.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/table.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/kernels/variable_key.h"

namespace tagflow::optimized {
namespace {

// TensorFlow's name for "each execution makes a variable of its own".
constexpr char kAnonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

//   output: the handle; a named variable is looked up in the session by whoever uses it
Result<BoundKernel> BindVarHandle(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SessionState::Key key, VariableKey(binding.node));
  Variable::Contents contents;
  TAGFLOW_ASSIGN_OR_RETURN(contents.shape, ShapeAttr(binding.node, "shape"));
  TAGFLOW_ASSIGN_OR_RETURN(contents.dtype, TypeAttr(binding.node, "dtype"));
  ResourceHandle handle;
  handle.container = key.first;
  handle.name = key.second;
  handle.type_name = kVariableTypeName;
  if (key.second != kAnonymous) {
    return BoundKernel([value = Tensor::Scalar(std::move(handle))](KernelContext& context) {
      context.output(0) = value;
      return Status();
    });
  }
  return BoundKernel([handle, contents, name = binding.node.name](KernelContext& context) {
    ResourceHandle own = handle;
    auto variable = std::make_shared<Variable>(name, contents);
    context.session().NoteUnnamed(variable);
    own.object = std::move(variable);
    context.output(0) = Tensor::Scalar(std::move(own));
    return Status();
  });
}

Result<BoundKernel> BindRead(const Binding& binding) {
  return BoundKernel([wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
    DType held = DType::kInvalid;
    TAGFLOW_ASSIGN_OR_RETURN(
        Tensor value, variable->With([&](const Variable::Contents& contents) -> Result<Tensor> {
          held = contents.dtype;
          return contents.value;
        }));
    if (!value.has_value()) {
      return FailedPrecondition("Could not find variable " + variable->name() +
                                ". This could mean that the variable has been deleted, or that it "
                                "is uninitialized: run what assigns it first");
    }
    if (held != wanted) return WrongDType("read", wanted, held);
    context.output(0) = std::move(value);
    return Status();
  });
}

Result<BoundKernel> BindAssign(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool validate_shape, BoolAttr(binding.node, "validate_shape"));
  return BoundKernel([validate_shape](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, Owned(context.Take(1)));
    return variable->WithAnywhere([&](Variable::Contents& contents) -> Status {
      if (contents.dtype != DType::kInvalid && contents.dtype != value.dtype()) {
        return WrongDType("assign", contents.dtype, value.dtype());
      }
      if (validate_shape && contents.value.has_value() &&
          !std::ranges::equal(contents.value.dims(), value.dims())) {
        return InvalidArgument(
            "Trying to assign to variable with tensor with wrong shape. Expected " +
            DimsString(contents.value.dims()) + " got " + DimsString(value.dims()));
      }
      contents.dtype = value.dtype();
      std::swap(contents.value, value);  // the old one goes when the lock is released
      return Status();
    });
  });
}

Result<BoundKernel> BindUpdate(const Binding& binding, Change change) {
  const DType dtype = binding.input_dtype(1);
  if (!IsNumber(dtype)) return NoKernelFor(binding, dtype);
  return BoundKernel([run = FindChange(change, dtype)](KernelContext& context) -> Status {
    const Tensor& by = context.input(1);
    return ChangeVariable(context, By::kHandle, [&](Variable::Contents& contents) -> Status {
      Tensor& value = contents.value;
      TAGFLOW_RETURN_IF_ERROR(CheckUpdate(contents, by));
      TAGFLOW_RETURN_IF_ERROR(MakeUnique(value));
      run(value.mutable_raw_data(), by.raw_data(), by.num_elements(), 1);
      return Status();
    });
  });
}

Result<BoundKernel> BindAssignAdd(const Binding& binding) {
  return BindUpdate(binding, Change::kAdd);
}
Result<BoundKernel> BindAssignSub(const Binding& binding) {
  return BindUpdate(binding, Change::kSubtract);
}

Result<BoundKernel> BindIsInitialized(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
    context.output(0).SetScalar(variable->value().has_value());
    return Status();
  });
}

//   output: the dimensions, int32 or int64
template <typename T>
Status Shape(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
  const Tensor value = variable->value();
  if (!value.has_value()) return NeverAssigned(context);
  std::vector<T> dims;
  for (const int64_t dim : value.dims()) {
    dims.push_back(static_cast<T>(dim));
    if (dims.back() == dim) continue;
    return InvalidArgument(std::to_string(dim) + " does not fit into int32: set out_type to int64");
  }
  context.output(0) = Tensor::Vector(dims);
  return Status();
}

Result<BoundKernel> BindShape(const Binding& binding) {
  if (binding.output_dtype(0) == DType::kInt64) return BoundKernel(&Shape<int64_t>);
  return BoundKernel(&Shape<int32_t>);
}

// The object stays, as the name's place: whoever assigns it next may choose another dtype.
Result<BoundKernel> BindDestroy(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool ignore_missing,
                           BoolAttr(binding.node, "ignore_lookup_error"));
  return BoundKernel([ignore_missing](KernelContext& context) -> Status {
    if (IsTableHandle(context.input(0))) {
      const Status status = DestroyTable(context);
      return ignore_missing && status.code() == Code::kNotFound ? Status() : status;
    }
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
    const Tensor old = variable->WithAnywhere([](Variable::Contents& contents) {
      if (contents.value.has_value()) contents.dtype = DType::kInvalid;
      return std::exchange(contents.value, Tensor());
    });
    return old.has_value() || ignore_missing ? Status() : NeverAssigned(context);
  });
}

}  // namespace

Status RegisterResourceVariableKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"VarHandleOp", BindVarHandle},
                                {"ReadVariableOp", BindRead},
                                {"AssignVariableOp", BindAssign},
                                {"AssignAddVariableOp", BindAssignAdd},
                                {"AssignSubVariableOp", BindAssignSub},
                                {"VarIsInitializedOp", BindIsInitialized},
                                {"VariableShape", BindShape},
                                {"DestroyResourceOp", BindDestroy}});
}

}  // namespace tagflow::optimized
