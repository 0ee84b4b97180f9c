#ifndef TAGFLOW_OPTIMIZED_KERNELS_RAGGED_SPLITS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_RAGGED_SPLITS_H_

// The splits of ragged tensors, as kernels are given them: where in the next dimension each row
// begins, and where the last one ends.

#include <vector>

#include "graph/status.h"
#include "optimized/kernel.h"
#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {

// The splits in a tensor.
//   Errors: INVALID_ARGUMENT for what is no vector, and for some that do not ascend from 0 or more
Result<IntView> ReadSplits(const Tensor& tensor);

// The first `count` inputs, which say how the input behind them is split.
//   Errors: of ReadSplits; INVALID_ARGUMENT for some that point behind what they split
Result<std::vector<IntView>> SplitsOf(const KernelContext& context, int count);

// The same of splits that leave nothing out: the first is 0, and the last the number of rows.
Result<std::vector<IntView>> ExactSplitsOf(const KernelContext& context, int count);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_RAGGED_SPLITS_H_
