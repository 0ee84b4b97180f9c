#include "optimized/kernels/tile_product.h"

#include <algorithm>
#include <type_traits>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/panel_tiles.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kRows = 4, kColumns = 8;  // of a tile that compilers keep in registers

const PanelTiles* FloatTiles() {
  static const PanelTiles* const tiles =
      PanelTilesOf512Bits() != nullptr ? PanelTilesOf512Bits() : PanelTilesOf256Bits();
  return tiles;
}

// One of `parts` parts of so many floats, into the second cache.
void FetchPart(const float* floats, int64_t count, int64_t part, int64_t parts) {
  constexpr int64_t kLine = 16;
  for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i += kLine) {
    __builtin_prefetch(floats + i, /*rw=*/0, /*locality=*/1);
  }
}

void MultiplyByTiles(const PanelTiles& tiles, const LeftBlock<float>& left,
                     const RightPanel<float>& right, bool adds, float* out, int64_t out_step) {
  const FloatMatrix a = {left.data, left.rows, right.depth, left.row_step, left.column_step};
  const Panel panel = {right.data, tiles.columns, right.depth};
  const int64_t count = (left.rows + tiles.rows - 1) / tiles.rows;
  for (int64_t tile = 0; tile < count; ++tile) {
    const int64_t row = tile * tiles.rows, rows = std::min(tiles.rows, left.rows - row);
    if (right.next != nullptr) FetchPart(right.next, right.depth * tiles.columns, tile, count);
    tiles.functions[rows](a, left.data + row * left.row_step, panel, adds, out + row * out_step,
                          out_step);
  }
}

// `rows` of kRows rows: the others are computed with the last of them, and left.
template <typename T>
TAGFLOW_CLONES void MultiplyTile(const LeftBlock<T>& left, const T* panel, int64_t depth,
                                 int64_t rows, bool adds, T* out, int64_t out_step) {
  T sums[kRows][kColumns] = {};
  const T* row[kRows];
  for (int64_t i = 0; i < kRows; ++i) row[i] = left.data + std::min(i, rows - 1) * left.row_step;
  for (int64_t i = 0; i < rows && adds; ++i) std::copy_n(out + i * out_step, kColumns, sums[i]);
  for (int64_t k = 0; k < depth; ++k, panel += kColumns) {
    for (int64_t i = 0; i < kRows; ++i) {
      const T factor = row[i][k * left.column_step];
      for (int64_t j = 0; j < kColumns; ++j) sums[i][j] += factor * panel[j];
    }
  }
  for (int64_t i = 0; i < rows; ++i) std::copy_n(sums[i], kColumns, out + i * out_step);
}

}  // namespace

template <typename T>
int64_t PanelColumns() {
  const bool has_tiles = std::is_same_v<T, float> && FloatTiles() != nullptr;
  return has_tiles ? FloatTiles()->columns : kColumns;
}

template <typename T>
void MultiplyBlock(const LeftBlock<T>& left, const RightPanel<T>& panel, bool adds, T* out,
                   int64_t out_step) {
  if constexpr (std::is_same_v<T, float>) {
    if (const PanelTiles* const tiles = FloatTiles()) {
      return MultiplyByTiles(*tiles, left, panel, adds, out, out_step);
    }
  }
  for (int64_t row = 0; row < left.rows; row += kRows) {
    LeftBlock<T> rows = left;
    rows.data += row * left.row_step;
    MultiplyTile(rows, panel.data, panel.depth, std::min(kRows, left.rows - row), adds,
                 out + row * out_step, out_step);
  }
}

template int64_t PanelColumns<float>();
template int64_t PanelColumns<double>();
template int64_t PanelColumns<uint64_t>();
template void MultiplyBlock(const LeftBlock<float>&, const RightPanel<float>&, bool, float*,
                            int64_t);
template void MultiplyBlock(const LeftBlock<double>&, const RightPanel<double>&, bool, double*,
                            int64_t);
template void MultiplyBlock(const LeftBlock<uint64_t>&, const RightPanel<uint64_t>&, bool,
                            uint64_t*, int64_t);

}  // namespace tagflow::optimized
