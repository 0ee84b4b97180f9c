// Products by the fake of cuBLAS, which checks what it is called with.
// Tests: cublas.cc, fake/fake_cublas.cc

#include "optimized/devices/gpu/cublas.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kRows = 2, kInner = 3, kColumns = 4, kBatches = 2;

// A small integer as T.
template <typename T>
T Of(int64_t number) {
  if constexpr (std::is_same_v<T, Half>) return HalfFromFloat(static_cast<float>(number));
  if constexpr (std::is_same_v<T, BFloat16>) return BFloat16FromFloat(static_cast<float>(number));
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(number);
}
template <typename T>
double NumberOf(T x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  if constexpr (!std::is_floating_point_v<T>) return ToFloat(x);
}

template <typename T>
std::vector<T> Counted(int64_t count) {
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(Of<T>(i * 7 % 11));
  return numbers;
}

// Memory that is aligned as that of a GPU.
struct Workspace {
  Workspace() : memory(std::aligned_alloc(256, cublas::kWorkspaceBytes), std::free) {}
  std::unique_ptr<void, decltype(&std::free)> memory;
};

class CublasTest : public testing::Test {
 protected:
  CublasTest() { (void)fake_cuda::Api().stream_create(&stream_, cudaStreamNonBlocking); }
  ~CublasTest() override { (void)fake_cuda::Api().stream_destroy(stream_); }

  Status Multiply(const CublasProduct& product) {
    const Status status =
        MultiplyByCublas(fake_cuda::Cublas(), 0, stream_, product, workspace_.memory.get());
    (void)fake_cuda::Api().stream_synchronize(stream_);
    return status;
  }

  template <typename T>
  void CheckEach(bool a_is_transposed, bool b_is_transposed, int64_t b_stride) {
    const auto a = Counted<T>(kBatches * kRows * kInner),
               b = Counted<T>(kBatches * kInner * kColumns);
    std::vector<T> out(kBatches * kRows * kColumns, Of<T>(-1));
    ASSERT_TRUE(
        Multiply({a.data(), b.data(), out.data(), DTypeOf<T>::value, a_is_transposed,
                  b_is_transposed, kRows, kInner, kColumns, kBatches, kRows * kInner, b_stride})
            .ok());
    for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
      const int64_t batch = i / (kRows * kColumns), row = i / kColumns % kRows,
                    column = i % kColumns;
      double sum = 0;
      for (int64_t k = 0; k < kInner; ++k) {
        const int64_t a_at = a_is_transposed ? k * kRows + row : row * kInner + k;
        const int64_t b_at = b_is_transposed ? column * kInner + k : k * kColumns + column;
        sum += NumberOf(a[batch * kRows * kInner + a_at]) * NumberOf(b[batch * b_stride + b_at]);
      }
      EXPECT_EQ(NumberOf(out[i]), sum) << i << " " << a_is_transposed << b_is_transposed;
    }
  }

 private:
  cudaStream_t stream_;
  Workspace workspace_;
};

TEST_F(CublasTest, MultipliesMatricesThatLieInRows) {
  for (const bool a_is_transposed : {false, true}) {
    for (const bool b_is_transposed : {false, true}) {
      for (const int64_t b_stride : {int64_t{0}, kInner * kColumns}) {
        CheckEach<float>(a_is_transposed, b_is_transposed, b_stride);
        CheckEach<double>(a_is_transposed, b_is_transposed, b_stride);
        CheckEach<Half>(a_is_transposed, b_is_transposed, b_stride);
        CheckEach<BFloat16>(a_is_transposed, b_is_transposed, b_stride);
      }
    }
  }
}

TEST_F(CublasTest, TellsWhatCublasRefuses) {
  const CublasProduct without_columns = {
      nullptr, nullptr, nullptr, DType::kFloat, false, false, 1, 1, 0, 1, 1, 1};
  EXPECT_FALSE(FitsCublas(without_columns));
  EXPECT_EQ(Multiply(without_columns).code(), Code::kInternal);
}

TEST(Cublas, CountsInInt) {
  CublasProduct product = {nullptr, nullptr, nullptr, DType::kFloat, false, false, 1, 1, 1,
                           1,       1,       1};
  EXPECT_TRUE(FitsCublas(product));
  product.rows = int64_t{std::numeric_limits<int>::max()} + 1;
  EXPECT_FALSE(FitsCublas(product));
}

TEST(Cublas, IsTheFileThatIsNamedOrNone) {
  ASSERT_EQ(setenv("TAGFLOW_CUBLAS", "/there/is/no/such/file", 1), 0);
  EXPECT_EQ(OpenCublas(), nullptr);
}

}  // namespace
}  // namespace tagflow::optimized
