#ifndef TAGFLOW_OPTIMIZED_KERNELS_ROW_PRODUCT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ROW_PRODUCT_H_

// A row of floats times a matrix, for processors with AVX2 and FMA.
//
// Each element of the matrix is used once, so the product takes as long as reading the matrix. Four
// rows are read side by side, in order of memory, and 256 bytes ahead of use: that is as fast as
// reading alone (256x512 on a Zen 3: 6.0 us, reading 5.9, OpenBLAS 0.3.21 6.5 to 7.2; on a
// processor with AVX-512: 4.5, reading 4.4, OpenBLAS with its wider vectors 4.8). The sums, 16 KiB
// of them at most, stay in the first cache.
//
// An element of the product is a chain of fused multiply-adds in order of the inner index: the bits
// that a row of a larger product has where that is not the library's (panel_product.h).

#include "optimized/kernels/panel_product.h"

namespace tagflow::optimized {

// Whether MultiplyRow computes such a product on this processor.
bool SuitsRowProduct(const FloatMatrix& matrix);

// out = row matrix; the row's elements lie side by side.
// REQUIRES: SuitsRowProduct(matrix), `row` has matrix.rows elements, `out` is no factor
void MultiplyRow(const float* row, const FloatMatrix& matrix, float* out);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ROW_PRODUCT_H_
