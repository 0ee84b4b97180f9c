// Ops that continue a tensor beyond its edges: Pad, PadV2, MirrorPad; and MirrorPadGrad.

#include <string>
#include <vector>

#include "graph/limits.h"
#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/piecewise_copy.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kValues = kNumbers | SetOf(DType::kBool, DType::kString);

// How many elements come before and after each dimension.
struct Paddings {
  SmallDims before, after;
};

// From input 1, a row of two for each dimension of input 0.
Result<Paddings> ReadPaddings(const KernelContext& context, int rank_max) {
  const Tensor& input = context.input(0);
  const Tensor& rows = context.input(1);
  if (input.rank() > rank_max) {
    return Unimplemented("inputs rank not in [0," + std::to_string(rank_max) +
                         "]: " + std::to_string(input.rank()));
  }
  if (rows.rank() != 2 || rows.dim(0) != input.rank() || rows.dim(1) != 2) {
    return InvalidArgument("paddings must have a row of 2 for each dimension of " +
                           DimsString(input.dims()) + ", but has shape " + DimsString(rows.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims values, IndexValues(rows));
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

Result<SmallDims> PaddedDims(DimsView dims, const Paddings& paddings) {
  SmallDims padded(dims);
  for (size_t d = 0; d < padded.size(); ++d) {
    if (__builtin_add_overflow(padded[d], paddings.before[d], &padded[d]) ||
        __builtin_add_overflow(padded[d], paddings.after[d], &padded[d])) {
      return DimensionOverflows();
    }
  }
  return padded;
}

// ---- Pad and PadV2 ----

}  // namespace

Result<Padding> PaddingOf(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(context, kMostPaddedDimensions));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims padded, PaddedDims(context.input(0).dims(), paddings));
  return Padding{paddings.before, padded};
}

Status CheckPadValue(const Tensor& value) {
  if (value.rank() == 0) return Status();
  return InvalidArgument("constant_values must be a scalar. Found: " + DimsString(value.dims()));
}

namespace {

// `value`, a scalar, all around the input.
Status PadWith(KernelContext& context, const Mover& mover, const Tensor& value) {
  const Tensor& input = context.input(0);
  const DimsView dims = input.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Padding padding, PaddingOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), padding.dims));
  mover.fill(value.raw_data(), out->mutable_raw_data(), out->num_elements());
  PiecewiseCopy copy(dims, padding.dims);
  for (size_t d = 0; d < dims.size(); ++d) copy.Add({{dims[d], 0, 1, padding.before[d]}});
  copy.Run(mover, input, *out);
  return Status();
}

//   paddings: [rank, 2]
Result<BoundKernel> BindPad(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(dtype, {}));
  return BoundKernel([zero, &mover = MoverOf(dtype)](KernelContext& context) {
    return PadWith(context, mover, zero);
  });
}

Result<BoundKernel> BindPadV2(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kValues));
  return BoundKernel([&mover = MoverOf(dtype)](KernelContext& context) -> Status {
    const Tensor& value = context.input(2);
    TAGFLOW_RETURN_IF_ERROR(CheckPadValue(value));
    return PadWith(context, mover, value);
  });
}

// ---- Mirrors ----

// 0 where the mirror stands on the edge and shows the outermost element (SYMMETRIC), 1 where the
// outermost element is the mirror (REFLECT).
Result<int64_t> MirrorOffset(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string mode, StringAttr(node, "mode"));
  return int64_t{mode == "REFLECT" ? 1 : 0};
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

Status MirrorPad(KernelContext& context, int64_t offset) {
  const Tensor& input = context.input(0);
  const DimsView dims = input.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(context, kMostMirroredDimensions));
  TAGFLOW_RETURN_IF_ERROR(CheckMirrors(paddings, dims, offset));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims padded, PaddedDims(dims, paddings));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), padded));
  PiecewiseCopy copy(dims, padded);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t before = paddings.before[d];
    copy.Add({{before, before - 1 + offset, -1, 0},
              {dims[d], 0, 1, before},
              {paddings.after[d], dims[d] - 1 - offset, -1, before + dims[d]}});
  }
  copy.Run(MoverOf(input.dtype()), input, *out);
  return Status();
}

Result<BoundKernel> BindMirrorPad(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t offset, MirrorOffset(binding.node));
  return BoundKernel([offset](KernelContext& context) { return MirrorPad(context, offset); });
}

// ---- MirrorPadGrad ----

// Dimensions of what was padded.
Result<SmallDims> UnpaddedDims(DimsView padded, const Paddings& paddings) {
  SmallDims dims(padded);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (paddings.before[d] >= dims[d] || paddings.after[d] >= dims[d] - paddings.before[d]) {
      return InvalidArgument("Total paddings must be less than the input dimension size: " +
                             std::to_string(paddings.before[d]) + " and " +
                             std::to_string(paddings.after[d]) + " of " + std::to_string(dims[d]));
    }
    dims[d] -= paddings.before[d] + paddings.after[d];
  }
  return dims;
}

// For each place along a padded dimension, which element the mirrors show, times its stride.
std::vector<int64_t> MirroredPlaces(int64_t before, int64_t dim, int64_t after, int64_t offset,
                                    int64_t stride) {
  std::vector<int64_t> places;
  for (int64_t i = before - 1; i >= 0; --i) places.push_back((i + offset) * stride);
  for (int64_t i = 0; i < dim; ++i) places.push_back(i * stride);
  for (int64_t i = 0; i < after; ++i) places.push_back((dim - 1 - offset - i) * stride);
  return places;
}

//   input: gradient of MirrorPad's output; output: each element added to the one it mirrored, in
//   the order of the input
Status MirrorPadGrad(KernelContext& context, const Mover& mover, ChangeFunction add,
                     int64_t offset) {
  const Tensor& input = context.input(0);
  const DimsView padded = input.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(context, kMostMirroredDimensions));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, UnpaddedDims(padded, paddings));
  TAGFLOW_RETURN_IF_ERROR(CheckMirrors(paddings, dims, offset));
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(input.dtype(), dims));
  const SmallDims strides = StridesOf(dims);
  std::vector<std::vector<int64_t>> places;
  for (size_t d = 0; d < dims.size(); ++d) {
    places.push_back(
        MirroredPlaces(paddings.before[d], dims[d], paddings.after[d], offset, strides[d]));
  }
  void* out = context.output(0).mutable_raw_data();
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    int64_t rest = i;
    int64_t place = 0;
    for (size_t d = dims.size(); d-- > 0; rest /= padded[d]) {
      place += places[d][static_cast<size_t>(rest % padded[d])];
    }
    add(mover.At(out, place), mover.At(input.raw_data(), i), 1, 1);
  }
  return Status();
}

Result<BoundKernel> BindMirrorPadGrad(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t offset, MirrorOffset(binding.node));
  return BoundKernel([offset, add = FindChange(Change::kAdd, dtype),
                      &mover = MoverOf(dtype)](KernelContext& context) {
    return MirrorPadGrad(context, mover, add, offset);
  });
}

}  // namespace

Status RegisterArrayPadKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"MirrorPad", BindMirrorPad},
                                   {"MirrorPadGrad", BindMirrorPadGrad},
                                   {"Pad", BindPad},
                                   {"PadV2", BindPadV2},
                               });
}

}  // namespace tagflow::optimized
