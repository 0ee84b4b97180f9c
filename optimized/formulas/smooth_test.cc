#include "optimized/formulas/smooth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "optimized/kernels/op_runner.h"

// Of how many floats in a row one is tried; 1 in the soak test.
#ifndef TAGFLOW_SMOOTH_STRIDE
#define TAGFLOW_SMOOTH_STRIDE 10007
#endif

namespace tagflow::optimized {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename Real>
Real Logistic(Real x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

// A function, what it should be, and the largest error in units of the last place.
template <typename T, typename Exact>
struct Function {
  const char* name;
  T (*smooth)(T);
  Exact (*exact)(Exact);
  double ulps_max;
};
constexpr Function<float, double> kOfFloat[] = {
    {"Exp", SmoothExp<float>, std::exp, 1.09},
    {"Tanh", SmoothTanh<float>, std::tanh, 1.14},
    {"Sigmoid", SmoothLogistic<float>, Logistic<double>, 1.77},
};
constexpr Function<double, long double> kOfDouble[] = {
    {"Exp", SmoothExp<double>, std::exp, 1.0},
    {"Tanh", SmoothTanh<double>, std::tanh, 1.4},
    {"Sigmoid", SmoothLogistic<double>, Logistic<long double>, 2.0},
};

// The distance in units of the last place that `exact` has as a T; of what is out of range, 0 or
// infinite.
template <typename T, typename Exact>
Exact UlpsBetween(T value, Exact exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded)) return std::isnan(value) ? 0 : kInf;
  if (std::isinf(rounded) || std::isinf(value)) return value == rounded ? 0 : kInf;
  int exponent;
  std::frexp(std::max(std::fabs(rounded), std::numeric_limits<T>::min()), &exponent);
  const Exact ulp = std::ldexp(Exact(1), exponent - std::numeric_limits<T>::digits);
  return std::fabs(static_cast<Exact>(value) - exact) / ulp;
}

// The largest error over the arguments, and where it is.
template <typename T, typename Exact>
class Worst {
 public:
  explicit Worst(const Function<T, Exact>& function) : function_(function) {}

  void Try(T x) {
    const Exact ulps = UlpsBetween(function_.smooth(x), function_.exact(static_cast<Exact>(x)));
    if (!(ulps > ulps_)) return;
    ulps_ = ulps;
    at_ = x;
  }
  void Expect() const {
    EXPECT_LE(ulps_, function_.ulps_max) << function_.name << " at " << std::hexfloat << at_;
  }

 private:
  const Function<T, Exact>& function_;
  Exact ulps_ = 0;
  T at_ = 0;
};

TEST(SmoothTest, FloatsAreNear) {
  for (const auto& function : kOfFloat) {
    Worst worst(function);
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += TAGFLOW_SMOOTH_STRIDE) {
      worst.Try(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    worst.Expect();
  }
}

// Doubles of every exponent and sign, and many where the functions bend.
TEST(SmoothTest, DoublesAreNear) {
  for (const auto& function : kOfDouble) {
    Worst worst(function);
    uint64_t draw = 1;
    const auto next = [&draw] { return draw = draw * 6364136223846793005u + 1442695040888963407u; };
    for (int i = 0; i < 100'000; ++i) {
      worst.Try(std::bit_cast<double>(next()));
      const double unit = std::ldexp(static_cast<double>(next() >> 11), -52) - 1;
      for (const double scale : {0.3, 1.0, 3.0, 40.0, 750.0}) worst.Try(scale * unit);
    }
    worst.Expect();
  }
}

template <typename T>
class SmoothLimitsTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SmoothLimitsTest, Reals);

