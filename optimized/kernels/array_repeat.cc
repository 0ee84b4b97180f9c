// Ops whose output elements are the input's, repeated or in another order: Tile, BroadcastTo,
// Transpose, ConjugateTranspose.

#include <complex>
#include <string>

#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

// ---- Tile ----

Result<SmallDims> TiledDims(DimsView dims, DimsView multiples) {
  SmallDims tiled(dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (multiples[d] < 0) {
      return InvalidArgument("Expected multiples[" + std::to_string(d) + "] >= 0, but got " +
                             std::to_string(multiples[d]));
    }
    if (__builtin_mul_overflow(dims[d], multiples[d], &tiled[d])) return DimensionOverflows();
  }
  return tiled;
}

}  // namespace

//   multiples: one count >= 0 per dimension
Result<Tiling> TilingOf(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& multiples_input = context.input(1);
  if (multiples_input.rank() != 1 || multiples_input.dim(0) != input.rank()) {
    return InvalidArgument("Expected multiples argument to be a vector of length " +
                           std::to_string(input.rank()) + " but got shape " +
                           DimsString(multiples_input.dims()));
  }
  Tiling tiling;
  TAGFLOW_ASSIGN_OR_RETURN(tiling.multiples, IndexValues(multiples_input));
  TAGFLOW_ASSIGN_OR_RETURN(tiling.dims, TiledDims(input.dims(), tiling.multiples));
  return tiling;
}

namespace {

Status Tile(KernelContext& context) {
  const Tensor& input = context.input(0);
  const DimsView dims = input.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Tiling tiling, TilingOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), tiling.dims));
  // Each dimension is two: how often, and what.
  const SmallDims from_steps = StridesOf(dims);
  const SmallDims to_steps = StridesOf(tiling.dims);
  StridedCopy copy;
  for (size_t d = 0; d < dims.size(); ++d) {
    copy.Add(tiling.multiples[d], 0, WrappingProduct(dims[d], to_steps[d]));
    copy.Add(dims[d], from_steps[d], to_steps[d]);
  }
  copy.Run(MoverOf(input.dtype()), input.raw_data(), out->mutable_raw_data());
  return Status();
}

Result<BoundKernel> BindTile(const Binding&) { return BoundKernel(Tile); }

// ---- BroadcastTo ----

}  // namespace

//   shape: vector of sizes >= 0 that the input broadcasts to, dimension by dimension from the last
Result<Part> BroadcastPart(const KernelContext& context) {
  const DimsView from = context.input(0).dims();
  const Tensor& shape = context.input(1);
  if (shape.rank() != 1) {
    return InvalidArgument("shape must be a vector of {int32,int64}, got shape " +
                           DimsString(shape.dims()));
  }
  Part part;
  TAGFLOW_ASSIGN_OR_RETURN(part.dims, IndexValues(shape));
  const SmallDims strides = StridesOf(from);
  part.steps = SmallDims(part.dims.size(), 0);
  bool fits = from.size() <= part.dims.size();
  for (size_t d = 0; fits && d < from.size(); ++d) {
    const size_t to = part.dims.size() - from.size() + d;
    fits = from[d] == part.dims[to] || from[d] == 1;
    // Along a dimension that is repeated a step goes nowhere.
    if (from[d] != 1) part.steps[to] = strides[d];
  }
  if (!fits) {
    return InvalidArgument("Incompatible shapes: " + DimsString(from) + " vs. " +
                           DimsString(part.dims));
  }
  return part;
}

namespace {

Status BroadcastTo(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, BroadcastPart(context));
  return SetPart(context, 0, 0, part);
}

Result<BoundKernel> BindBroadcastTo(const Binding&) { return BoundKernel(BroadcastTo); }

// ---- Transpose ----

// The permutation, entries counted from the end where they are negative.
Result<SmallDims> ReadPermutation(const Tensor& input, size_t rank) {
  if (input.rank() != 1 || input.dim(0) != static_cast<int64_t>(rank)) {
    return InvalidArgument("transpose expects a vector of size " + std::to_string(rank) +
                           ", but perm has shape " + DimsString(input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(SmallDims permutation, IndexValues(input));
  SmallDims seen(rank, 0);
  for (int64_t& d : permutation) {
    TAGFLOW_ASSIGN_OR_RETURN(d, CanonicalAxis(d, static_cast<int64_t>(rank), "an entry of perm"));
    if (seen[static_cast<size_t>(d)]++ == 0) continue;
    return InvalidArgument("perm must have each dimension once, but has " + std::to_string(d) +
                           " twice");
  }
  return permutation;
}

}  // namespace

// Dimension i of the output is dimension perm[i] of x.
//   x: any; perm: integers, each of 0 … rank-1 once
Result<Part> TransposedPart(const KernelContext& context) {
  const DimsView dims = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims permutation,
                           ReadPermutation(context.input(1), dims.size()));
  const SmallDims strides = StridesOf(dims);
  Part part;
  for (const int64_t d : permutation) {
    part.dims.push_back(dims[static_cast<size_t>(d)]);
    part.steps.push_back(strides[static_cast<size_t>(d)]);
  }
  return part;
}

namespace {

Status Transpose(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, TransposedPart(context));
  return SetPart(context, 0, 0, part);
}

Result<BoundKernel> BindTranspose(const Binding&) { return BoundKernel(Transpose); }

template <typename T>
Status ConjugateTranspose(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(Transpose(context));
  Tensor& output = context.output(0);
  TAGFLOW_RETURN_IF_ERROR(MakeUnique(output));
  for (std::complex<T>& element : output.mutable_flat<std::complex<T>>()) {
    element = std::conj(element);
  }
  return Status();
}

Result<BoundKernel> BindConjugateTranspose(const Binding& binding) {
  switch (binding.input_dtype(0)) {
    case DType::kComplex64:
      return BoundKernel(ConjugateTranspose<float>);
    case DType::kComplex128:
      return BoundKernel(ConjugateTranspose<double>);
    default:
      return BoundKernel(Transpose);
  }
}

}  // namespace

Status RegisterArrayRepeatKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"BroadcastTo", BindBroadcastTo},
                                   {"ConjugateTranspose", BindConjugateTranspose},
                                   {"Tile", BindTile},
                                   {"Transpose", BindTranspose},
                               });
}

}  // namespace tagflow::optimized
