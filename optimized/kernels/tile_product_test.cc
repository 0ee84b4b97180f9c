#include "optimized/kernels/tile_product.h"

#include <gtest/gtest.h>

#include <vector>

namespace tagflow::optimized {
namespace {

// Small whole numbers, whose sums every type holds exactly.
template <typename T>
std::vector<T> Numbers(int64_t count) {
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<T>(i * 7 % 11));
  return numbers;
}

template <typename T>
class TileProductTest : public testing::Test {};
using Types = testing::Types<float, double, uint64_t>;
TYPED_TEST_SUITE(TileProductTest, Types);

TYPED_TEST(TileProductTest, IsTheSumOfProducts) {
  using T = TypeParam;
  const int64_t width = PanelColumns<T>(), out_step = width + 3;
  for (const int64_t rows : {1, 3, 8, 13}) {
    for (const int64_t depth : {1, 5, 64}) {
      const auto left = Numbers<T>(rows * depth), panel = Numbers<T>(depth * width);
      std::vector<T> out(static_cast<size_t>(rows * out_step), T(2));
      const bool is_transposed = rows == 3, adds = depth == 5;
      const LeftBlock<T> block = {left.data(), rows, is_transposed ? 1 : depth,
                                  is_transposed ? rows : 1};
      const RightPanel<T> right = {panel.data(), depth, rows == 13 ? panel.data() : nullptr};
      MultiplyBlock<T>(block, right, adds, out.data(), out_step);
      for (int64_t i = 0; i < rows * out_step; ++i) {
        const int64_t row = i / out_step, column = i % out_step;
        T sum = adds || column >= width ? T(2) : T(0);
        for (int64_t k = 0; k < depth && column < width; ++k) {
          sum += left[row * block.row_step + k * block.column_step] * panel[k * width + column];
        }
        EXPECT_EQ(out[i], sum);
      }
    }
  }
}

}  // namespace
}  // namespace tagflow::optimized
