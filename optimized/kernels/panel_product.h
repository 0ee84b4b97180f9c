#ifndef TAGFLOW_OPTIMIZED_KERNELS_PANEL_PRODUCT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PANEL_PRODUCT_H_

// Products of float matrices of medium size, for processors with AVX-512, or with AVX2 and FMA.
//
// The library is made for large matrices: it copies both factors into blocks that suit its inner
// loop, which costs a third of the time of 64x64 by 64x64 with AVX2, and a fifth of 64x256 by
// 256x512 with AVX-512. Here the second factor is cut into panels of as many columns as a tile of
// the product has (panel_tiles.h), which stay in the first cache, and the first is read where it
// lies (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008). That
// suits a first factor which stays in the second cache. Panels are copied side by side only where
// they are read often enough.
//
// An element of the product is a chain of fused multiply-adds in order of the inner index, in
// blocks of kPanelDepth: its bits do not depend on the sizes of the other dimensions, nor on where
// it is, nor on the width of vectors, nor on how many threads there are.
//
// On one core of an AMD Zen 3 (AVX2) and of an AMD with AVX-512, in us, beside OpenBLAS 0.3.21: see
// docs/architecture.md.

#include <cstdint>

#include "optimized/kernel.h"
#include "optimized/kernels/kept_panels.h"
#include "optimized/kernels/panel_tiles.h"

namespace tagflow::optimized {

// Whether MultiplyByPanels computes such a product on this processor, and quicker than the library.
bool SuitsPanels(const FloatMatrix& a, const FloatMatrix& b);

// out = a b; `out` in rows. On the threads of the context's session, where that is worth it.
//   copied: the panels of b (kept_panels.h); null: there are none
// REQUIRES: SuitsPanels(a, b), a.columns == b.rows, `out` is no factor
void MultiplyByPanels(const FloatMatrix& a, const FloatMatrix& b, float* out,
                      const KernelContext& context, const CopiedPanels* copied = nullptr);
// The same by tiles of one width, and of any sizes, on this thread.
//   out_step: from one row of `out` to the next
void MultiplyByPanels(const PanelTiles& tiles, const FloatMatrix& a, const FloatMatrix& b,
                      float* out, int64_t out_step);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PANEL_PRODUCT_H_
