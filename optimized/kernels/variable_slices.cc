// What sets, changes or reads slices of a variable, by coordinates (ScatterNdAdd,
// ResourceGatherNd, …) or by ranges (StridedSliceAssign, …).
// Tested by conformance/ops/scatter_variable.ops.

#include <string>
#include <utility>

#include "optimized/kernels/change.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/gather.h"
#include "optimized/kernels/nd_slices.h"
#include "optimized/kernels/part_update.h"
#include "optimized/kernels/strided_slice.h"
#include "optimized/kernels/variable_access.h"

namespace tagflow::optimized {
namespace {

// Texts can be set, bool be set, added and subtracted, numbers be changed in all ways.
bool CanChange(Change change, DType dtype) {
  if (dtype == DType::kString) return change == Change::kSet;
  return (IsNumber(dtype) || dtype == DType::kBool) && FindChange(change, dtype) != nullptr;
}

struct SliceChange {
  ChangeFunction run;
  int64_t element_size;
  bool passes_over;

  // Changes slices of `value`, one after the other; nothing where there is an error.
  Status Apply(Tensor& value, const Tensor& indices, const Tensor& updates) const {
    if (value.dtype() != updates.dtype()) {
      return WrongDType("update", value.dtype(), updates.dtype());
    }
    TAGFLOW_ASSIGN_OR_RETURN(const NdSlices slices,
                             ReadNdSlices(value.dims(), indices, updates, passes_over));
    TAGFLOW_RETURN_IF_ERROR(MakeUnique(value));
    auto* to = static_cast<char*>(value.mutable_raw_data());
    const auto* from = static_cast<const char*>(updates.raw_data());
    for (const int64_t row : slices.rows) {
      const int64_t bytes = slices.size * element_size;
      if (row != NdSlices::kNowhere) run(to + row * bytes, from, slices.size, 1);
      from += bytes;
    }
    return Status();
  }
};

//   the value of a variable, of rank 1 or more; indices: [..., depth]; updates: [..., the rest of
//   the value's shape]
Binder Slices(Change change, By by) {
  return [=](const Binding& binding) -> Result<BoundKernel> {
    const DType dtype = binding.input_dtype(2);
    if (!CanChange(change, dtype)) return NoKernelFor(binding, dtype);
    SliceChange slices = {FindChange(change, dtype), static_cast<int64_t>(DTypeSize(dtype)), false};
    TAGFLOW_ASSIGN_OR_RETURN(slices.passes_over, PassesOverBadIndices(binding.node));
    return BoundKernel([slices, by](KernelContext& context) {
      return ChangeVariable(context, by, [&](Variable::Contents& contents) {
        return slices.Apply(contents.value, context.input(1), context.input(2));
      });
    });
  };
}

//   indices: [..., depth]; output: a slice of the variable for each
Result<BoundKernel> BindGatherNd(const Binding& binding) {
  return BoundKernel([wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor params, ValueOfHandle(context, wanted));
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), GatherSlices(params, context.input(1), false));
    return Status();
  });
}

//   ref: the variable; begin, end, strides: vectors; value: broadcast to the slice
template <By by>
Result<BoundKernel> BindStridedSliceAssign(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::Of(binding.node));
  return BoundKernel([masks](KernelContext& context) {
    return ChangeVariable(context, by, [&](Variable::Contents& contents) -> Status {
      const Tensor& value = context.input(4);
      if (contents.value.dtype() != value.dtype()) {
        return WrongDType("update", contents.value.dtype(), value.dtype());
      }
      TAGFLOW_ASSIGN_OR_RETURN(
          const Part part, StridedPart(masks, context.input(1), context.input(2), context.input(3),
                                       contents.value.dims()));
      return UpdatePart(contents.value, part, value);
    });
  });
}

}  // namespace

Status RegisterVariableSliceKernels(KernelRegistry& registry) {
  const std::pair<std::string, Change> changes[] = {{"Update", Change::kSet},
                                                    {"Add", Change::kAdd},
                                                    {"Sub", Change::kSubtract},
                                                    {"Min", Change::kLower},
                                                    {"Max", Change::kRaise}};
  for (const auto& [name, change] : changes) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register("ScatterNd" + name, Slices(change, By::kReference)));
    TAGFLOW_RETURN_IF_ERROR(
        registry.Register("ResourceScatterNd" + name, Slices(change, By::kHandle)));
  }
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ResourceGatherNd", BindGatherNd));
  TAGFLOW_RETURN_IF_ERROR(
      registry.Register("StridedSliceAssign", BindStridedSliceAssign<By::kReference>));
  return registry.Register("ResourceStridedSliceAssign", BindStridedSliceAssign<By::kHandle>);
}

}  // namespace tagflow::optimized
