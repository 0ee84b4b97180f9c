// Tests: product.cc matmul.cc add_n.cc
#include "optimized/kernels/product.h"

#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "graph/tensor_list.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

template <typename T>
Tensor Of(DimsView dims, const std::vector<T>& values) {
  return Tensor::Of<T>(dims, values);
}

TEST(MatMulTest, ReadsItsFactors) {
  const Tensor a = Floats(Dims{2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Floats(Dims{3, 2}, {1, 0, 0, 1, 1, 1});
  const Tensor c = Ints(Dims{2, 2}, {1, 2, 3, 4});
  const AttrMap a_transposed = {{"transpose_a", true}}, b_transposed = {{"transpose_b", true}};
  Check({
      {"MatMul", {a, b}, {}, "float[2,2] [[4, 5], [10, 11]]"},
      {"MatMul", {a, a}, b_transposed, "float[2,2] [[14, 32], [32, 77]]"},
      {"MatMul", {b, b}, a_transposed, "float[2,2] [[2, 1], [1, 2]]"},
      {"MatMul", {c, c}, {}, "int32[2,2] [[7, 10], [15, 22]]"},
      {"MatMul", {c, c}, a_transposed, "int32[2,2] [[10, 14], [14, 20]]"},
      {"MatMul",
       {Empty(DType::kFloat, Dims{2, 0}), Empty(DType::kFloat, Dims{0, 2})},
       {},
       "float[2,2] [[0, 0], [0, 0]]"},
      {"MatMul",
       {Empty(DType::kInt64, Dims{0, 3}), Empty(DType::kInt64, Dims{3, 2})},
       {},
       "int64[0,2] []"},
      {"MatMul", {a, a}, {}, "INVALID_ARGUMENT:"},
      {"MatMul", {a, Floats({1, 2, 3})}, {}, "INVALID_ARGUMENT:"},
      {"MatMul",
       {Of<uint8_t>(Dims{1, 1}, {1}), Of<uint8_t>(Dims{1, 1}, {1})},
       {},
       "UNIMPLEMENTED:"},
  });
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

TEST(MatMulTest, OtherDTypes) {
  const auto half = [](float value) { return HalfFromFloat(value); };
  using Complex = std::complex<float>;
  const Tensor i = Of<Complex>(Dims{1, 2}, {{0, 1}, {2, 0}});
  Check({
      {"MatMul",
       {Of<Half>(Dims{1, 2}, {half(1), half(2)}), Of<Half>(Dims{2, 1}, {half(3), half(4)})},
       {},
       "half[1,1] [[11]]"},
      {"BatchMatMulV2",
       {Of<int16_t>(Dims{1, 1}, {300}), Of<int16_t>(Dims{1, 1}, {300})},
       {},
       "int16[1,1] [[24464]]"},
      {"MatMul", {i, i}, {{"transpose_b", true}}, "complex64[1,1] [[(3,0)]]"},
      {"BatchMatMulV2", {i, i}, {{"adj_y", true}}, "complex64[1,1] [[(5,0)]]"},
      {"BatchMatMulV2",
       {i, i},
       {{"adj_x", true}},
       "complex64[2,2] [[(1,0), (0,-2)], [(0,2), (4,0)]]"},
  });
}

TEST(MatMulTest, Batches) {
  const Tensor two = Ints(Dims{2, 1, 2}, {1, 2, 3, 4}), one = Ints(Dims{1, 2, 1}, {5, 6});
  const Tensor byte = Of<uint8_t>(Dims{1, 1}, {200}), signed_byte = Of<int8_t>(Dims{1, 1}, {-2});
  const auto to = [](DType a, DType b, DType c) {
    return AttrMap{{"Ta", a}, {"Tb", b}, {"Tout", c}};
  };
  Check({
      {"BatchMatMulV2", {two, one}, {}, "int32[2,1,1] [[[17]], [[39]]]"},
      {"BatchMatMulV2", {two, Ints(Dims{2, 1}, {5, 6})}, {}, "int32[2,1,1] [[[17]], [[39]]]"},
      {"BatchMatMul", {two, two}, {{"adj_y", true}}, "int32[2,1,1] [[[5]], [[25]]]"},
      {"BatchMatMul", {two, one}, {}, "INVALID_ARGUMENT:"},
      {"BatchMatMulV2", {two, two}, {}, "INVALID_ARGUMENT:"},
      {"BatchMatMulV2", {two, Ints({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"BatchMatMulV3",
       {byte, signed_byte},
       to(DType::kUInt8, DType::kInt8, DType::kInt32),
       "int32[1,1] [[-400]]"},
      {"BatchMatMulV3",
       {byte, byte},
       to(DType::kUInt8, DType::kUInt8, DType::kBFloat16),
       "UNIMPLEMENTED:"},
      {"BatchMatMulV3",
       {signed_byte, Of<BFloat16>(Dims{1, 1}, {BFloat16FromFloat(1.5)})},
       to(DType::kInt8, DType::kBFloat16, DType::kBFloat16),
       "bfloat16[1,1] [[-3]]"},
      {"BatchMatMulV2", {Empty(DType::kInt32, Dims{0, 1, 2}), one}, {}, "int32[0,1,1] []"},
  });
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
  for (bool turn_a : {false, true}) {
    for (bool turn_b : {false, true}) {
      std::vector<T> out(expected.size(), std::numeric_limits<T>::max());
      const Factor x{turn_a ? a_turned.data() : a.data(), dtype, rows, inner, turn_a};
      const Factor y{turn_b ? b_turned.data() : b.data(), dtype, inner, columns, turn_b};
      ASSERT_TRUE(Multiply(dtype, x, y, out.data()).ok());
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

TEST(AddNTest, OfAnyNumber) {
  TensorList list(DType::kFloat);
  list.Push(Float(1));
  const Tensor wrapped = TensorList::Wrap(list);
  OpRunner runner;
  const auto sum = runner.Run("AddN", {wrapped, wrapped});
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(TensorList::In((*sum)[0])->Get(0).DebugString(), "float[] 2");
  const PartialShape two(Dims{2});
  Check({
      {"AddN", {Floats({1, 2}), Floats({3, 4}), Floats({5, 6})}, {}, "float[2] [9, 12]"},
      {"AddN", {Int(1), Int(2), Int(3)}, {}, "int32[] 6"},
      {"AddN", {Ints({1, 2})}, {}, "int32[2] [1, 2]"},
      {"AccumulateNV2", {Ints({1, 2}), Ints({1, 2})}, {{"shape", two}}, "int32[2] [2, 4]"},
      {"AddN", {Ints({1, 2}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"AddN", {Strings({"a"}), Strings({"b"})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
