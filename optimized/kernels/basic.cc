// Constants, and ops that hand on what they are given.

#include <string>
#include <utility>

#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/truth.h"

namespace tagflow::optimized {
namespace {

Result<BoundKernel> BindNoOp(const Binding&) {
  return BoundKernel([](KernelContext&) { return Status(); });
}

Result<BoundKernel> BindConst(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor value, TensorAttr(binding.node, "value"));
  if (value.dtype() != binding.output_dtype(0)) {
    return InvalidArgument("the attr value is " + DTypeName(value.dtype()) +
                           ", but the attr dtype is " + DTypeName(binding.output_dtype(0)));
  }
  return BoundKernel([value](KernelContext& context) {
    context.output(0) = value;
    return Status();
  });
}

// output i: input i, of any dtype
Result<BoundKernel> BindIdentity(const Binding&) {
  return BindPart(HandOnPart(), [](KernelContext& context) {
    for (int i = 0; i < context.num_inputs(); ++i) context.output(i) = context.Take(i);
    return Status();
  });
}

// output: the input, in a buffer of its own
Result<BoundKernel> BindDeepCopy(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    if (context.MayOverwrite(0)) {
      context.output(0) = context.Take(0);
      return Status();
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), context.input(0).Clone());
    return Status();
  });
}

Result<BoundKernel> BindToBool(const Binding& binding) {
  const ScalarTruth truth = TruthOfScalars(binding.input_dtype(0));
  return BoundKernel([truth](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const bool holds, Holds(context.input(0), truth));
    context.output(0).SetScalar(holds);
    return Status();
  });
}

//   index: int32 scalar in [0, n); inputs: n references
Result<BoundKernel> BindRefSelect(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    if (context.input(0).rank() != 0) {
      return InvalidArgument("Index must be a scalar, but it has shape " +
                             DimsString(context.input(0).dims()));
    }
    const int32_t index = context.input(0).inline_value<int32_t>();
    const int count = context.num_inputs() - 1;
    if (index < 0 || index >= count) {
      return InvalidArgument("Index must be in the range [0, " + std::to_string(count) +
                             ") but got " + std::to_string(index));
    }
    context.output(0) = context.input(index + 1);
    return Status();
  });
}

}  // namespace

Status RegisterBasicKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("NoOp", BindNoOp));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Const", BindConst));
  for (const char* op : {"Identity", "IdentityN", "StopGradient", "PreventGradient", "Snapshot",
                         "GuaranteeConst", "PlaceholderWithDefault", "RefIdentity"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, BindIdentity));
  }
  TAGFLOW_RETURN_IF_ERROR(registry.Register("DeepCopy", BindDeepCopy));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("RefSelect", BindRefSelect));
  return registry.Register("ToBool", BindToBool);
}

}  // namespace tagflow::optimized
