#ifndef TAGFLOW_REFERENCE_KERNELS_RAGGED_SPLITS_H_
#define TAGFLOW_REFERENCE_KERNELS_RAGGED_SPLITS_H_

// The splits of ragged tensors: where in the next dimension each row begins, and where the last one
// ends.

#include <cstdint>
#include <vector>

#include "graph/status.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// The splits in a tensor.
//   Errors: INVALID_ARGUMENT for what is no vector, and for some that do not ascend from 0 or more
Result<std::vector<int64_t>> ReadSplits(const Tensor& tensor);

// The splits of several dimensions, which are the first `count` inputs; what they split is the
// next.
//   Errors: of ReadSplits; INVALID_ARGUMENT for some that point behind what they split
Result<std::vector<std::vector<int64_t>>> SplitsOf(const KernelContext& context, size_t count);

// The same of splits that leave nothing out: the first is 0, and the last the number of rows.
Result<std::vector<std::vector<int64_t>>> ExactSplitsOf(const KernelContext& context, size_t count);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_RAGGED_SPLITS_H_
