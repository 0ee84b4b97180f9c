#ifndef TAGFLOW_OPTIMIZED_KERNELS_PART_UPDATE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PART_UPDATE_H_

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernels/parts.h"

namespace tagflow::optimized {

// Writes `value`, broadcast, over a part of `target`. Where the part is empty the value's shape
// does not matter.
//   value: of target's dtype, of a shape that broadcasts to the part's once dimensions of size 1 in
//   front are left out
//   Errors: INVALID_ARGUMENT; RESOURCE_EXHAUSTED when `target` is shared, so that it must be copied
Status UpdatePart(Tensor& target, const Part& part, const Tensor& value);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PART_UPDATE_H_
