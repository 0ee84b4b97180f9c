#ifndef TAGFLOW_OPTIMIZED_KERNELS_PANEL_TILES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PANEL_TILES_H_

// The inner loops of panel_product.h, for each width of vectors that a processor may have.
//
// A tile of the product is summed up in registers while a panel, some columns of the second factor,
// and as many rows of the first as the tile has go by. What registers hold says how large it is:
//
//   256 bits  6 rows of 16 columns: 12 vectors of sums, 2 of the panel and one element of the first
//             factor are what 16 registers hold.
//   512 bits  8 rows of 32 columns: 16 vectors of sums of 32 registers. More would only take longer
//             to begin and to end: each step has 16 multiply-adds for 10 loads.
//
// Every element is a chain of fused multiply-adds in order of the inner index: its bits are the
// same at both widths.   Tested by panel_product_test.cc.

#include <cstdint>

namespace tagflow::optimized {

// Elements of a matrix: that of row i and column j is data[i * row_step + j * column_step].
struct FloatMatrix {
  const float* data;
  int64_t rows, columns;
  int64_t row_step, column_step;
};

// `depth` rows of as many columns of the second factor as a tile has.
struct Panel {
  const float* data;
  int64_t row_step;
  int64_t depth;
};

struct PanelTiles {
  // out = sums of products, or what is in `out` and they: of the rows of `a` from `first` on, as
  // many as the function is for, with the panel.
  using Function = void (*)(const FloatMatrix& a, const float* first, const Panel& panel, bool adds,
                            float* out, int64_t out_step);

  int64_t rows, columns;      // of a tile
  const Function* functions;  // by rows: 1 … `rows`
  int64_t in_place_rows;      // up to so many rows of `a`, copying panels does not pay
  // Which products are quicker so than by the library:
  int64_t rows_min;              // of `a`
  int64_t left_max;              // elements of `a` in rows of a panel's depth: the second cache
  int64_t right_min, right_max;  // elements of the second factor
  int64_t eighths_max;           // of its columns, filled up to whole tiles
};

inline constexpr int64_t kTileRowsMax = 8, kTileColumnsMax = 32;

// Those of a width; null where the processor has not got it.
const PanelTiles* PanelTilesOf256Bits();  // AVX2 and FMA
const PanelTiles* PanelTilesOf512Bits();  // AVX-512

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PANEL_TILES_H_
