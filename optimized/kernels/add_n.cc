// AddN and AccumulateNV2: the elementwise sum of any number of tensors.

#include <algorithm>

#include "optimized/kernels/addition.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/variant_sum.h"

namespace tagflow::optimized {
namespace {

Status AddVariants(KernelContext& context) {
  Tensor sum = context.Take(0);
  for (int i = 1; i < context.num_inputs(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(sum, SumOfVariants(sum, context.input(i)));
  }
  context.output(0) = std::move(sum);
  return Status();
}

}  // namespace

Status RequireOneShape(const KernelContext& context) {
  const DimsView first = context.input(0).dims();
  for (int i = 1; i < context.num_inputs(); ++i) {
    const DimsView dims = context.input(i).dims();
    if (std::ranges::equal(first, dims)) continue;
    return InvalidArgument(
        "the inputs must have the same size and shape.  Input 0: " + DimsString(first) +
        " != input " + std::to_string(i) + ": " + DimsString(dims));
  }
  return Status();
}

namespace {

//   inputs: one or more of one dtype and shape; they are added from first to last, each sum rounded
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes differ)
Result<BoundKernel> BindAddN(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (dtype == DType::kVariant) return BoundKernel(AddVariants);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers));
  const auto add_all = [add = FindPairLoop(dtype, AddForms())](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(RequireOneShape(context));
    if (context.num_inputs() == 1) {
      context.output(0) = context.Take(0);
      return Status();
    }
    const Tensor& first = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, first.dtype(), first.dims(), {0}));
    const void* sum = first.raw_data();
    for (int i = 1; i < context.num_inputs(); ++i) {
      ComputeRow(add, {sum, 1, context.input(i).raw_data(), 1, out->mutable_raw_data(),
                       out->num_elements()});
      sum = out->raw_data();
    }
    return Status();
  };
  if (binding.signature.inputs.size() != 2) return BindPart(SumPart{dtype}, add_all);
  return BindPart(AdditionPart{dtype, /*is_of_bias=*/false}, add_all);
}

}  // namespace

Status RegisterAddNKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"AccumulateNV2", BindAddN}, {"AddN", BindAddN}});
}

}  // namespace tagflow::optimized
