#include "optimized/kernels/panel_tiles.h"

#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tagflow::optimized {

#if defined(__x86_64__)
namespace {

#define TAGFLOW_AVX2 __attribute__((target("avx2,fma")))
#define TAGFLOW_AVX512 __attribute__((target("avx512f")))

// ---- 256 bits ----

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

constexpr PanelTiles::Function kTiles[] = {nullptr,         MultiplyTile<1>, MultiplyTile<2>,
                                           MultiplyTile<3>, MultiplyTile<4>, MultiplyTile<5>,
                                           MultiplyTile<6>};

// ---- 512 bits ----

// With so many registers, arrays of them stay there.
template <int kRows>
TAGFLOW_AVX512 void MultiplyWideTile(const FloatMatrix& a, const float* first, const Panel& panel,
                                     bool adds, float* out, int64_t out_step) {
  __m512 low[kRows], high[kRows];
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
    const float* from = out + row * out_step;
    low[row] = adds ? _mm512_loadu_ps(from) : _mm512_setzero_ps();
    high[row] = adds ? _mm512_loadu_ps(from + 16) : _mm512_setzero_ps();
  }
  const float* right = panel.data;
  for (int64_t k = 0; k < panel.depth; ++k, right += panel.row_step, first += a.column_step) {
    const __m512 right_low = _mm512_loadu_ps(right), right_high = _mm512_loadu_ps(right + 16);
#pragma GCC unroll 8
    for (int row = 0; row < kRows; ++row) {
      const __m512 factor = _mm512_set1_ps(first[row * a.row_step]);
      low[row] = _mm512_fmadd_ps(factor, right_low, low[row]);
      high[row] = _mm512_fmadd_ps(factor, right_high, high[row]);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
    _mm512_storeu_ps(out + row * out_step, low[row]);
    _mm512_storeu_ps(out + row * out_step + 16, high[row]);
  }
}

constexpr PanelTiles::Function kWideTiles[] = {
    nullptr,
    MultiplyWideTile<1>,
    MultiplyWideTile<2>,
    MultiplyWideTile<3>,
    MultiplyWideTile<4>,
    MultiplyWideTile<5>,
    MultiplyWideTile<6>,
    MultiplyWideTile<7>,
    MultiplyWideTile<8>,
};

}  // namespace

const PanelTiles* PanelTilesOf256Bits() {
  static constexpr PanelTiles kOf256Bits = {.rows = 6,
                                            .columns = 16,
                                            .functions = kTiles,
                                            .in_place_rows = 6,
                                            .rows_min = 2,
                                            .left_max = int64_t{1} << 16,
                                            .right_min = 0,
                                            .right_max = std::numeric_limits<int64_t>::max(),
                                            .eighths_max = 16};
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has ? &kOf256Bits : nullptr;
}

// A second factor in the first cache is the library's case, and one beyond the second, for which
// its copies are made.
const PanelTiles* PanelTilesOf512Bits() {
  static constexpr PanelTiles kOf512Bits = {.rows = 8,
                                            .columns = 32,
                                            .functions = kWideTiles,
                                            .in_place_rows = 256,
                                            .rows_min = 5,
                                            .left_max = int64_t{1} << 17,
                                            .right_min = int64_t{1} << 13,
                                            .right_max = int64_t{1} << 18,
                                            .eighths_max = 9};
  static const bool has = __builtin_cpu_supports("avx512f");
  return has ? &kOf512Bits : nullptr;
}

#else

const PanelTiles* PanelTilesOf256Bits() { return nullptr; }
const PanelTiles* PanelTilesOf512Bits() { return nullptr; }

#endif

}  // namespace tagflow::optimized
