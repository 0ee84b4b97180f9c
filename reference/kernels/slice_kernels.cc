// Ops that take a part of a tensor by ranges.

#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/strided_slice.h"

namespace tagflow::reference {
namespace {

Status CheckSliceRange(size_t d, int64_t begin, int64_t size, int64_t dim) {
  const std::string at = "[" + std::to_string(d) + "]";
  if (begin < 0 || begin > dim) {
    return InvalidArgument("Expected begin" + at + " in [0, " + std::to_string(dim) +
                           "], but got " + std::to_string(begin));
  }
  if (size < 0 || size > dim - begin) {
    return InvalidArgument("Expected size" + at + " in [0, " + std::to_string(dim - begin) +
                           "], but got " + std::to_string(size));
  }
  return Status();
}

//   begin, size: integers, one per dimension; size -1: all from begin
Status Slice(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Dims rank_dims{input.rank()};
  const Tensor& begin_input = context.inputs[1];
  const Tensor& size_input = context.inputs[2];
  if (ToDims(begin_input.dims()) != rank_dims || ToDims(size_input.dims()) != rank_dims) {
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size " +
                           std::to_string(input.rank()) + ", but got shapes " +
                           DimsString(begin_input.dims()) + " and " +
                           DimsString(size_input.dims()) + " instead.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> begin, IndexValues(begin_input));
  TAGFLOW_ASSIGN_OR_RETURN(Dims sizes, IndexValues(size_input));
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t dim = input.dims()[d];
    if (sizes[d] == -1 && begin[d] >= 0 && begin[d] <= dim) sizes[d] = dim - begin[d];
    TAGFLOW_RETURN_IF_ERROR(CheckSliceRange(d, begin[d], sizes[d], dim));
  }
  const std::vector<int64_t> strides = StridesOf(input.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, sizes, [&](const Dims& at) {
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               source += (begin[d] + at[d]) * strides[d];
                             }
                             return source;
                           }));
  return Status();
}

// x[a:b:c, ..., i, newaxis]; see strided_slice.h.
Status StridedSlice(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const SparseSlice sparse, ReadSlice(context));
  TAGFLOW_ASSIGN_OR_RETURN(const DenseSlice slice, MakeDense(sparse, input.dims()));
  const std::vector<int64_t> strides = StridesOf(input.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Rearrange(input, slice.OutputDims(),
                                     [&](const Dims& at) { return slice.Element(at, strides); }));
  return Status();
}

// The part of `input` that is [begin, begin + size) along `axis`.
Result<Tensor> Along(const Tensor& input, size_t axis, int64_t begin, int64_t size) {
  Dims dims = ToDims(input.dims());
  dims[axis] = size;
  const std::vector<int64_t> strides = StridesOf(input.dims());
  return Rearrange(input, dims, [&](const Dims& at) {
    int64_t source = begin * strides[axis];
    for (size_t d = 0; d < at.size(); ++d) source += at[d] * strides[d];
    return source;
  });
}

Status SplitInto(KernelContext& context, const Tensor& input, size_t axis,
                 const std::vector<int64_t>& sizes) {
  int64_t begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[i], Along(input, axis, begin, sizes[i]));
    begin += sizes[i];
  }
  return Status();
}

Result<int64_t> SplitAxis(const Tensor& split_dim, int64_t rank) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, SingleIndex(split_dim, "split_dim"));
  return CanonicalAxis(axis, rank,
                       "-input rank(-" + std::to_string(rank) + ") <= split_dim < input rank (" +
                           std::to_string(rank) + "), but got " + std::to_string(axis));
}

//   split_dim: int32 scalar; value: any of rank 1 or more, divisible along split_dim
Status Split(KernelContext& context) {
  if (context.inputs[0].rank() != 0) {
    return InvalidArgument("split_dim must be a scalar but has rank " +
                           std::to_string(context.inputs[0].rank()));
  }
  const Tensor& input = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, SplitAxis(context.inputs[0], input.rank()));
  const int64_t count = static_cast<int64_t>(context.outputs.size());
  const int64_t size = input.dims()[static_cast<size_t>(axis)];
  if (count == 0 || size % count != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but got split_dim " +
        std::to_string(axis) + " (size = " + std::to_string(size) + ") and num_split " +
        std::to_string(count));
  }
  return SplitInto(context, input, static_cast<size_t>(axis),
                   std::vector<int64_t>(static_cast<size_t>(count), size / count));
}

// Gives the one -1, which must have others beside it, what they leave of `total`.
Status CompleteSizes(std::vector<int64_t>& sizes, int64_t total) {
  if (sizes.size() == 1 && sizes[0] != total) {
    return InvalidArgument(
        "If there is only one output, it must have the same size as the input. "
        "Input size: " +
        std::to_string(total) + " output size: " + std::to_string(sizes[0]));
  }
  int64_t* unknown = nullptr;
  int64_t sum = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown != nullptr) return InvalidArgument("There can only be one -1 in the input.");
      unknown = &sizes[i];
    } else if (sizes[i] < 0) {
      return InvalidArgument("Split size at index " + std::to_string(i) +
                             " must be >= 0. Got: " + std::to_string(sizes[i]));
    } else if (__builtin_add_overflow(sum, sizes[i], &sum)) {
      return InvalidArgument("the sum of size_splits overflows int64");
    }
  }
  if (unknown == nullptr ? sum != total : sum > total) {
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim exactly if fully "
        "specified, or be less than the size of the input along split_dim if not fully "
        "specified.  Got: " +
        std::to_string(sum));
  }
  if (unknown != nullptr) *unknown = total - sum;
  return Status();
}

//   value: any of rank 1 or more; size_splits: one size per output, at most one -1
Status SplitV(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& size_splits = context.inputs[1];
  if (size_splits.rank() != 1 ||
      size_splits.num_elements() != static_cast<int64_t>(context.outputs.size())) {
    return InvalidArgument(
        "size of the split_tensor must be 1-D and have the same elements as outputs got " +
        std::to_string(size_splits.rank()) + " -D and " +
        std::to_string(size_splits.num_elements()) + " elements");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, SplitAxis(context.inputs[2], input.rank()));
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, IndexValues(size_splits));
  TAGFLOW_RETURN_IF_ERROR(CompleteSizes(sizes, input.dims()[static_cast<size_t>(axis)]));
  return SplitInto(context, input, static_cast<size_t>(axis), sizes);
}

}  // namespace

Status RegisterSliceKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry,
      {{"Slice", Slice}, {"StridedSlice", StridedSlice}, {"Split", Split}, {"SplitV", SplitV}});
}

}  // namespace tagflow::reference
