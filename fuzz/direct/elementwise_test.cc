// Tests: elementwise.h functions.h reals.h integers.cc value.cc evaluator_plain.cc

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "fuzz/direct/integers.h"
#include "fuzz/direct/test_results.h"

namespace tagflow::fuzz {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kGreatest = std::numeric_limits<int32_t>::max();

template <typename T>
T Unary(Op op, T x) {
  return ResultOf(op, {Tensor::Scalar(x)}).template scalar<T>();
}
template <typename T>
T Binary(Op op, T x, T y) {
  return ResultOf(op, {Tensor::Scalar(x), Tensor::Scalar(y)}).template scalar<T>();
}
template <typename T>
bool Compare(Op op, T x, T y) {
  const Type type = TensorType(DType::kBool);
  return ResultOf(op, {Tensor::Scalar(x), Tensor::Scalar(y)}, type).template scalar<bool>();
}
template <typename To, typename From>
To Cast(From x) {
  const Type type = TensorType(DTypeOf<To>::value);
  return ResultOf(Op::kCast, {Tensor::Scalar(x)}, type).template scalar<To>();
}

TEST(Elementwise, RealsOfOneOperand) {
  EXPECT_EQ(Unary(Op::kNeg, 2.5), -2.5);
  EXPECT_TRUE(std::signbit(Unary(Op::kNeg, 0.0f)));
  EXPECT_EQ(Unary(Op::kAbs, -2.5f), 2.5f);
  EXPECT_EQ(Unary(Op::kSign, -3.0), -1);
  EXPECT_EQ(Unary(Op::kSign, 1e-300), 1);
  EXPECT_FALSE(std::signbit(Unary(Op::kSign, -0.0)));
  EXPECT_TRUE(std::isnan(Unary(Op::kSign, kNaN)));
  EXPECT_EQ(Unary(Op::kSquare, -1.5), 2.25);
  EXPECT_EQ(Unary(Op::kSqrt, 2.0f), 1.41421356f);
  EXPECT_TRUE(std::isnan(Unary(Op::kSqrt, -1.0)));
  EXPECT_EQ(Unary(Op::kExp, 0.0), 1);
  EXPECT_EQ(Unary(Op::kExp, 1.0f), 2.71828183f);
  EXPECT_EQ(Unary(Op::kExp, 100.0f), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Unary(Op::kLog, 0.0), -kInfinity);
  EXPECT_DOUBLE_EQ(Unary(Op::kLog, 10.0), 2.302585092994046);
  EXPECT_DOUBLE_EQ(Unary(Op::kSin, 1.0), 0.8414709848078965);
  EXPECT_DOUBLE_EQ(Unary(Op::kCos, 1.0), 0.5403023058681398);
  EXPECT_DOUBLE_EQ(Unary(Op::kTanh, 0.5), 0.46211715726000973);
  EXPECT_EQ(Unary(Op::kTanh, -kInfinity), -1);
  EXPECT_DOUBLE_EQ(Unary(Op::kSigmoid, 1.0), 0.7310585786300049);
  EXPECT_EQ(Unary(Op::kSigmoid, -1000.0), 0);
  EXPECT_EQ(Unary(Op::kSigmoid, 1000.0), 1);
  EXPECT_EQ(Unary(Op::kZerosLike, 7.0), 0);
  EXPECT_EQ(Unary(Op::kOnesLike, 7.0f), 1);
  EXPECT_EQ(Unary(Op::kIdentity, 7.0), 7);
  EXPECT_EQ(Unary(Op::kStopGradient, 7.0), 7);
}

TEST(Elementwise, IntegersOfOneOperandWrap) {
  EXPECT_EQ(Unary(Op::kNeg, 5), -5);
  EXPECT_EQ(Unary(Op::kNeg, kLeast), kLeast);
  EXPECT_EQ(Unary(Op::kAbs, kLeast), kLeast);
  EXPECT_EQ(Unary(Op::kAbs, -7), 7);
  EXPECT_EQ(Unary(Op::kSign, int64_t{-7}), -1);
  EXPECT_EQ(Unary(Op::kSign, 0), 0);
  EXPECT_EQ(Unary(Op::kSquare, 65536), 0);
  EXPECT_EQ(Unary(Op::kSquare, int64_t{65536}), int64_t{1} << 32);
  EXPECT_EQ(Unary(Op::kNeg, int8_t{-128}), -128);
  EXPECT_EQ(Unary(Op::kSquare, uint8_t{17}), 33);
  EXPECT_EQ(Unary(Op::kOnesLike, 9), 1);
  EXPECT_EQ(Unary(Op::kZerosLike, true), false);
  EXPECT_EQ(Unary(Op::kLogicalNot, true), false);
  EXPECT_EQ(Unary(Op::kLogicalNot, false), true);
}

TEST(Elementwise, RealArithmeticRoundsOnce) {
  EXPECT_EQ(Binary(Op::kAdd, 0.1, 0.2), 0.30000000000000004);
  EXPECT_EQ(Binary(Op::kAdd, 16777216.0f, 1.0f), 16777216.0f);
  EXPECT_EQ(Binary(Op::kSub, 1.0f, 0.9f), 1.0f - 0.9f);
  EXPECT_EQ(Binary(Op::kMul, 0.1f, 0.1f), 0.010000001f);
  EXPECT_EQ(Binary(Op::kDiv, 1.0f, 3.0f), 0.333333343f);
  EXPECT_EQ(Binary(Op::kDiv, 1.0, 0.0), kInfinity);
  EXPECT_TRUE(std::isnan(Binary(Op::kDiv, 0.0, 0.0)));
  EXPECT_EQ(Binary(Op::kMul, 1e-30f, 1e-15f), 1.40129846e-45f);  // subnormals stay
}

TEST(Elementwise, FloatsAreRoundedLikeTheMachinesOwn) {
  uint32_t state = 1;
  const auto next = [&state]() -> float {
    state = state * 1664525 + 1013904223;
    return std::bit_cast<float>((state >> 3) ^ (state << 29));
  };
  for (int i = 0; i < 300; ++i) {
    const float x = next();
    const float y = next();
    if (std::isnan(x) || std::isnan(y)) continue;
    EXPECT_EQ(Binary(Op::kAdd, x, y), x + y) << x << " " << y;
    EXPECT_EQ(Binary(Op::kMul, x, y), x * y) << x << " " << y;
    const float quotient = x / y;
    if (!std::isnan(quotient)) {
      EXPECT_EQ(Binary(Op::kDiv, x, y), quotient) << x << " " << y;
    }
    if (x >= 0) {
      EXPECT_EQ(Unary(Op::kSqrt, x), std::sqrt(x)) << x;
    }
  }
}

TEST(Elementwise, HalvesAreRoundedToElevenBits) {
  const auto sum =
      ResultOf(Op::kAdd, {Tensor::Scalar(HalfFromFloat(2048)), Tensor::Scalar(HalfFromFloat(1))});
  EXPECT_EQ(ToFloat(sum.scalar<Half>()), 2048);
  const auto third = ResultOf(
      Op::kDiv, {Tensor::Scalar(BFloat16FromFloat(1)), Tensor::Scalar(BFloat16FromFloat(3))});
  EXPECT_EQ(ToFloat(third.scalar<BFloat16>()), 0.333984375f);
}

TEST(Elementwise, MaximumAndMinimumAreNaNWhenEitherIs) {
  EXPECT_EQ(Binary(Op::kMaximum, 1.0, 2.0), 2);
  EXPECT_EQ(Binary(Op::kMinimum, 1.0f, 2.0f), 1);
  EXPECT_TRUE(std::isnan(Binary(Op::kMaximum, kNaN, 1.0)));
  EXPECT_TRUE(std::isnan(Binary(Op::kMaximum, 1.0, kNaN)));
  EXPECT_TRUE(std::isnan(Binary(Op::kMinimum, kNaN, -kInfinity)));
  EXPECT_TRUE(std::isnan(Binary(Op::kMinimum, -kInfinity, kNaN)));
  EXPECT_EQ(Binary(Op::kMaximum, -3, 2), 2);
  EXPECT_EQ(Binary(Op::kMinimum, int64_t{-3}, int64_t{2}), -3);
}

TEST(Elementwise, IntegerArithmeticWraps) {
  EXPECT_EQ(Binary(Op::kAdd, kGreatest, 1), kLeast);
  EXPECT_EQ(Binary(Op::kSub, kLeast, 1), kGreatest);
  EXPECT_EQ(Binary(Op::kMul, 1 << 20, 1 << 20), 0);
  EXPECT_EQ(Binary(Op::kAdd, std::numeric_limits<int64_t>::max(), int64_t{1}),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Binary(Op::kAdd, uint8_t{200}, uint8_t{100}), 44);
  EXPECT_EQ(Binary(Op::kSub, uint32_t{1}, uint32_t{2}), 0xffffffff);
}

TEST(Elementwise, FloorDivRoundsDownAndFloorModHasTheDivisorsSign) {
  for (const auto& [x, y, quotient, rest] :
       std::vector<std::array<int32_t, 4>>{{7, 2, 3, 1},
                                           {-7, 2, -4, 1},
                                           {7, -2, -4, -1},
                                           {-7, -2, 3, -1},
                                           {-6, 2, -3, 0},
                                           {kLeast, -1, kLeast, 0}}) {
    EXPECT_EQ(Binary(Op::kFloorDiv, x, y), quotient) << x << " " << y;
    EXPECT_EQ(Binary(Op::kFloorMod, x, y), rest) << x << " " << y;
    EXPECT_EQ(FloorQuotient(x, y), x == kLeast ? -int64_t{kLeast} : quotient);
  }
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Binary(Op::kFloorDiv, least, int64_t{-1}), least);
  EXPECT_EQ(Binary(Op::kFloorMod, least, int64_t{-1}), 0);
}

