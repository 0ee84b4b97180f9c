#ifndef TAGFLOW_OPTIMIZED_KERNELS_PANEL_PRODUCT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PANEL_PRODUCT_H_

// Products of float matrices of medium size, for processors with AVX2 and FMA but without AVX-512.
//
// The library is made for large matrices: it copies both factors into blocks that suit its inner
// loop, which costs a third of the time of 64x64 by 64x64. Here the second factor is cut into
// panels of 16 columns, which stay in the first cache (copied only where that helps), and the first
// is read where it lies, 6 rows at a time: 12 vectors of sums, 2 of the panel and one element of
// the first factor are what 16 registers hold (Goto and van de Geijn, "Anatomy of High-Performance
// Matrix Multiplication", 2008). That suits a first factor which stays in the second cache.
//
// An element of the product is a chain of fused multiply-adds in order of the inner index, in
// blocks of kPanelDepth: its bits do not depend on the sizes of the other dimensions, nor on where
// it is.
//
// On one core of an AMD Zen 3 (AVX2), in us, beside OpenBLAS 0.3.21 and oneDNN 2.6.3: see
// docs/architecture.md.

#include <cstdint>

namespace tagflow::optimized {

// Elements of a matrix: that of row i and column j is data[i * row_step + j * column_step].
struct FloatMatrix {
  const float* data;
  int64_t rows, columns;
  int64_t row_step, column_step;
};

// Whether the processor has AVX2 and FMA, and not AVX-512, for which the library is the better.
bool HasFmaOf256Bits();

// Whether MultiplyByPanels computes such a product on this processor, and quicker than the library.
bool SuitsPanels(const FloatMatrix& a, const FloatMatrix& b);

// out = a b; `out` in rows. REQUIRES: SuitsPanels(a, b), a.columns == b.rows, `out` is no factor
void MultiplyByPanels(const FloatMatrix& a, const FloatMatrix& b, float* out);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PANEL_PRODUCT_H_
