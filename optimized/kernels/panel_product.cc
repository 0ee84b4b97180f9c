#include "optimized/kernels/panel_product.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tagflow::optimized {

#if defined(__x86_64__)
namespace {

#define TAGFLOW_AVX2 __attribute__((target("avx2,fma")))

constexpr int64_t kTileRows = 6;
constexpr int64_t kTileColumns = 16;
constexpr int64_t kPanelDepth = 256;  // 16 KiB, half of the first cache

// kPanelDepth rows, or fewer, of kTileColumns columns of the second factor.
struct Panel {
  const float* data;
  int64_t row_step;
  int64_t depth;
};

// A row of the product's tile, in registers. (An array of them would be kept in memory.)
struct Sums {
  __m256 low, high;
};

// Only rows that there are: the functions of the others do nothing.
template <bool kIsThere>
TAGFLOW_AVX2 inline Sums Load(const float* from) {
  if constexpr (!kIsThere) return Sums();
  return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}
template <bool kIsThere>
TAGFLOW_AVX2 inline void Store(const Sums& sums, float* to) {
  if constexpr (!kIsThere) return;
  _mm256_storeu_ps(to, sums.low);
  _mm256_storeu_ps(to + 8, sums.high);
}
template <bool kIsThere>
TAGFLOW_AVX2 inline void AddProducts(const float* left, __m256 low, __m256 high, Sums& sums) {
  if constexpr (!kIsThere) return;
  const __m256 factor = _mm256_broadcast_ss(left);
  sums.low = _mm256_fmadd_ps(factor, low, sums.low);
  sums.high = _mm256_fmadd_ps(factor, high, sums.high);
}

// kRows rows of the product's tile: sums of products, or what is in `out` and they.
template <int kRows>
TAGFLOW_AVX2 void MultiplyTile(const FloatMatrix& a, const float* first, const Panel& panel,
                               bool adds, float* out, int64_t out_step) {
  Sums s0 = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  Sums s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  if (adds) {
    s0 = Load<true>(out);
    s1 = Load<(kRows > 1)>(out + out_step);
    s2 = Load<(kRows > 2)>(out + 2 * out_step);
    s3 = Load<(kRows > 3)>(out + 3 * out_step);
    s4 = Load<(kRows > 4)>(out + 4 * out_step);
    s5 = Load<(kRows > 5)>(out + 5 * out_step);
  }
  const float* right = panel.data;
  const int64_t step = a.row_step;
  for (int64_t k = 0; k < panel.depth; ++k, right += panel.row_step, first += a.column_step) {
    const __m256 low = _mm256_loadu_ps(right), high = _mm256_loadu_ps(right + 8);
    AddProducts<true>(first, low, high, s0);
    AddProducts<(kRows > 1)>(first + step, low, high, s1);
    AddProducts<(kRows > 2)>(first + 2 * step, low, high, s2);
    AddProducts<(kRows > 3)>(first + 3 * step, low, high, s3);
    AddProducts<(kRows > 4)>(first + 4 * step, low, high, s4);
    AddProducts<(kRows > 5)>(first + 5 * step, low, high, s5);
  }
  Store<true>(s0, out);
  Store<(kRows > 1)>(s1, out + out_step);
  Store<(kRows > 2)>(s2, out + 2 * out_step);
  Store<(kRows > 3)>(s3, out + 3 * out_step);
  Store<(kRows > 4)>(s4, out + 4 * out_step);
  Store<(kRows > 5)>(s5, out + 5 * out_step);
}

using TileFunction = void (*)(const FloatMatrix&, const float*, const Panel&, bool, float*,
                              int64_t);
constexpr TileFunction kTiles[] = {nullptr,         MultiplyTile<1>, MultiplyTile<2>,
                                   MultiplyTile<3>, MultiplyTile<4>, MultiplyTile<5>,
                                   MultiplyTile<6>};

// A tile of which only some columns are of the product.
void MultiplyNarrowTile(int64_t rows, int64_t columns, const FloatMatrix& a, const float* first,
                        const Panel& panel, bool adds, float* out, int64_t out_step) {
  float whole[kTileRows * kTileColumns] = {};
  for (int64_t row = 0; row < rows && adds; ++row) {
    std::copy_n(out + row * out_step, columns, whole + row * kTileColumns);
  }
  kTiles[rows](a, first, panel, adds, whole, kTileColumns);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(whole + row * kTileColumns, columns, out + row * out_step);
  }
}

// Copies `columns` columns of `depth` rows side by side, with zeros for those that a panel has
// more.
void Pack(const float* from, int64_t step, int64_t depth, int64_t columns, float* to) {
  for (int64_t k = 0; k < depth; ++k, from += step, to += kTileColumns) {
    if (columns == kTileColumns) {
      std::copy_n(from, kTileColumns, to);
    } else {
      std::fill_n(std::copy_n(from, columns, to), kTileColumns - columns, 0.0f);
    }
  }
}

// Whether panels are better read where they lie: the copy would be read but once, or all of the
// factor stays in the first cache.
bool LiesWell(const FloatMatrix& a, const FloatMatrix& b) {
  return a.rows <= kTileRows || b.rows * b.columns <= kPanelDepth * kTileColumns;
}

}  // namespace

bool HasFmaOf256Bits() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          !__builtin_cpu_supports("avx512f");
  return has;
}

bool SuitsPanels(const FloatMatrix& a, const FloatMatrix& b) {
  // 256 KiB of the first factor are read for each panel.
  constexpr int64_t kLeftMax = int64_t{1} << 16;
  constexpr int64_t kRowsMax = 512;
  return HasFmaOf256Bits() && b.column_step == 1 && a.rows > 1 && a.rows <= kRowsMax &&
         b.columns >= kTileColumns / 2 && a.rows * std::min(a.columns, kPanelDepth) <= kLeftMax;
}

void MultiplyByPanels(const FloatMatrix& a, const FloatMatrix& b, float* out) {
  alignas(64) float packed[kPanelDepth * kTileColumns];
  const bool lies_well = LiesWell(a, b);
  for (int64_t k = 0; k < b.rows; k += kPanelDepth) {
    const int64_t depth = std::min(kPanelDepth, b.rows - k);
    for (int64_t column = 0; column < b.columns; column += kTileColumns) {
      const int64_t columns = std::min(kTileColumns, b.columns - column);
      const float* from = b.data + k * b.row_step + column;
      Panel panel = {from, b.row_step, depth};
      if (!lies_well || columns < kTileColumns) {
        Pack(from, b.row_step, depth, columns, packed);
        panel = {packed, kTileColumns, depth};
      }
      for (int64_t row = 0; row < a.rows; row += kTileRows) {
        const int64_t rows = std::min(kTileRows, a.rows - row);
        const float* first = a.data + row * a.row_step + k * a.column_step;
        float* to = out + row * b.columns + column;
        if (columns == kTileColumns) {
          kTiles[rows](a, first, panel, k > 0, to, b.columns);
        } else {
          MultiplyNarrowTile(rows, columns, a, first, panel, k > 0, to, b.columns);
        }
      }
    }
  }
}

#else

bool HasFmaOf256Bits() { return false; }
bool SuitsPanels(const FloatMatrix&, const FloatMatrix&) { return false; }
void MultiplyByPanels(const FloatMatrix&, const FloatMatrix&, float*) {}

#endif

}  // namespace tagflow::optimized