TEST(Elementwise, AnIntegerDividedByZeroFailsTheProgram) {
  ProgramWriter w;
  const ValueId zero = w.Const(0);
  const Result<std::vector<RunResult>> runs =
      Evaluate(w.Finish({w.Do(Op::kFloorDiv, {zero, zero})}));
  EXPECT_EQ(runs.status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(runs.status().message(), "v1 = FloorDiv(v0, v0): Integer division by zero");
}

TEST(Elementwise, ComparisonsOfNaNAreFalseButForNotEqual) {
  EXPECT_TRUE(Compare(Op::kLess, 1.0, 2.0));
  EXPECT_FALSE(Compare(Op::kLess, 2.0, 2.0));
  EXPECT_TRUE(Compare(Op::kLessEqual, 2.0f, 2.0f));
  EXPECT_TRUE(Compare(Op::kGreater, 3, 2));
  EXPECT_FALSE(Compare(Op::kGreater, 2, 2));
  EXPECT_TRUE(Compare(Op::kGreaterEqual, int64_t{2}, int64_t{2}));
  EXPECT_FALSE(Compare(Op::kGreaterEqual, int64_t{1}, int64_t{2}));
  EXPECT_TRUE(Compare(Op::kEqual, 0.0, -0.0));
  EXPECT_TRUE(Compare(Op::kEqual, true, true));
  EXPECT_TRUE(Compare(Op::kNotEqual, true, false));
  EXPECT_FALSE(Compare(Op::kNotEqual, 4, 4));
  for (Op op : {Op::kLess, Op::kLessEqual, Op::kGreater, Op::kGreaterEqual, Op::kEqual}) {
    EXPECT_FALSE(Compare(op, kNaN, kNaN)) << OpName(op);
  }
  EXPECT_TRUE(Compare(Op::kNotEqual, kNaN, kNaN));
}

TEST(Elementwise, LogicIsOfBools) {
  for (bool x : {false, true}) {
    for (bool y : {false, true}) {
      EXPECT_EQ(Binary(Op::kLogicalAnd, x, y), x && y);
      EXPECT_EQ(Binary(Op::kLogicalOr, x, y), x || y);
    }
  }
}

TEST(Elementwise, CastsCutOffAndWrapLikeX86) {
  EXPECT_EQ((Cast<int32_t>(2.9)), 2);
  EXPECT_EQ((Cast<int32_t>(-2.9f)), -2);
  EXPECT_EQ((Cast<int32_t>(kNaN)), kLeast);
  EXPECT_EQ((Cast<int32_t>(3e9)), kLeast);
  EXPECT_EQ((Cast<int32_t>(-2147483648.9)), kLeast);
  EXPECT_EQ((Cast<int32_t>(2147483647.9)), kGreatest);
  EXPECT_EQ((Cast<int64_t>(3e9)), 3000000000);
  EXPECT_EQ((Cast<int64_t>(1e19)), std::numeric_limits<int64_t>::min());
  EXPECT_EQ((Cast<int8_t>(300.5)), 44);
  EXPECT_EQ((Cast<uint8_t>(-1.0)), 255);
  EXPECT_EQ((Cast<uint8_t>(1e10)), 0);
  EXPECT_EQ((Cast<uint32_t>(3e9)), 3000000000);
  EXPECT_EQ((Cast<bool>(kNaN)), true);
  EXPECT_EQ((Cast<bool>(-0.0)), false);
  EXPECT_EQ((Cast<bool>(256)), true);
  EXPECT_EQ((Cast<float>(16777217)), 16777216);
  EXPECT_EQ((Cast<float>(0.1)), 0.1f);
  EXPECT_EQ((Cast<double>(0.1f)), 0.10000000149011612);
  EXPECT_EQ((Cast<double>(true)), 1);
  EXPECT_EQ((Cast<int8_t>(int64_t{0x1ff})), -1);
  // Rounded once: by way of double it would be 2^62.
  EXPECT_EQ((Cast<float>((int64_t{1} << 62) + (int64_t{1} << 38) + 1)), 0x1p62f + 0x1p39f);
}

TEST(Elementwise, ShapesBroadcast) {
  const Tensor column = Matrix<int32_t>(2, 1, {10, 20});
  const Tensor row = Tensor::Vector<int32_t>({1, 2, 3});
  EXPECT_EQ(Text(ResultOf(Op::kAdd, {column, row})),
            Text(Matrix<int32_t>(2, 3, {11, 12, 13, 21, 22, 23})));
  EXPECT_EQ(Text(ResultOf(Op::kSub, {row, Tensor::Scalar(1)})),
            Text(Tensor::Vector<int32_t>({0, 1, 2})));
  EXPECT_EQ(Text(ResultOf(Op::kSub, {Tensor::Scalar(1), row})),
            Text(Tensor::Vector<int32_t>({0, -1, -2})));
  EXPECT_EQ(Text(ResultOf(Op::kMul, {row, row})), Text(Tensor::Vector<int32_t>({1, 4, 9})));
  EXPECT_EQ(Text(ResultOf(Op::kNeg, {Tensor::Vector<float>({1, -2})})),
            Text(Tensor::Vector<float>({-1, 2})));
}

TEST(Elementwise, SelectTakesElementsOrOneSide) {
  const Tensor x = Tensor::Vector<float>({1, 2});
  const Tensor y = Tensor::Vector<float>({3, 4});
  const Tensor each = *Tensor::Allocate(DType::kBool, Dims{2});
  Tensor second = each;
  second = *second.Clone();
  second.mutable_data<bool>()[1] = true;
  EXPECT_EQ(Text(ResultOf(Op::kSelect, {second, x, y})), Text(Tensor::Vector<float>({3, 2})));
  EXPECT_EQ(Text(ResultOf(Op::kSelect, {Tensor::Scalar(true), x, y})), Text(x));
  EXPECT_EQ(Text(ResultOf(Op::kSelect, {Tensor::Scalar(false), x, Tensor::Scalar(9.0f)})),
            Text(Tensor::Vector<float>({9, 9})));
  EXPECT_EQ(Text(ResultOf(Op::kSelect, {second, Tensor::Scalar(7), Tensor::Scalar(8)})),
            Text(Tensor::Vector<int32_t>({8, 7})));
}

TEST(Elementwise, DTypesThatAreNotEvaluatedAreRefused) {
  ProgramWriter w;
  const ValueId x = w.Const(uint64_t{1});
  EXPECT_EQ(Evaluate(w.Finish({x})).status().code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tagflow::fuzz
