#include "optimized/kernels/row_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace tagflow::optimized {
namespace {

std::vector<float> Numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) {
    seed = seed * 1664525 + 1013904223;
    number = static_cast<float>(seed >> 8) / float{1 << 23} - 1;
  }
  return numbers;
}

// A matrix of `rows` rows, inside one that has a column more.
struct Case {
  int64_t rows, columns;
};
constexpr Case kCases[] = {{1, 8},  {2, 9},   {3, 15},  {4, 16},    {5, 17},
                           {7, 31}, {8, 512}, {257, 8}, {10, 4096}, {6, 9001}};

class RowProductTest : public testing::TestWithParam<Case> {
 protected:
  const Case case_ = GetParam();
  const std::vector<float> row_ = Numbers(case_.rows, 1);
  const std::vector<float> stored_ = Numbers(case_.rows * (case_.columns + 1), 2);
  const FloatMatrix matrix_ = {stored_.data(), case_.rows, case_.columns, case_.columns + 1, 1};
};

TEST_P(RowProductTest, IsTheChainOfFusedMultiplyAddsAndNothingElseIsWritten) {
  if (!SuitsRowProduct(matrix_)) GTEST_SKIP() << "not on this processor";
  std::vector<float> out(static_cast<size_t>(case_.columns) + 2, 77.0f);
  MultiplyRow(row_.data(), matrix_, out.data() + 1);
  EXPECT_EQ(out.front(), 77);
  EXPECT_EQ(out.back(), 77);
  for (int64_t j = 0; j < case_.columns; ++j) {
    float sum = 0;
    for (int64_t k = 0; k < case_.rows; ++k) {
      sum = std::fma(row_[static_cast<size_t>(k)], matrix_.data[k * matrix_.row_step + j], sum);
    }
    ASSERT_EQ(out[static_cast<size_t>(j) + 1], sum) << "column " << j;
  }
}

TEST_P(RowProductTest, HasTheBitsOfARowOfALargerProduct) {
  std::vector<float> rows = row_;
  rows.insert(rows.end(), row_.begin(), row_.end());
  const FloatMatrix two = {rows.data(), 2, case_.rows, case_.rows, 1};
  const PanelTiles* const tiles = PanelTilesOf256Bits();
  if (tiles == nullptr) GTEST_SKIP() << "not on this processor";
  const auto columns = static_cast<size_t>(case_.columns);
  std::vector<float> one_row(columns), two_rows(2 * columns);
  MultiplyRow(row_.data(), matrix_, one_row.data());
  MultiplyByPanels(*tiles, two, matrix_, two_rows.data(), matrix_.columns);
  EXPECT_EQ(0, std::memcmp(one_row.data(), &two_rows[columns], columns * sizeof(float)));
}

INSTANTIATE_TEST_SUITE_P(Sizes, RowProductTest, testing::ValuesIn(kCases), [](const auto& info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.columns);
});

TEST(SuitsRowProductTest, OnlyRowsThatLieSideBySide) {
  const std::vector<float> numbers(64);
  EXPECT_FALSE(SuitsRowProduct({numbers.data(), 8, 8, 1, 8}));
  EXPECT_FALSE(SuitsRowProduct({numbers.data(), 8, 4, 4, 1}));
}

}  // namespace
}  // namespace tagflow::optimized
