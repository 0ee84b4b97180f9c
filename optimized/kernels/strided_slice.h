#ifndef TAGFLOW_OPTIMIZED_KERNELS_STRIDED_SLICE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_STRIDED_SLICE_H_

// Which elements x[a:b:c, ..., i, newaxis] means: a place where the slice begins in x, and for each
// dimension of the slice its size and how far apart in x its elements are.
//
// The slice is given by *items*, one per entry in the brackets. Bit i of a mask says of item i that
// its begin or end is left out, that it is `...`, a new axis, or a single index.

#include <bit>
#include <cstdint>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernels/parts.h"

namespace tagflow::optimized {

struct SliceMasks {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t ellipsis = 0;
  int64_t new_axis = 0;
  int64_t shrink_axis = 0;

  // From the attrs begin_mask, end_mask, ….
  static Result<SliceMasks> Of(const Node& node);
  // How many of the first items are indices, as far as is said: 2 of x[i, j], x[i, j, k:].
  int num_indices() const {
    return std::countr_one(static_cast<uint64_t>(shrink_axis & ~(ellipsis | new_axis)));
  }
};

// The slice of a tensor of shape `dims` that the vectors begin, end and strides name.
//   Errors: INVALID_ARGUMENT: vectors of different or more than 32 elements, two ellipses, too many
//   items, stride 0, a single index out of range
Result<Part> StridedPart(const SliceMasks& masks, const Tensor& begin, const Tensor& end,
                         const Tensor& strides, DimsView dims);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_STRIDED_SLICE_H_
