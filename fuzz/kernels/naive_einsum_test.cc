#include "fuzz/kernels/naive_einsum.h"

#include <gtest/gtest.h>

namespace tagflow::fuzz {
namespace {

Tensor Matrix(int64_t rows, int64_t columns, std::vector<double> values) {
  return Tensor::Of<double>(Dims{rows, columns}, values);
}

TEST(NaiveEinsum, AddsProductsUp) {
  const Tensor a = Matrix(2, 2, {1, 2, 3, 4}), b = Matrix(2, 2, {1, 0, -1, 1});
  const auto product = NaiveEinsum("ij,jk->ik", {a, b});
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(product->dims, (Dims{2, 2}));
  EXPECT_EQ(product->values, (std::vector<double>{-1, 2, -1, 4}));
  EXPECT_EQ(product->magnitudes, (std::vector<double>{3, 2, 7, 4}));
  EXPECT_EQ(NaiveEinsum("ii->", {a})->values, (std::vector<double>{5}));
  EXPECT_EQ(NaiveEinsum("ij->ji", {a})->values, (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(NaiveEinsum("ij,->j", {a, Tensor::Scalar<double>(2)})->values,
            (std::vector<double>{8, 12}));
}

TEST(NaiveEinsum, DotsAreCountedFromTheEnd) {
  const Tensor a = Matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::Vector<double>({1, 10, 100}), one = Tensor::Vector<double>({2});
  const auto product = NaiveEinsum("...,...->...", {a, b});
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(product->dims, (Dims{2, 3}));
  EXPECT_EQ(product->values, (std::vector<double>{1, 20, 300, 4, 50, 600}));
  EXPECT_EQ(NaiveEinsum("...,...->...", {one, b})->values, (std::vector<double>{2, 20, 200}));
  EXPECT_EQ(NaiveEinsum("i...->i...", {b})->dims, (Dims{3}));
}

TEST(NaiveEinsum, SaysNothingOfWhatDoesNotFit) {
  const Tensor a = Matrix(1, 2, {1, 2}), b = Matrix(2, 2, {1, 2, 3, 4});
  const Tensor nothing = Matrix(0, 2, {});
  EXPECT_FALSE(NaiveEinsum("ij,ij->ij", {a, b}).has_value());
  EXPECT_FALSE(NaiveEinsum("i->i", {a}).has_value());
  EXPECT_FALSE(NaiveEinsum("ijk->i", {a}).has_value());
  EXPECT_FALSE(NaiveEinsum("ij->k", {a}).has_value());
  EXPECT_FALSE(NaiveEinsum("...j->j", {a}).has_value());
  EXPECT_FALSE(NaiveEinsum("ij", {a}).has_value());
  EXPECT_FALSE(NaiveEinsum("ij->ij", {a, b}).has_value());
  EXPECT_EQ(NaiveEinsum("ij->j", {nothing})->values, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace tagflow::fuzz
