// Variables by reference: VariableV2, Assign, …, those of a step, and counting up by either.
//                                                           Spec: [ref.1], [ref.2], [resource.1]
// Tested by conformance/ops/variable.ops.

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "graph/owned.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/step_objects.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/kernels/variable_key.h"

namespace tagflow::optimized {
namespace {

// Kept apart from resource variables of the same name, which are another kind of object.
constexpr char kReferences[] = " (references)";

Status NotFullyDefined(const PartialShape& shape) {
  return InvalidArgument("Shape " + shape.ToString() + " is not fully defined");
}

Result<BoundKernel> BindVariable(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(SessionState::Key key, VariableKey(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "shape"));
  if (shape.known_rank() && !shape.fully_known()) return NotFullyDefined(shape);
  key.first += kReferences;
  return BoundKernel([key, dtype, shape](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(auto variable,
                             context.session().FindOrCreateVariable(key, dtype, shape));
    context.set_output_variable(0, std::move(variable));
    return Status();
  });
}

Result<BoundKernel> BindIsInitialized(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, context.variable(0));
    context.output(0).SetScalar(variable->value().has_value());
    return Status();
  });
}

// The shape an assignment must have: that of the value, before the first one that of the node.
DimsView ShapeToKeep(const Variable::Contents& contents) {
  if (contents.value.has_value()) return contents.value.dims();
  return contents.shape.known_rank() ? DimsView(contents.shape.dims()) : DimsView();
}

//   ref: reference; value: of its dtype; output: ref
Result<BoundKernel> BindAssign(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool validate_shape, BoolAttr(binding.node, "validate_shape"));
  return BoundKernel([validate_shape](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, context.variable(0));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, Owned(context.Take(1)));
    TAGFLOW_RETURN_IF_ERROR(variable->With([&](Variable::Contents& contents) -> Status {
      const DimsView shape = ShapeToKeep(contents);
      if (validate_shape && !std::ranges::equal(shape, value.dims())) {
        return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= " +
                               DimsString(shape) + " rhs shape= " + DimsString(value.dims()));
      }
      std::swap(contents.value, value);  // the old one goes when the lock is released
      return Status();
    }));
    context.output(0) = context.Take(0);
    return Status();
  });
}

Result<BoundKernel> BindUpdate(const Binding& binding, Change change) {
  const DType dtype = binding.input_dtype(1);
  if (!IsNumber(dtype)) return NoKernelFor(binding, dtype);
  return BoundKernel([run = FindChange(change, dtype)](KernelContext& context) -> Status {
    const Tensor& by = context.input(1);
    return ChangeVariable(context, By::kReference, [&](Variable::Contents& contents) -> Status {
      if (!std::ranges::equal(contents.value.dims(), by.dims())) {
        return InvalidArgument("Parameters and update must be the same size");
      }
      TAGFLOW_RETURN_IF_ERROR(MakeUnique(contents.value));
      run(contents.value.mutable_raw_data(), by.raw_data(), by.num_elements(), 1);
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

// ---- Counting up ----

//   value: int32 or int64 scalar; returns what it was before
//   Errors: OUT_OF_RANGE once it has reached `limit`
Result<Tensor> CountUp(Tensor& value, DType wanted, int64_t limit) {
  if (value.dtype() != wanted) return WrongDType("count", wanted, value.dtype());
  if (value.rank() != 0) {
    return InvalidArgument("input is not a scalar: " + DimsString(value.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, OnlyInt(value, "ref"));
  if (count >= limit) return OutOfRange("Reached limit of " + std::to_string(limit));
  Tensor before = value;
  if (wanted == DType::kInt64) {
    value.SetScalar(count + 1);
  } else if (count < std::numeric_limits<int32_t>::max()) {
    value.SetScalar(static_cast<int32_t>(count + 1));
  } else {
    return InvalidArgument(std::to_string(count + 1) + " does not fit into int32");
  }
  return before;
}

template <By by>
Result<BoundKernel> BindCountUpTo(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t limit, IntAttr(binding.node, "limit"));
  return BoundKernel([limit, wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable,
                             by == By::kHandle ? VariableOf(context) : context.variable(0));
    return variable->With([&](Variable::Contents& contents) -> Status {
      if (!contents.value.has_value()) {
        return by == By::kHandle ? NeverAssigned(context) : Uninitialized(*variable);
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.output(0), CountUp(contents.value, wanted, limit));
      return Status();
    });
  });
}

// ---- Variables of a step ----

Result<std::string> TemporaryName(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string name, StringAttr(node, "var_name"));
  return name.empty() ? node.name : name;
}

//   output: a reference to a new variable of zeros
Result<BoundKernel> BindTemporaryVariable(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "shape"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, TemporaryName(binding.node));
  if (!shape.fully_known()) return NotFullyDefined(shape);
  if (!IsTensorDType(dtype)) return NoKernelFor(binding, dtype);
  return BoundKernel([dtype, shape, name](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(dtype, shape.dims()));
    TAGFLOW_ASSIGN_OR_RETURN(auto variable,
                             context.step().CreateVariable(NameAtTag(name, context)));
    variable->WithAnywhere([&](Variable::Contents& contents) {
      contents = {dtype, shape, std::move(zeros)};
    });
    context.set_output_variable(0, std::move(variable));
    return Status();
  });
}

//   ref: reference to it; output: its value. Errors: NOT_FOUND, of this name and tag there is none
Result<BoundKernel> BindDestroyTemporaryVariable(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, TemporaryName(binding.node));
  return BoundKernel([name](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, context.variable(0));
    Tensor value = variable->value();
    if (!value.has_value()) return Uninitialized(*variable);
    const std::string here = NameAtTag(name, context);
    if (context.step().TakeVariable(here) == nullptr) {
      return NotFound("there is no temporary variable '" + here + "'");
    }
    context.output(0) = std::move(value);
    return Status();
  });
}

}  // namespace

Status RegisterReferenceVariableKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Variable", BindVariable},
                                {"VariableV2", BindVariable},
                                {"IsVariableInitialized", BindIsInitialized},
                                {"Assign", BindAssign},
                                {"AssignAdd", BindAssignAdd},
                                {"AssignSub", BindAssignSub},
                                {"CountUpTo", BindCountUpTo<By::kReference>},
                                {"ResourceCountUpTo", BindCountUpTo<By::kHandle>},
                                {"TemporaryVariable", BindTemporaryVariable},
                                {"DestroyTemporaryVariable", BindDestroyTemporaryVariable}});
}

}  // namespace tagflow::optimized
