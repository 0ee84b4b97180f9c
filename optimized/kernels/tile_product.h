#ifndef TAGFLOW_OPTIMIZED_KERNELS_TILE_PRODUCT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TILE_PRODUCT_H_

// A block of a product of matrices, for those who make the factors block by block: the second
// factor is a panel, some rows of it as wide as a tile, that were copied one after another.
//
// Floats go to the tiles of panel_tiles.h where the processor has them. Everything else, and floats
// elsewhere, is a loop that compilers make vector code of. Integers wrap.
//
// Tested by tile_product_test.cc.

#include <cstdint>

namespace tagflow::optimized {

// Columns of a panel of T.
template <typename T>
int64_t PanelColumns();

// Elements of the first factor: that of row i and column k is data[i * row_step + k * column_step].
template <typename T>
struct LeftBlock {
  const T* data;
  int64_t rows;
  int64_t row_step;
  int64_t column_step;
};

// `depth` rows of PanelColumns<T>() elements of the second factor.
template <typename T>
struct RightPanel {
  const T* data;
  int64_t depth;
  const T* next = nullptr;  // one as large that is wanted then; null: it may be anywhere
};

// out = left panel, or what is in `out` and that; rows of `out` are `out_step` elements apart. The
// next panel is brought near meanwhile: the first rows of `left` would wait for each line of it.
// An element's terms are added in order of the inner index.
// T: float, double or uint64_t
template <typename T>
void MultiplyBlock(const LeftBlock<T>& left, const RightPanel<T>& panel, bool adds, T* out,
                   int64_t out_step);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TILE_PRODUCT_H_
