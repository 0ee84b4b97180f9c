#include "optimized/kernels/product.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

template <typename T>
Tensor Of(DimsView dims, const std::vector<T>& values) {
  return Tensor::Of<T>(dims, values);
}

// However the factors lie, and whatever computes them: -0 is 0, as where 0 is what a sum begins
// with.
template <typename T>
void ColumnTimesRow() {
  std::vector<T> left(300), right(70), expected;
  std::iota(left.begin(), left.end(), T(-7));
  std::iota(right.begin(), right.end(), T(-3));
  for (const T x : left) {
    for (const T y : right) expected.push_back(x * y + T(0));
  }
  for (const bool transposes : {false, true}) {
    const Tensor a = Of<T>(transposes ? Dims{1, 300} : Dims{300, 1}, left);
    const Tensor b = Of<T>(transposes ? Dims{70, 1} : Dims{1, 70}, right);
    const auto product = OpRunner().Run("MatMul", {a, b},
                                        {{"transpose_a", transposes}, {"transpose_b", transposes}});
    ASSERT_TRUE(product.ok()) << product.status().ToString();
    EXPECT_TRUE(BitwiseEqual((*product)[0], Of<T>(Dims{300, 70}, expected)));
  }
}
TEST(MatMulTest, AColumnTimesARow) {
  ColumnTimesRow<float>();
  ColumnTimesRow<double>();
}

// Whatever code computes it, whichever way the factors lie: whole numbers have exact products.
template <typename T>
void CheckProduct(int64_t rows, int64_t inner, int64_t columns) {
  std::vector<T> a(rows * inner), b(inner * columns), a_turned(a.size()), b_turned(b.size());
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i % 7) - 3);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i % 5) - 2);
  std::vector<T> expected(rows * columns, 0);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < inner; ++k) {
      a_turned[k * rows + i] = a[i * inner + k];
      for (int64_t j = 0; j < columns; ++j) {
        b_turned[j * inner + k] = b[k * columns + j];
        expected[i * columns + j] += a[i * inner + k] * b[k * columns + j];
      }
    }
  }
  const DType dtype = DTypeOf<T>::value;
  const StepServices alone;
  const KernelContext context(nullptr, alone);
  for (bool turn_a : {false, true}) {
    for (bool turn_b : {false, true}) {
      std::vector<T> out(expected.size(), std::numeric_limits<T>::max());
      const Factor x{turn_a ? a_turned.data() : a.data(), dtype, rows, inner, turn_a};
      const Factor y{turn_b ? b_turned.data() : b.data(), dtype, inner, columns, turn_b};
      ASSERT_TRUE(Multiply(dtype, x, y, out.data(), context).ok());
      EXPECT_EQ(out, expected) << rows << " " << inner << " " << columns;
    }
  }
}

TEST(ProductTest, OfAllSizes) {
  for (int64_t rows : {1, 2, 9, 40}) {
    for (int64_t inner : {1, 3, 33}) {
      for (int64_t columns : {1, 2, 17, 50}) {
        CheckProduct<float>(rows, inner, columns);
        CheckProduct<double>(rows, inner, columns);
        CheckProduct<int32_t>(rows, inner, columns);
      }
    }
  }
}

// In double, so that the library computes it. The integers are exact in any order of additions.
TEST(ProductTest, SeveralThreadsAtOnceGetTheirOwn) {
  constexpr int kSide = 24;
  std::atomic<int> wrong = 0;
  const auto multiply = [&wrong](int first) {
    std::vector<double> x(kSide * kSide);
    std::iota(x.begin(), x.end(), first);
    std::vector<double> expected(x.size());
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        for (int k = 0; k < kSide; ++k)
          expected[i * kSide + j] += x[i * kSide + k] * x[k * kSide + j];
      }
    }
    const Tensor factor = Tensor::Of<double>(Dims{kSide, kSide}, x);
    const Tensor product = Tensor::Of<double>(Dims{kSide, kSide}, expected);
    OpRunner runner(OpRunner::Inputs::kShared);
    for (int i = 0; i < 5000; ++i) {
      const auto result = runner.Run("MatMul", {factor, factor});
      if (!result.ok() || !BitwiseEqual((*result)[0], product)) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int first = 0; first < 4; ++first) threads.emplace_back(multiply, first);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tagflow::optimized
