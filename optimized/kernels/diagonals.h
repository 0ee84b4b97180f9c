#ifndef TAGFLOW_OPTIMIZED_KERNELS_DIAGONALS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_DIAGONALS_H_

// Diagonals of matrices: diagonal d is where column - row = d.
//
// Tested by conformance/ops/diagonal.ops.

#include <cstdint>

#include "graph/status.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

struct Band {
  int64_t lowest = 0;
  int64_t highest = 0;
  int64_t count() const { return highest - lowest + 1; }
};

// What MatrixBandPart leaves of its input, of the shape of that and inputs 1 and 2: num_lower and
// num_upper, how many diagonals below and above the main one stay, negative: all.
//   Errors: INVALID_ARGUMENT
Result<Band> BandThatStays(const KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_DIAGONALS_H_
