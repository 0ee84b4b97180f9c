#ifndef TAGFLOW_OPTIMIZED_KERNELS_PRODUCT_SHAPES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PRODUCT_SHAPES_H_

// The shapes of factors of matrix products: a matrix, or a batch of them.
//
// Tested by shape_rules_test.cc.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

//   is_single: whether both must be of rank 2, and not only of at least that
//   Errors: INVALID_ARGUMENT
Status RequireMatrices(DimsView a, DimsView b, bool is_single);

//   a_columns, b_rows: as the factors are read
//   Errors: INVALID_ARGUMENT where they differ
Status RequireOneInnerSize(DimsView a, DimsView b, int64_t a_columns, int64_t b_rows);

// The dimensions before those of the matrices.
// REQUIRES: RequireMatrices
inline DimsView BatchOf(DimsView dims) { return dims.first(dims.size() - 2); }

//   Errors: INVALID_ARGUMENT
Status RequireOneBatch(DimsView a, DimsView b);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PRODUCT_SHAPES_H_
