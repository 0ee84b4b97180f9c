#ifndef TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_ROWS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_ROWS_H_

// What ops like ResourceScatterAdd refuse, which change rows of a variable: for the kernels of the
// host and of devices.
// Tested by conformance/ops/scatter_variable.ops.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// INVALID_ARGUMENT unless updates are a scalar, or a row of params for each index.
Status CheckRowUpdates(DimsView params, DimsView indices, DimsView updates);
// INVALID_ARGUMENT for an index outside of [0, rows).
Status CheckUpdatedRows(const Tensor& indices, int64_t rows);
// INVALID_ARGUMENT for updates that hold 0, where rows are divided by them.
Status CheckDivisors(const Tensor& updates);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_ROWS_H_
