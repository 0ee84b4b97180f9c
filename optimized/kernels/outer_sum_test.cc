#include "optimized/kernels/outer_sum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

// What comes of a, b and the term; "" where the sum is left to the two kernels.
struct Outcome {
  std::string text;
  bool is_in_place = false;
};

Outcome Sum(const ProductPart& product, const std::vector<Tensor>& inputs,
            bool may_overwrite = true) {
  std::vector<Tensor> slots;
  for (const Tensor& input : inputs) slots.push_back(*input.Clone());
  slots.emplace_back();
  const void* const term = slots[2].raw_data();
  const Arg args[] = {{0, 0}, {1, 0}, {2, may_overwrite}};
  const uint32_t outputs[] = {3};
  const StepServices services;
  KernelContext context(slots.data(), services);
  context.Point(args, outputs, 3);
  if (!AddOuterProduct(product, context)) {
    EXPECT_FALSE(slots[3].has_value());
    EXPECT_EQ(slots[2].raw_data(), term);
    return {};
  }
  return {slots[3].DebugString(), slots[3].raw_data() == term};
}

Tensor Doubles(DimsView dims, const std::vector<double>& values) {
  return Tensor::Of<double>(dims, values);
}

constexpr ProductPart kFloats = {DType::kFloat, false, false};

TEST(OuterSumTest, AddsAColumnTimesARow) {
  const Tensor a = Floats(Dims{2, 1}, {1, 2}), b = Floats(Dims{1, 3}, {1, 10, 100});
  const Tensor a_lying = Floats(Dims{1, 2}, {1, 2}), b_standing = Floats(Dims{3, 1}, {1, 10, 100});
  const Tensor term = Floats(Dims{2, 3}, {5, 5, 5, 6, 6, 6});
  const std::string expected = "float[2,3] [[6, 15, 105], [8, 26, 206]]";
  EXPECT_EQ(Sum(kFloats, {a, b, term}).text, expected);
  EXPECT_EQ(Sum({DType::kFloat, true, false}, {a_lying, b, term}).text, expected);
  EXPECT_EQ(Sum({DType::kFloat, false, true}, {a, b_standing, term}).text, expected);
  EXPECT_EQ(Sum({DType::kFloat, true, true}, {a_lying, b_standing, term}).text, expected);
  const Tensor x = Doubles(Dims{2, 1}, {2, 3});
  const Tensor y = Doubles(Dims{1, 1}, {0.5});
  EXPECT_EQ(Sum({DType::kDouble, false, false}, {x, y, x}).text, "double[2,1] [[3], [4.5]]");
}

TEST(OuterSumTest, WritesOverATermThatNobodyReads) {
  const std::vector<Tensor> inputs = {Floats(Dims{2, 1}, {1, 2}), Floats(Dims{1, 2}, {1, 10}),
                                      Floats(Dims{2, 2}, {1, 2, 3, 4})};
  EXPECT_TRUE(Sum(kFloats, inputs).is_in_place);
  EXPECT_FALSE(Sum(kFloats, inputs, /*may_overwrite=*/false).is_in_place);
}

// (1 + 2^-12)^2 rounds to 1 + 2^-11, and what that is beside it is 0; one rounding leaves 2^-24.
TEST(OuterSumTest, RoundsTheProductBeforeItIsAdded) {
  const Tensor x = Floats(Dims{1, 1}, {1 + 0x1p-12f});
  EXPECT_EQ(Sum(kFloats, {x, x, Floats(Dims{1, 1}, {-1 - 0x1p-11f})}).text, "float[1,1] [[0]]");
}

// As a sum that begins with 0 makes it: -0 + -0 would be -0.
TEST(OuterSumTest, AProductIsNeverMinusZero) {
  const Tensor zero = Floats(Dims{1, 1}, {0}), minus = Floats(Dims{1, 1}, {-1});
  const Tensor minus_zero = Floats(Dims{1, 1}, {-0.0f});
  EXPECT_EQ(Sum(kFloats, {zero, minus, minus_zero}).text, "float[1,1] [[0]]");
}

TEST(OuterSumTest, LeavesTheRestToTheTwoKernels) {
  const Tensor column = Floats(Dims{2, 1}, {1, 2}), row = Floats(Dims{1, 2}, {1, 2});
  const Tensor square = Floats(Dims{2, 2}, {1, 2, 3, 4}), vector = Floats({1, 2});
  for (const std::vector<Tensor>& inputs : {
           std::vector{square, square, square},  // deeper than 1
           std::vector{square, row, square},     // no product
           std::vector{column, square, square},  //
           std::vector{vector, row, square},     //
           std::vector{column, vector, square},  //
           std::vector{column, row, vector},     // a term that repeats
           std::vector{column, row, row},        //
           std::vector{column, row, column},     //
           std::vector{column, row, Float(1)},   //
           std::vector{Empty(DType::kFloat, Dims{0, 1}), row, Empty(DType::kFloat, Dims{0, 2})},
       }) {
    EXPECT_EQ(Sum(kFloats, inputs).text, "");
  }
}

}  // namespace
}  // namespace tagflow::optimized
