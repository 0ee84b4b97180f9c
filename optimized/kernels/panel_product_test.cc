// Tests: panel_tiles.cc

#include "optimized/kernels/panel_product.h"

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

struct Case {
  int64_t rows, inner, columns;
  bool is_transposed = false;  // the first factor
};

// A product and what surrounds it: nothing may be written there.
struct Product {
  explicit Product(const Case& c)
      : left(Numbers(c.rows * c.inner, 1)),
        right(Numbers(c.inner * c.columns, 2)),
        a{left.data(), c.rows, c.inner, c.is_transposed ? 1 : c.inner,
          c.is_transposed ? c.rows : 1},
        b{right.data(), c.inner, c.columns, c.columns, 1},
        out(static_cast<size_t>(c.rows * c.columns) + 32, 77.0f) {}

  float* product() { return out.data() + 16; }
  bool IsUntouchedAround() const {
    for (size_t i = 0; i < 16; ++i) {
      if (out[i] != 77 || out[out.size() - 1 - i] != 77) return false;
    }
    return true;
  }

  std::vector<float> left, right;
  FloatMatrix a, b;
  std::vector<float> out;
};

const Case kCases[] = {
    {2, 1, 8},       {2, 3, 16},    {3, 5, 17},        {4, 256, 31},         {5, 257, 48},
    {6, 64, 64},     {7, 300, 100}, {12, 512, 16},     {13, 513, 15},        {64, 64, 64},
    {64, 256, 40},   {100, 77, 33}, {7, 30, 40, true}, {64, 300, 24, true},  {8, 20, 32},
    {300, 257, 100}, {15, 2, 95},   {400, 300, 1100},  {193, 513, 33, true},
};

class PanelProductTest : public testing::TestWithParam<const PanelTiles* (*)()> {
 protected:
  void SetUp() override {
    if (GetParam()() == nullptr) GTEST_SKIP() << "not on this processor";
  }
  const PanelTiles& tiles() const { return *GetParam()(); }
};
INSTANTIATE_TEST_SUITE_P(Widths, PanelProductTest,
                         testing::Values(PanelTilesOf256Bits, PanelTilesOf512Bits),
                         [](const auto& info) {
                           return info.index == 0 ? "Of256Bits" : "Of512Bits";
                         });

TEST_P(PanelProductTest, IsTheProduct) {
  for (const Case& c : kCases) {
    Product run(c);
    MultiplyByPanels(tiles(), run.a, run.b, run.product(), c.columns);
    ASSERT_TRUE(run.IsUntouchedAround());
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t j = 0; j < c.columns; ++j) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < c.inner; ++k) {
          const double term = double{run.a.data[i * run.a.row_step + k * run.a.column_step]} *
                              double{run.b.data[k * c.columns + j]};
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(run.product()[i * c.columns + j], sum, 1e-6 * size)
            << c.rows << "x" << c.inner << "x" << c.columns << " at " << i << "," << j;
      }
    }
  }
}

// Whatever tile an element falls into.
TEST_P(PanelProductTest, BitsDoNotDependOnTheOtherRowsAndColumns) {
  Product whole({20, 300, 50});
  MultiplyByPanels(tiles(), whole.a, whole.b, whole.product(), whole.b.columns);
  for (int64_t rows = 2; rows < 20; ++rows) {
    std::vector<float> part(static_cast<size_t>(rows) * 50);
    FloatMatrix a = whole.a;
    a.rows = rows;
    a.data += (20 - rows) * a.row_step;
    MultiplyByPanels(tiles(), a, whole.b, part.data(), whole.b.columns);
    ASSERT_EQ(0, std::memcmp(part.data(), whole.product() + (20 - rows) * 50,
                             part.size() * sizeof(float)))
        << rows;
  }
  Product narrow({20, 300, 50});
  narrow.b.columns = 21;
  std::vector<float> part(20 * 21);
  MultiplyByPanels(tiles(), narrow.a, narrow.b, part.data(), narrow.b.columns);
  for (int64_t i = 0; i < 20; ++i) {
    ASSERT_EQ(0, std::memcmp(&part[static_cast<size_t>(i) * 21], whole.product() + i * 50,
                             21 * sizeof(float)));
  }
}

TEST(PanelTilesTest, BothWidthsGiveTheSameBits) {
  if (PanelTilesOf512Bits() == nullptr) GTEST_SKIP() << "not on this processor";
  for (const Case& c : kCases) {
    Product wide(c), narrow(c);
    MultiplyByPanels(*PanelTilesOf512Bits(), wide.a, wide.b, wide.product(), wide.b.columns);
    MultiplyByPanels(*PanelTilesOf256Bits(), narrow.a, narrow.b, narrow.product(),
                     narrow.b.columns);
    EXPECT_EQ(wide.out, narrow.out) << c.rows << "x" << c.inner << "x" << c.columns;
  }
}

TEST(SuitsPanelsTest, OnlyWhatSuits) {
  Product run({64, 256, 64});
  EXPECT_EQ(SuitsPanels(run.a, run.b),
            PanelTilesOf256Bits() != nullptr || PanelTilesOf512Bits() != nullptr);
  EXPECT_FALSE(SuitsPanels({run.left.data(), 1, 256, 256, 1}, run.b));
  EXPECT_FALSE(SuitsPanels({run.left.data(), 5000, 256, 256, 1}, run.b));
  EXPECT_FALSE(SuitsPanels(run.a, {run.right.data(), 256, 64, 1, 256}));
  EXPECT_FALSE(SuitsPanels(run.a, {run.right.data(), 256, 4, 4, 1}));
}

}  // namespace
}  // namespace tagflow::optimized
