#ifndef TAGFLOW_REFERENCE_KERNELS_BROADCAST_H_
#define TAGFLOW_REFERENCE_KERNELS_BROADCAST_H_

// Broadcasting: shapes are aligned at their last dimensions; a missing dimension, and one of size
// 1, repeats to the size of the other's.

#include <cstdint>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// The shape both broadcast to.
//   Errors: INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]"
Result<Dims> BroadcastShape(DimsView a, DimsView b);

// For each element of shape `to`, in row-major order, the index of the element of a tensor of
// shape `from` that lands there.
// REQUIRES: `from` broadcasts to `to`, which has NumElements.
std::vector<int64_t> BroadcastIndices(DimsView from, DimsView to);

// OK if a kernel may compute an output of this shape element by element: a small input can ask for
// an output of any size, so kernels that broadcast ask first.
//   Errors: INVALID_ARGUMENT (NumElements), RESOURCE_EXHAUSTED
Status RequireRoom(DimsView dims);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_BROADCAST_H_
