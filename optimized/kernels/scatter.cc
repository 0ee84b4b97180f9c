// Ops that put slices at the places that coordinates name: ScatterNd, TensorScatter….

#include <string>

#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/nd_slices.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kWithBool = kNumbers | SetOf(DType::kBool);
constexpr DTypeSet kWithText = kWithBool | SetOf(DType::kString);

// Appends text, which is what addition is to strings.
void Append(void* target, const void* by, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<std::string*>(target)[i] += static_cast<const std::string*>(by)[i * step];
  }
}

ChangeFunction FindScatterChange(Change change, DType dtype) {
  if (dtype == DType::kString && change == Change::kAdd) return Append;
  return FindChange(change, dtype);
}

// Changes each slice of target by its part of updates, one after the other.
void ChangeSlices(Tensor& target, const NdSlices& slices, const Tensor& updates,
                  ChangeFunction change) {
  const Mover& mover = MoverOf(target.dtype());
  void* to = target.mutable_raw_data();
  const void* by = updates.raw_data();
  for (const int64_t row : slices.rows) {
    if (row != NdSlices::kNowhere) change(mover.At(to, row * slices.size), by, slices.size, 1);
    by = mover.At(by, slices.size);
  }
}

//   tensor: T, rank >= 1; indices: [..., depth]; updates: [..., the rest of tensor's shape]
template <Change change, DTypeSet dtypes>
Result<BoundKernel> BindTensorScatter(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
  TAGFLOW_ASSIGN_OR_RETURN(const bool ignores, PassesOverBadIndices(binding.node));
  const ChangeFunction apply = FindScatterChange(change, dtype);
  const auto scatter = [ignores, apply](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(
        const NdSlices slices,
        ReadNdSlices(context.input(0).dims(), context.input(1), context.input(2), ignores));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, SetCopy(context, 0, 0));
    ChangeSlices(*out, slices, context.input(2), apply);
    return Status();
  };
  if (change != Change::kSet || ignores) return BoundKernel(scatter);
  return BindPart(PlacePart(), scatter);
}

// The sums of the updates at each place; text is put together, and true is had by one true.
//   indices: [..., depth]; updates: T [..., the rest of shape]; shape: vector
//   output: T, of that shape, zero (empty, false) where nothing is put
Result<BoundKernel> BindScatterNd(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kWithText));
  TAGFLOW_ASSIGN_OR_RETURN(const bool ignores, PassesOverBadIndices(binding.node));
  const ChangeFunction apply = FindScatterChange(Change::kAdd, dtype);
  return BoundKernel([ignores, apply, dtype](KernelContext& context) -> Status {
    const Tensor& updates = context.input(1);
    const Tensor& shape = context.input(2);
    if (shape.rank() != 1) {
      return InvalidArgument("shape must be a vector, not of shape " + DimsString(shape.dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(shape));
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(dtype, dims));
    TAGFLOW_ASSIGN_OR_RETURN(const NdSlices slices,
                             ReadNdSlices(dims, context.input(0), updates, ignores));
    ChangeSlices(context.output(0), slices, updates, apply);
    return Status();
  });
}

}  // namespace

Status RegisterScatterKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {
                         {"ScatterNd", BindScatterNd},
                         {"ScatterNdNonAliasingAdd", BindTensorScatter<Change::kAdd, kWithBool>},
                         {"TensorScatterAdd", BindTensorScatter<Change::kAdd, kNumbers>},
                         {"TensorScatterMax", BindTensorScatter<Change::kRaise, kReals>},
                         {"TensorScatterMin", BindTensorScatter<Change::kLower, kReals>},
                         {"TensorScatterSub", BindTensorScatter<Change::kSubtract, kNumbers>},
                         {"TensorScatterUpdate", BindTensorScatter<Change::kSet, kWithText>},
                     });
}

}  // namespace tagflow::optimized
