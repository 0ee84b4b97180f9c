// Ops that take a part of a tensor by ranges: Slice, StridedSlice, Split, SplitV.

#include <string>

#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_slice.h"

namespace tagflow::optimized {
namespace {

// ---- Slice ----

Status OutsideOf(int64_t dim, size_t d, int64_t begin, int64_t size) {
  return InvalidArgument("In dimension " + std::to_string(d) + " of " + std::to_string(dim) +
                         " elements, there are not " + std::to_string(size) + " from " +
                         std::to_string(begin) + " on");
}

}  // namespace

//   begin, size: integers, one per dimension; size -1: all from begin
Result<Part> SlicedPart(const KernelContext& context) {
  const DimsView dims = context.input(0).dims();
  const SmallDims vector(1, static_cast<int64_t>(dims.size()));
  for (const int i : {1, 2}) {
    if (SameDims(context.input(i).dims(), vector)) continue;
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size " +
                           std::to_string(dims.size()) + ", but got shape " +
                           DimsString(context.input(i).dims()) + " instead.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims begin, IndexValues(context.input(1)));
  Part part{0, {}, StridesOf(dims)};
  TAGFLOW_ASSIGN_OR_RETURN(part.dims, IndexValues(context.input(2)));
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t& size = part.dims[d];
    const bool begins_inside = begin[d] >= 0 && begin[d] <= dims[d];
    if (size == -1 && begins_inside) size = dims[d] - begin[d];
    if (!begins_inside || size < 0 || size > dims[d] - begin[d]) {
      return OutsideOf(dims[d], d, begin[d], size);
    }
    part.first = WrappingSum(part.first, WrappingProduct(begin[d], part.steps[d]));
  }
  return part;
}

namespace {

Status Slice(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, SlicedPart(context));
  return SetPart(context, 0, 0, part);
}

Result<BoundKernel> BindSlice(const Binding&) { return BoundKernel(Slice); }

// ---- StridedSlice ----

// Whether begin, end and strides are vectors of one element.
bool HasOneItem(const KernelContext& context) {
  for (const int i : {1, 2, 3}) {
    if (context.input(i).rank() != 1 || context.input(i).dim(0) != 1) return false;
  }
  return true;
}

// x[i], the slice that loops are full of.
Status Row(KernelContext& context) {
  const DimsView dims = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t begin, OnlyInt(context.input(1), "begin"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t stride, OnlyInt(context.input(3), "strides"));
  if (stride <= 0) return InvalidArgument("only stride 1 allowed on non-range indexing.");
  const int64_t row = begin < 0 ? begin + dims[0] : begin;
  if (row < 0 || row >= dims[0]) {
    return InvalidArgument("slice index " + std::to_string(row) + " of dimension 0 out of bounds.");
  }
  const int64_t size = context.input(0).num_elements() / dims[0];
  return SetRun(context, 0, 0, row * size, SmallDims(dims.subspan(1)));
}

// x[a:b:c, ..., i, newaxis]; see strided_slice.h.
Result<BoundKernel> BindStridedSlice(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::Of(binding.node));
  const auto slice = [masks](KernelContext& context) -> Status {
    const DimsView dims = context.input(0).dims();
    if (masks.num_indices() > 0 && !dims.empty() && HasOneItem(context)) return Row(context);
    TAGFLOW_ASSIGN_OR_RETURN(const Part part, StridedPart(masks, context.input(1), context.input(2),
                                                          context.input(3), dims));
    return SetPart(context, 0, 0, part);
  };
  if (masks.num_indices() == 0) return BoundKernel(slice);
  return BindPart(RowPart{.most_items = masks.num_indices(),
                          .wraps = true,
                          .as_many_items = 2,
                          .positive_items = 3},
                  slice);
}

// ---- Split ----

// Outputs i are the parts of input `value` that have sizes[i] along the axis, one after the other.
Status SplitInto(KernelContext& context, int value, const Cuts& cuts) {
  const auto& [axis, sizes] = cuts;
  const DimsView dims = context.input(value).dims();
  Part part{0, SmallDims(dims), StridesOf(dims)};
  const bool lie_together = ProductOf(dims, 0, axis) == 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    part.dims[axis] = sizes[i];
    TAGFLOW_RETURN_IF_ERROR(lie_together
                                ? SetRun(context, static_cast<int>(i), value, part.first, part.dims)
                                : SetPart(context, static_cast<int>(i), value, part));
    part.first = WrappingSum(part.first, WrappingProduct(sizes[i], part.steps[axis]));
  }
  return Status();
}

