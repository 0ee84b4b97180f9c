#include "fuzz/program/scalar.h"

#include <gtest/gtest.h>

namespace tagflow::fuzz {
namespace {

TEST(Scalar, HoldsTheNumberInItsDtype) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble}) {
    const Tensor scalar = ScalarOf(dtype, -3);
    EXPECT_EQ(scalar.dtype(), dtype);
    EXPECT_EQ(scalar.rank(), 0);
    EXPECT_EQ(NumberOf(scalar), -3);
  }
}

TEST(Scalar, IsTrueWhereItIsNotZero) {
  EXPECT_TRUE(ScalarOf(DType::kBool, 2).scalar<bool>());
  EXPECT_EQ(NumberOf(ScalarOf(DType::kBool, 2)), 1);
  EXPECT_EQ(NumberOf(ScalarOf(DType::kBool, 0)), 0);
}

TEST(Scalar, RoundsToItsDtype) {
  EXPECT_EQ(NumberOf(ScalarOf(DType::kFloat, 0.1)), static_cast<double>(0.1f));
  EXPECT_EQ(NumberOf(ScalarOf(DType::kDouble, 0.1)), 0.1);
}

}  // namespace
}  // namespace tagflow::fuzz
