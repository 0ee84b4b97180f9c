#include "optimized/kernels/row_product.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tagflow::optimized {

#if defined(__x86_64__)
namespace {

#define TAGFLOW_AVX2 __attribute__((target("avx2,fma")))

constexpr int64_t kRowsAtOnce = 4;
constexpr int64_t kAhead = 64;         // floats between what is used and what is fetched
constexpr int64_t kColumnsMax = 4096;  // of sums in the first cache
constexpr int64_t kWidth = 8;          // floats of a vector
constexpr int64_t kLine = 16;          // of a line of the caches

// kWidth columns: the sum goes through all rows in a register.
template <int64_t kRows>
TAGFLOW_AVX2 inline void AddColumns(const __m256* factors, const float* rows, int64_t row_step,
                                    float* sums) {
  __m256 sum = _mm256_loadu_ps(sums);
#pragma GCC unroll 4
  for (int64_t k = 0; k < kRows; ++k) {
    sum = _mm256_fmadd_ps(factors[k], _mm256_loadu_ps(rows + k * row_step), sum);
  }
  _mm256_storeu_ps(sums, sum);
}

// sums += factors rows: kRows rows of the matrix, the first `columns` of their columns, a multiple
// of kWidth.
template <int64_t kRows>
TAGFLOW_AVX2 inline void AddRows(const float* factors, const float* rows, int64_t row_step,
                                 int64_t columns, float* sums) {
  __m256 wide[kRows];
#pragma GCC unroll 4
  for (int64_t k = 0; k < kRows; ++k) wide[k] = _mm256_broadcast_ss(factors + k);
  int64_t column = 0;
  for (; column + kLine <= columns; column += kLine) {
#pragma GCC unroll 4
    for (int64_t k = 0; k < kRows; ++k) {
      const float* row = rows + k * row_step + column;
      _mm_prefetch(reinterpret_cast<const char*>(row + kAhead), _MM_HINT_T0);
    }
    AddColumns<kRows>(wide, rows + column, row_step, sums + column);
    AddColumns<kRows>(wide, rows + column + kWidth, row_step, sums + column + kWidth);
  }
  if (column < columns) AddColumns<kRows>(wide, rows + column, row_step, sums + column);
}

// The first `columns` columns of the product.
TAGFLOW_AVX2 void MultiplyColumns(const float* row, const FloatMatrix& matrix, int64_t columns,
                                  float* out) {
  std::fill_n(out, columns, 0.0f);
  const float* rows = matrix.data;
  int64_t k = 0;
  for (; k + kRowsAtOnce <= matrix.rows; k += kRowsAtOnce) {
    AddRows<kRowsAtOnce>(row + k, rows, matrix.row_step, columns, out);
    rows += kRowsAtOnce * matrix.row_step;
  }
  for (; k < matrix.rows; ++k, rows += matrix.row_step) {
    AddRows<1>(row + k, rows, matrix.row_step, columns, out);
  }
}

// The matrix without its first columns.
FloatMatrix From(FloatMatrix matrix, int64_t column) {
  matrix.data += column;
  matrix.columns -= column;
  return matrix;
}

}  // namespace

bool SuitsRowProduct(const FloatMatrix& matrix) {
  static const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has_fma && matrix.column_step == 1 && matrix.columns >= kWidth;
}

void MultiplyRow(const float* row, const FloatMatrix& matrix, float* out) {
  const int64_t whole = matrix.columns / kWidth * kWidth;
  for (int64_t column = 0; column < whole; column += kColumnsMax) {
    const int64_t columns = std::min(kColumnsMax, whole - column);
    MultiplyColumns(row, From(matrix, column), columns, out + column);
  }
  // What fills no vector is computed in the last one that there is, with what is before it again.
  const int64_t last = matrix.columns - kWidth;
  if (whole < matrix.columns) MultiplyColumns(row, From(matrix, last), kWidth, out + last);
}

#else

bool SuitsRowProduct(const FloatMatrix&) { return false; }
void MultiplyRow(const float*, const FloatMatrix&, float*) {}

#endif

}  // namespace tagflow::optimized
