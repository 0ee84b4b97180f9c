#include "fuzz/generate/fact.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tagflow::fuzz {
namespace {

Fact Between(double lo, double hi, bool exact = true) {
  Fact fact;
  fact.lo = lo;
  fact.hi = hi;
  fact.exact = exact;
  fact.slope = exact ? 0 : 1;
  return fact;
}

std::optional<Fact> Double(Op op, const std::vector<Fact>& operands, const Limits& limits = {}) {
  return Apply(op, operands, DType::kDouble, DType::kDouble, limits);
}

void ExpectBounds(const std::optional<Fact>& fact, double lo, double hi) {
  ASSERT_TRUE(fact.has_value());
  EXPECT_EQ(fact->lo, lo);
  EXPECT_EQ(fact->hi, hi);
}

TEST(FactTest, BoundsFollowTheOperands) {
  ExpectBounds(Double(Op::kAdd, {Between(-1, 2), Between(3, 4)}), 2, 6);
  ExpectBounds(Double(Op::kSub, {Between(-1, 2), Between(3, 4)}), -5, -1);
  ExpectBounds(Double(Op::kMul, {Between(-1, 2), Between(-3, 4)}), -6, 8);
  ExpectBounds(Double(Op::kDiv, {Between(-1, 2), Between(2, 4)}), -0.5, 1);
  ExpectBounds(Double(Op::kNeg, {Between(-1, 2)}), -2, 1);
  ExpectBounds(Double(Op::kAbs, {Between(-3, 2)}), 0, 3);
  ExpectBounds(Double(Op::kSquare, {Between(-3, 2)}), 0, 9);
  ExpectBounds(Double(Op::kMaximum, {Between(-3, 2), Between(0, 1)}), 0, 2);
}

TEST(FactTest, OperandsOutsideTheDomainAreRefused) {
  EXPECT_FALSE(Double(Op::kDiv, {Between(1, 1), Between(-1, 1)}));
  EXPECT_FALSE(Double(Op::kSqrt, {Between(-1, 1)}));
  EXPECT_FALSE(Double(Op::kLog, {Between(0, 1)}));
  EXPECT_FALSE(Double(Op::kExp, {Between(0, 50)}));
  EXPECT_FALSE(Double(Op::kMul, {Between(0, 1e5), Between(0, 1e5)}));
  EXPECT_FALSE(Apply(Op::kFloorDiv, std::vector<Fact>{Between(1, 1), Between(0, 3)}, DType::kInt32,
                     DType::kInt32, {}));
}

TEST(FactTest, OnlyExactValuesDecide) {
  EXPECT_FALSE(Double(Op::kTanh, {Between(0, 1)})->exact);
  EXPECT_TRUE(Double(Op::kSqrt, {Between(0, 1)})->exact);
  const std::vector<Fact> inexact = {Between(0, 1, false), Between(0, 1)};
  EXPECT_FALSE(Apply(Op::kLess, inexact, DType::kDouble, DType::kBool, {}));
  EXPECT_FALSE(Double(Op::kSign, {inexact[0]}));
  EXPECT_FALSE(Apply(Op::kCast, std::vector<Fact>{inexact[0]}, DType::kDouble, DType::kInt32, {}));
  EXPECT_FALSE(Double(Op::kAdd, inexact)->exact);
}

TEST(FactTest, FloatSumsAreInexactAndIntegerSumsAreNot) {
  Fact three = Between(-2, 2);
  three.least = three.most = 3;
  ExpectBounds(Double(Op::kSum, {three}), -6, 6);
  EXPECT_FALSE(Double(Op::kSum, {three})->exact);
  EXPECT_TRUE(Apply(Op::kSum, std::vector<Fact>{three}, DType::kInt32, DType::kInt32, {})->exact);
}

TEST(FactTest, MeansOfIntegersAreExactUnlessTheirSumsWrap) {
  Fact three = Between(-7, 2);
  three.least = three.most = 3;
  const auto mean = Apply(Op::kMean, std::vector<Fact>{three}, DType::kInt32, DType::kInt32, {});
  ExpectBounds(mean, -7, 2);
  EXPECT_TRUE(mean->exact);
  three.hi = 2e9;
  EXPECT_FALSE(Apply(Op::kMean, std::vector<Fact>{three}, DType::kInt32, DType::kInt32, {}));
}

TEST(FactTest, IntegersWrap) {
  const Fact large = Between(2e9, 2.1e9);
  const auto sum =
      Apply(Op::kAdd, std::vector<Fact>{large, large}, DType::kInt32, DType::kInt32, {});
  ExpectBounds(sum, -2147483648.0, 2147483647.0);
  const auto magnitude =
      Apply(Op::kAbs, std::vector<Fact>{Anything(DType::kInt32)}, DType::kInt32, DType::kInt32, {});
  EXPECT_LT(magnitude->lo, 0) << "the least integer is its own negative";
}

TEST(FactTest, ACastToAnIntegerDropsTheFraction) {
  const auto cast =
      Apply(Op::kCast, std::vector<Fact>{Between(0.75, 1.5)}, DType::kDouble, DType::kInt64, {});
  ExpectBounds(cast, 0, 1);
}

TEST(FactTest, ErrorsAreMagnifiedByTheSlope) {
  EXPECT_EQ(Double(Op::kMul, {Between(-3, 3, false), Between(-5, 5, false)})->slope, 8);
  EXPECT_EQ(Double(Op::kAdd, {Between(-3, 3, false), Between(-5, 5)})->slope, 1);
}

TEST(FactTest, SmoothLimitsRefuseKinks) {
  Limits smooth;
  smooth.smooth = true;
  EXPECT_FALSE(Double(Op::kAbs, {Between(-1, 1)}, smooth));
  EXPECT_FALSE(Double(Op::kMaximum, {Between(-1, 1), Between(0, 1)}, smooth));
  EXPECT_TRUE(Double(Op::kSin, {Between(-1, 1)}, smooth));
}

TEST(FactTest, SpecialNumbersGoThroughExactOperationsOnly) {
  Limits specials;
  specials.specials = true;
  const Fact any = Anything(DType::kDouble);
  EXPECT_TRUE(Double(Op::kAdd, {any, any}, specials));
  EXPECT_FALSE(Double(Op::kAdd, {any, any}));
  EXPECT_FALSE(Double(Op::kTanh, {any}, specials));
  EXPECT_FALSE(Double(Op::kSum, {any}, specials));
  EXPECT_TRUE(Double(Op::kMax, {any}, specials));
  EXPECT_FALSE(Double(Op::kMax, {any}));
}

}  // namespace
}  // namespace tagflow::fuzz
