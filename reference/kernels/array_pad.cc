// Ops that continue a tensor beyond its edges: Pad, PadV2, MirrorPad; and MirrorPadGrad.

#include <string>

#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"

namespace tagflow::reference {
namespace {

// How many elements come before and after each dimension.
struct Paddings {
  Dims before, after;
};

// From the second input, a row of two for each dimension of the first.
Result<Paddings> ReadPaddings(const KernelContext& context, int rank_max) {
  const Tensor& input = context.inputs[0];
  const Tensor& rows = context.inputs[1];
  if (input.rank() > rank_max) {
    return Unimplemented("inputs rank not in [0," + std::to_string(rank_max) +
                         "]: " + std::to_string(input.rank()));
  }
  if (ToDims(rows.dims()) != Dims{input.rank(), 2}) {
    return InvalidArgument("paddings must have a row of 2 for each dimension of " +
                           DimsString(input.dims()) + ", but has shape " + DimsString(rows.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IndexValues(rows));
  Paddings paddings;
  for (size_t i = 0; i < values.size(); i += 2) {
    if (values[i] < 0 || values[i + 1] < 0) {
      return InvalidArgument("Paddings must be non-negative: " + std::to_string(values[i]) + " " +
                             std::to_string(values[i + 1]));
    }
    paddings.before.push_back(values[i]);
    paddings.after.push_back(values[i + 1]);
  }
  return paddings;
}

Result<Dims> PaddedDims(DimsView dims, const Paddings& paddings) {
  Dims padded = ToDims(dims);
  for (size_t d = 0; d < padded.size(); ++d) {
    if (__builtin_add_overflow(padded[d], paddings.before[d], &padded[d]) ||
        __builtin_add_overflow(padded[d], paddings.after[d], &padded[d])) {
      return InvalidArgument("dimension " + std::to_string(d) + " of the result overflows int64");
    }
  }
  return padded;
}

// `value`, a scalar, all around the input.
Status PadWith(KernelContext& context, const Tensor& value) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(context, 8));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, PaddedDims(input.dims(), paddings));
  const std::vector<int64_t> strides = StridesOf(input.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(input, value, dims, [&](const Dims& at) {
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               const int64_t i = at[d] - paddings.before[d];
                               if (i < 0 || i >= input.dims()[d]) return kOtherwise;
                               source += i * strides[d];
                             }
                             return source;
                           }));
  return Status();
}

//   paddings: [rank, 2]
Status Pad(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(context.inputs[0].dtype(), {}));
  return PadWith(context, zero);
}

Status PadV2(KernelContext& context) {
  const Tensor& value = context.inputs[2];
  if (value.rank() != 0) {
    return InvalidArgument("constant_values must be a scalar. Found: " + DimsString(value.dims()));
  }
  return PadWith(context, value);
}

// 0 where the mirror stands on the edge and shows the outermost element (SYMMETRIC), 1 where the
// outermost element is the mirror (REFLECT).
Result<int64_t> MirrorOffset(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string mode, StringAttr(node, "mode"));
  return int64_t{mode == "REFLECT" ? 1 : 0};
}

// Where in a dimension of `dim` elements the mirrors show position i, which counts from its begin.
// REQUIRES: i is at most dim - offset beyond the edges.
int64_t Mirrored(int64_t i, int64_t dim, int64_t offset) {
  if (i < 0) return -i - 1 + offset;
  if (i >= dim) return 2 * dim - 1 - i - offset;
  return i;
}

// A mirror shows each element at most once.
Status CheckMirrors(const Paddings& paddings, DimsView dims, int64_t offset) {
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t most = dims[d] - offset;
    if (paddings.before[d] <= most && paddings.after[d] <= most) continue;
    return InvalidArgument("paddings must be no greater than " + std::to_string(most) + ", but " +
                           std::to_string(paddings.before[d]) + " and " +
                           std::to_string(paddings.after[d]) + " are given for dimension " +
                           std::to_string(d));
  }
  return Status();
}

// Number of the element that the mirrors around a tensor of shape `dims` show at `at`.
int64_t MirroredElement(const Dims& at, const Paddings& paddings, DimsView dims, int64_t offset) {
  const std::vector<int64_t> strides = StridesOf(dims);
  int64_t element = 0;
  for (size_t d = 0; d < at.size(); ++d) {
    element += Mirrored(at[d] - paddings.before[d], dims[d], offset) * strides[d];
  }
  return element;
}

Status MirrorPad(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t offset, MirrorOffset(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(context, 5));
  TAGFLOW_RETURN_IF_ERROR(CheckMirrors(paddings, input.dims(), offset));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, PaddedDims(input.dims(), paddings));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             return MirroredElement(at, paddings, input.dims(), offset);
                           }));
  return Status();
}

//   input: gradient of MirrorPad's output; output: each element added to the one it mirrored
Status MirrorPadGrad(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t offset, MirrorOffset(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(context, 5));
  Dims dims = ToDims(input.dims());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (paddings.before[d] >= dims[d] || paddings.after[d] >= dims[d] - paddings.before[d]) {
      return InvalidArgument("Total paddings must be less than the input dimension size: " +
                             std::to_string(paddings.before[d]) + " and " +
                             std::to_string(paddings.after[d]) + " of " + std::to_string(dims[d]));
    }
    dims[d] -= paddings.before[d] + paddings.after[d];
  }
  TAGFLOW_RETURN_IF_ERROR(CheckMirrors(paddings, dims, offset));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zeros, Tensor::Allocate(input.dtype(), dims));
  std::vector<int64_t> places;
  ForEachPlace(input.dims(), [&](const Dims& at) {
    places.push_back(MirroredElement(at, paddings, dims, offset));
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Changed(context.node.op, zeros, places, input, Change::kAdd));
  return Status();
}

}  // namespace

Status RegisterArrayPadKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry,
      {{"Pad", Pad}, {"PadV2", PadV2}, {"MirrorPad", MirrorPad}, {"MirrorPadGrad", MirrorPadGrad}});
}

}  // namespace tagflow::reference
