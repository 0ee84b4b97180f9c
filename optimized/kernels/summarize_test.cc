#include "optimized/kernels/summarize.h"

#include <gtest/gtest.h>

#include <complex>

#include "optimized/kernels/op_runner.h"
#include "optimized/kernels/text.h"

namespace tagflow::optimized {
namespace {

TEST(SummarizeEndsTest, OfEachDimension) {
  std::vector<int32_t> numbers(24);
  for (int i = 0; i < 24; ++i) numbers[static_cast<size_t>(i)] = i;
  const Tensor cube = Ints(Dims{4, 2, 3}, numbers);
  EXPECT_EQ(SummarizeEnds(cube, 1),
            "[[[0 ... 2]\n  [3 ... 5]]\n\n ...\n\n [[18 ... 20]\n  [21 ... 23]]]");
  EXPECT_EQ(SummarizeEnds(Ints({1, 2}), -1), "[1 2]");
  EXPECT_EQ(SummarizeEnds(Ints({1, 2}), 0), "[ ...]");
  EXPECT_EQ(SummarizeEnds(Empty(DType::kInt32, Dims{0, 2}), 3), "[]");
  EXPECT_EQ(SummarizeEnds(Empty(DType::kInt32, Dims{2, 0}), 3), "[\n ...]");
  EXPECT_EQ(SummarizeEnds(Int(7), 0), "7");
  EXPECT_EQ(SummarizeEnds(Tensor::Scalar(std::complex<float>(1, 2)), 3), "?");
}

TEST(TextTest, StrippingTakesBlanksFromTheEnds) {
  EXPECT_EQ(Stripped(" \ta b\r\n"), "a b");
  EXPECT_EQ(Stripped(" "), "");
  EXPECT_EQ(Stripped(""), "");
}

}  // namespace
}  // namespace tagflow::optimized