TYPED_TEST(SmoothLimitsTest, SpecialValues) {
  using T = TypeParam;
  const T inf = kInf, nan = kNan;
  EXPECT_EQ(SmoothExp(T(0)), 1);
  EXPECT_EQ(SmoothExp(T(-0.0)), 1);
  EXPECT_EQ(SmoothExp(inf), inf);
  EXPECT_EQ(SmoothExp(-inf), 0);
  EXPECT_EQ(SmoothExp(std::numeric_limits<T>::max()), inf);
  EXPECT_EQ(SmoothExp(std::numeric_limits<T>::lowest()), 0);
  EXPECT_EQ(SmoothTanh(inf), 1);
  EXPECT_EQ(SmoothTanh(-inf), -1);
  EXPECT_EQ(SmoothTanh(std::numeric_limits<T>::lowest()), -1);
  EXPECT_EQ(SmoothLogistic(T(0)), T(0.5));
  EXPECT_EQ(SmoothLogistic(inf), 1);
  EXPECT_EQ(SmoothLogistic(-inf), 0);
  for (const T not_a_number : {nan, -nan}) {
    EXPECT_TRUE(std::isnan(SmoothExp(not_a_number)));
    EXPECT_TRUE(std::isnan(SmoothTanh(not_a_number)));
    EXPECT_TRUE(std::isnan(SmoothLogistic(not_a_number)));
  }
}

TYPED_TEST(SmoothLimitsTest, TanhIsOddAndKeepsWhatIsSmall) {
  using T = TypeParam;
  const T least = std::numeric_limits<T>::denorm_min();
  for (const T x : {T(0), least, 3 * least, std::numeric_limits<T>::min(), T(1e-10), T(0.1), T(0.7),
                    T(0.8), T(3), T(30), T(kInf)}) {
    EXPECT_EQ(SmoothTanh(-x), -SmoothTanh(x)) << x;
    EXPECT_TRUE(std::signbit(SmoothTanh(-x))) << x;
  }
  for (const T x : {T(0), least, 3 * least, std::numeric_limits<T>::min(), T(1e-10)}) {
    EXPECT_EQ(SmoothTanh(x), x);
  }
}

// Also from one piece of the function to the next.
TEST(SmoothTest, BoundedAndRisingTowardsTheLimits) {
  float tanh_before = 0, logistic_before = 0;
  for (float x = 1; x < 20; x = std::nextafter(x, kInf) + 1e-6f) {
    const float tanh = SmoothTanh(x), logistic = SmoothLogistic(x);
    ASSERT_LE(tanh, 1);
    ASSERT_LE(logistic, 1);
    if (x > 4) {
      ASSERT_GE(tanh, tanh_before) << x;
      ASSERT_GE(logistic, logistic_before) << x;
    }
    tanh_before = tanh;
    logistic_before = logistic;
  }
}

// Where tanh goes from one piece to the next, and inside pieces.
TEST(SmoothTest, TanhNeverFallsFromOneFloatToTheNext) {
  for (const float start : {0.4999f, 0.6f, 0.6995f, 0.866f, 0.9995f, 1.213f, 1.9995f, 2.1f, 4.0f}) {
    float x = start, before = SmoothTanh(start);
    for (int i = 0; i < 50'000; ++i) {
      x = std::nextafter(x, kInf);
      const float tanh = SmoothTanh(x);
      ASSERT_GE(tanh, before) << std::hexfloat << x;
      before = tanh;
    }
  }
}

// Every place in a vector, and what is left over behind the vectors, gives what a scalar gives.
template <typename T>
void ExpectSameBitsInVectors(const char* op, T (*smooth)(T)) {
  std::vector<T> values;
  for (int i = 0; i < 1003; ++i) {
    values.push_back(std::ldexp(T(1) + T(i) / 1003, i % 40 - 25) * (i % 3 == 0 ? -1 : 1));
  }
  values.insert(values.end(), {T(kNan), T(kInf), T(-kInf), T(0), T(-0.0)});
  const Tensor vector = *OpRunner().Run(op, {Tensor::Vector(values)})->data();
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor scalar = *OpRunner().Run(op, {Tensor::Scalar(values[i])})->data();
    const T element = vector.data<T>()[i];
    ASSERT_TRUE(BitwiseEqual(Tensor::Scalar(element), scalar)) << op << " of " << values[i];
    ASSERT_TRUE(BitwiseEqual(Tensor::Scalar(smooth(values[i])), scalar)) << op << values[i];
  }
}
TEST(SmoothTest, VectorsHaveTheBitsOfScalars) {
  for (const auto& function : kOfFloat) ExpectSameBitsInVectors(function.name, function.smooth);
  for (const auto& function : kOfDouble) ExpectSameBitsInVectors(function.name, function.smooth);
}

}  // namespace
}  // namespace tagflow::optimized