Result<int64_t> SplitAxis(const Tensor& split_dim, const Tensor& value) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, OnlyInt(split_dim, "split_dim"));
  return CanonicalAxis(axis, value.rank(), "split_dim");
}

}  // namespace

//   split_dim: int32 scalar; value: any of rank 1 or more, divisible along split_dim
Result<Cuts> CutsOfSplit(const KernelContext& context, int64_t count) {
  if (context.input(0).rank() != 0) {
    return InvalidArgument("split_dim must be a scalar but has rank " +
                           std::to_string(context.input(0).rank()));
  }
  const Tensor& value = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, SplitAxis(context.input(0), value));
  const size_t d = static_cast<size_t>(axis);
  const int64_t size = value.dims()[d];
  if (count == 0 || size % count != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but got split_dim " +
        std::to_string(axis) + " (size = " + std::to_string(size) + ") and num_split " +
        std::to_string(count));
  }
  return Cuts{d, SmallDims(static_cast<size_t>(count), size / count)};
}

namespace {

Status Split(KernelContext& context, int64_t count) {
  TAGFLOW_ASSIGN_OR_RETURN(const Cuts cuts, CutsOfSplit(context, count));
  return SplitInto(context, 1, cuts);
}

Result<BoundKernel> BindSplit(const Binding& binding) {
  const auto count = static_cast<int64_t>(binding.signature.outputs.size());
  return BindPart(SplitPart{binding.output_dtype(0), static_cast<int>(count)},
                  [count](KernelContext& context) { return Split(context, count); });
}

// Gives the one -1, which must have others beside it, what they leave of `total`.
Status CompleteSizes(SmallDims& sizes, int64_t total) {
  if (sizes.size() == 1 && sizes[0] != total) {
    return InvalidArgument(
        "If there is only one output, it must have the same size as the input. Input size: " +
        std::to_string(total) + " output size: " + std::to_string(sizes[0]));
  }
  int64_t* unknown = nullptr;
  int64_t sum = 0;
  for (int64_t& size : sizes) {
    if (size < -1) {
      return InvalidArgument("Split sizes must be >= 0. Got: " + std::to_string(size));
    }
    if (size == -1) {
      if (unknown != nullptr) return InvalidArgument("There can only be one -1 in the input.");
      unknown = &size;
    } else if (__builtin_add_overflow(sum, size, &sum)) {
      return InvalidArgument("the sum of size_splits overflows int64");
    }
  }
  if (unknown == nullptr ? sum != total : sum > total) {
    return InvalidArgument("size_splits must add up to " + std::to_string(total) +
                           ", or to less if one of them is -1, but do to " + std::to_string(sum));
  }
  if (unknown != nullptr) *unknown = total - sum;
  return Status();
}

}  // namespace

//   value: any of rank 1 or more; size_splits: one size per output, at most one -1
Result<Cuts> CutsOfSplitV(const KernelContext& context, int64_t count) {
  const Tensor& value = context.input(0);
  const Tensor& size_splits = context.input(1);
  if (size_splits.rank() != 1 || size_splits.dim(0) != count) {
    return InvalidArgument("size_splits must be a vector with a size for each of the " +
                           std::to_string(count) + " outputs, but has shape " +
                           DimsString(size_splits.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, SplitAxis(context.input(2), value));
  const size_t d = static_cast<size_t>(axis);
  TAGFLOW_ASSIGN_OR_RETURN(SmallDims sizes, IndexValues(size_splits));
  TAGFLOW_RETURN_IF_ERROR(CompleteSizes(sizes, value.dims()[d]));
  return Cuts{d, sizes};
}

namespace {

Status SplitV(KernelContext& context, int64_t count) {
  TAGFLOW_ASSIGN_OR_RETURN(const Cuts cuts, CutsOfSplitV(context, count));
  return SplitInto(context, 0, cuts);
}

Result<BoundKernel> BindSplitV(const Binding& binding) {
  const auto count = static_cast<int64_t>(binding.signature.outputs.size());
  return BoundKernel([count](KernelContext& context) { return SplitV(context, count); });
}

}  // namespace

Status RegisterSliceKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Slice", BindSlice},
                                   {"Split", BindSplit},
                                   {"SplitV", BindSplitV},
                                   {"StridedSlice", BindStridedSlice},
                               });
}

}  // namespace tagflow::optimized
