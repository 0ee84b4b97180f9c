#include "optimized/kernels/panel_product.h"

#include <algorithm>

namespace tagflow::optimized {
namespace {

constexpr int64_t kPanelDepth = 256;  // 16 or 32 KiB

// The widest that the processor has; null where it has none.
const PanelTiles* BestTiles() {
  static const PanelTiles* const best =
      PanelTilesOf512Bits() != nullptr ? PanelTilesOf512Bits() : PanelTilesOf256Bits();
  return best;
}

// A tile of which only some columns are of the product.
void MultiplyNarrowTile(const PanelTiles& tiles, int64_t rows, int64_t columns,
                        const FloatMatrix& a, const float* first, const Panel& panel, bool adds,
                        float* out, int64_t out_step) {
  float whole[kTileRowsMax * kTileColumnsMax] = {};
  for (int64_t row = 0; row < rows && adds; ++row) {
    std::copy_n(out + row * out_step, columns, whole + row * tiles.columns);
  }
  tiles.functions[rows](a, first, panel, adds, whole, tiles.columns);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(whole + row * tiles.columns, columns, out + row * out_step);
  }
}

// Copies `columns` columns of `depth` rows side by side, with zeros for those that a panel of
// `width` columns has more.
void Pack(const float* from, int64_t step, int64_t depth, int64_t columns, int64_t width,
          float* to) {
  for (int64_t k = 0; k < depth; ++k, from += step, to += width) {
    std::fill_n(std::copy_n(from, columns, to), width - columns, 0.0f);
  }
}

// Whether panels are better read where they lie: the copy would be read too seldom, or all of the
// factor stays in the first cache.
bool LiesWell(const PanelTiles& tiles, const FloatMatrix& a, const FloatMatrix& b) {
  return a.rows <= tiles.in_place_rows || b.rows * b.columns <= kPanelDepth * tiles.columns;
}

}  // namespace

bool SuitsPanels(const FloatMatrix& a, const FloatMatrix& b) {
  constexpr int64_t kRowsMax = 512;
  const PanelTiles* const tiles = BestTiles();
  if (tiles == nullptr || b.column_step != 1) return false;
  if (a.rows < tiles->rows_min || a.rows > kRowsMax) return false;
  if (a.rows * std::min(a.columns, kPanelDepth) > tiles->left_max) return false;
  const int64_t filled = (b.columns + tiles->columns - 1) / tiles->columns * tiles->columns;
  const int64_t size = b.rows * b.columns;
  return 8 * filled <= tiles->eighths_max * b.columns && size >= tiles->right_min &&
         size <= tiles->right_max;
}

namespace {

// Panels [first, …) of those copied of a factor; null: none are.
struct PanelsFrom {
  const CopiedPanels* copied;
  int64_t first;
};

void MultiplyPanels(const PanelTiles& tiles, const FloatMatrix& a, const FloatMatrix& b,
                    const PanelsFrom& panels, float* out, int64_t out_step) {
  alignas(64) float packed[kPanelDepth * kTileColumnsMax];
  const bool lies_well = LiesWell(tiles, a, b);
  for (int64_t k = 0; k < b.rows; k += kPanelDepth) {
    const int64_t depth = std::min(kPanelDepth, b.rows - k);
    for (int64_t column = 0; column < b.columns; column += tiles.columns) {
      const int64_t columns = std::min(tiles.columns, b.columns - column);
      const float* from = b.data + k * b.row_step + column;
      Panel panel = {from, b.row_step, depth};
      if (panels.copied != nullptr) {
        const auto* const all = static_cast<const float*>(panels.copied->elements.raw_data());
        const int64_t number = panels.first + column / tiles.columns;
        panel = {all + (k * panels.copied->count + number * depth) * tiles.columns, tiles.columns,
                 depth};
      } else if (!lies_well || columns < tiles.columns) {
        Pack(from, b.row_step, depth, columns, tiles.columns, packed);
        panel = {packed, tiles.columns, depth};
      }
      for (int64_t row = 0; row < a.rows; row += tiles.rows) {
        const int64_t rows = std::min(tiles.rows, a.rows - row);
        const float* first = a.data + row * a.row_step + k * a.column_step;
        float* to = out + row * out_step + column;
        if (columns == tiles.columns) {
          tiles.functions[rows](a, first, panel, k > 0, to, out_step);
        } else {
          MultiplyNarrowTile(tiles, rows, columns, a, first, panel, k > 0, to, out_step);
        }
      }
    }
  }
}

}  // namespace

// By columns: each panel is copied once, and the first factor is where it is for all threads.
void MultiplyByPanels(const FloatMatrix& a, const FloatMatrix& b, float* out,
                      const KernelContext& context, const CopiedPanels* copied) {
  constexpr double kNanoseconds = 0.02;  // about how long a multiplication and addition takes
  const PanelTiles& tiles = *BestTiles();
  const int64_t panels = (b.columns + tiles.columns - 1) / tiles.columns;
  const double panel_ns = kNanoseconds * static_cast<double>(a.rows) *
                          static_cast<double>(a.columns) * static_cast<double>(tiles.columns);
  context.ForRanges(panels, panel_ns, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * tiles.columns;
    FloatMatrix part = b;
    part.data += first;
    part.columns = std::min(end * tiles.columns, b.columns) - first;
    MultiplyPanels(tiles, a, part, {copied, begin}, out + first, b.columns);
  });
}

void MultiplyByPanels(const PanelTiles& tiles, const FloatMatrix& a, const FloatMatrix& b,
                      float* out, int64_t out_step) {
  MultiplyPanels(tiles, a, b, {nullptr, 0}, out, out_step);
}

}  // namespace tagflow::optimized
