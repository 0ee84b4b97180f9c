// Gather, GatherV2, GatherNd, which take slices of a value by index.

#include <string>

#include "optimized/kernels/families.h"
#include "optimized/kernels/gather.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

Result<BoundKernel> BindGather(const Binding&) {
  return BindPart(RowPart{}, [](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(GatheredAxis(context).status());
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0),
                             GatherAlong(context, context.input(0), context.input(1), 0, 0));
    return Status();
  });
}

bool IsInt32(const Tensor& tensor) { return tensor.is_inline() && tensor.dtype() == DType::kInt32; }

// Whether params[i] is taken, for one i inside: what loops are full of.
bool TakesElement(const Tensor& params, const Tensor& indices, const Tensor& axis) {
  if (!IsInt32(indices) || !IsInt32(axis) || params.rank() == 0) return false;
  const auto i = indices.inline_value<int32_t>();
  return axis.inline_value<int32_t>() == 0 && i >= 0 && i < params.dims()[0];
}
Status TakeElement(KernelContext& context) {
  const SmallDims dims(context.input(0).dims().subspan(1));
  return SetRun(context, 0, 0, context.input(1).inline_value<int32_t>() * ProductOf(dims), dims);
}

//   params: any; indices: integers; axis: scalar in [-rank, rank)
//   batch_dims: how many leading dimensions the two share, negative: counted from indices' end
Status GatherV2(KernelContext& context, int64_t batch_dims) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  if (batch_dims == 0 && TakesElement(params, indices, context.input(2))) {
    return TakeElement(context);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, GatheredAxis(context));
  TAGFLOW_ASSIGN_OR_RETURN(const size_t shared,
                           SharedBatch(params.dims(), indices.dims(), batch_dims, axis));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.output(0), GatherAlong(context, params, indices, static_cast<size_t>(axis), shared));
  return Status();
}

Result<BoundKernel> BindGatherV2(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dims, IntAttr(binding.node, "batch_dims"));
  const auto kernel = [batch_dims](KernelContext& context) {
    return GatherV2(context, batch_dims);
  };
  if (batch_dims != 0) return BoundKernel(kernel);
  return BindPart(RowPart{.axis = 2}, kernel);
}

// bad_indices_policy: whether coordinates outside of params give zeros, or are an error
Result<BoundKernel> BindGatherNd(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string policy,
                           StringAttr(binding.node, "bad_indices_policy"));
  const bool ignores = policy == "IGNORE";
  if (!ignores && !policy.empty() && policy != "DEFAULT" && policy != "ERROR") {
    return Unimplemented("GatherNd has no bad_indices_policy '" + policy +
                         "': take DEFAULT, ERROR or IGNORE");
  }
  const RowPart row{.most_items = RowPart::kAnyNumber};
  return BindPart(row, [ignores](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0),
                             GatherSlices(context.input(0), context.input(1), ignores));
    return Status();
  });
}

}  // namespace

Status RegisterGatherKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Gather", BindGather},
                                   {"GatherNd", BindGatherNd},
                                   {"GatherV2", BindGatherV2},
                               });
}

}  // namespace tagflow::optimized
