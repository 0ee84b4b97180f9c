#ifndef TAGFLOW_OPTIMIZED_KERNELS_GATHER_H_
#define TAGFLOW_OPTIMIZED_KERNELS_GATHER_H_

// Taking slices of a tensor by index: for the ops that do it with values, and those that do it with
// variables.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

// Single elements that a gather looks up at once.
inline constexpr int64_t kGatherBlock = 128;

// output[batch, outer, place, inner] = params[batch, outer, indices[batch, place], inner]
//   params: any of rank above `axis`; indices: integers of rank `batch_dims` at least; the first
//   batch_dims dimensions agree
//   Errors: INVALID_ARGUMENT for an index outside (of what has elements), RESOURCE_EXHAUSTED
// REQUIRES: batch_dims <= axis
Result<Tensor> GatherAlong(const KernelContext& context, const Tensor& params,
                           const Tensor& indices, size_t axis, size_t batch_dims);
// INVALID_ARGUMENT for an index outside of [0, limit).
Status CheckGatherIndices(const IntView& indices, int64_t limit);
// The dimension that Gather's and GatherV2's `indices` are of; input 2, if any, is the axis.
//   Errors: INVALID_ARGUMENT
Result<int64_t> GatheredAxis(const KernelContext& context);
// How many leading dimensions params and indices share: batch_dims, or where that is negative, so
// many counted from the end of indices'.
//   Errors: INVALID_ARGUMENT unless they are at most `axis`, and agree
Result<size_t> SharedBatch(DimsView params, DimsView indices, int64_t batch_dims, int64_t axis);

// The same for the rows of a variable, along the dimension after those.
//   Errors: INVALID_ARGUMENT, also unless there are so many dimensions and one more
Result<size_t> BatchOfRows(DimsView params, DimsView indices, int64_t batch_dims);

// The slices of params that rows of coordinates name; where `ignores`, zeros for those outside.
//   params: rank >= 1; indices: integers [..., depth], depth <= rank
//   output: [..., the dimensions of params after depth]
//   Errors: INVALID_ARGUMENT (shapes, coordinates outside), RESOURCE_EXHAUSTED
Result<Tensor> GatherSlices(const Tensor& params, const Tensor& indices, bool ignores);
// The shape of that output.   Errors: INVALID_ARGUMENT, by the shapes
Result<SmallDims> GatheredSlices(DimsView params, DimsView indices);
// INVALID_ARGUMENT for coordinates outside. REQUIRES: shapes that fit
Status CheckSliceCoordinates(DimsView params, const Tensor& indices);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_GATHER_H_
