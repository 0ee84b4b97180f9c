#ifndef TAGFLOW_OPTIMIZED_FORMULAS_PRODUCTS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_PRODUCTS_H_

// Products of small matrices, of which each element is a sum in double, in order of the inner
// index. What larger ones are is kernels/product.h's to say.
//
// Tested by conformance/ops/matrix.ops.

#include <cstdint>

namespace tagflow::optimized::formulas {

struct ProductSizes {
  // Below this many multiplications a call of a library costs more than they do.
  static constexpr int64_t kSmall = 256;

  bool is_small() const {
    return depth > 0 && rows < kSmall && columns < kSmall && rows * columns * depth < kSmall;
  }

  int64_t rows;
  int64_t depth;
  int64_t columns;
};

// out = x y, row-major, of factors that are row-major or, transposed, column-major.
template <typename T>
[[gnu::always_inline]] inline void MultiplyInOrder(const T* x, const T* y, T* out,
                                                   const ProductSizes& sizes, bool transpose_x,
                                                   bool transpose_y) {
  const int64_t x_row = transpose_x ? 1 : sizes.depth, x_step = transpose_x ? sizes.rows : 1;
  const int64_t y_next = transpose_y ? sizes.depth : 1, y_step = transpose_y ? 1 : sizes.columns;
  for (int64_t row = 0; row < sizes.rows; ++row, x += x_row, out += sizes.columns) {
    for (int64_t column = 0; column < sizes.columns; ++column) {
      double sum = 0;
      for (int64_t k = 0; k < sizes.depth; ++k) {
        sum += static_cast<double>(x[k * x_step]) *
               static_cast<double>(y[k * y_step + column * y_next]);
      }
      out[column] = static_cast<T>(sum);
    }
  }
}

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_PRODUCTS_H_
