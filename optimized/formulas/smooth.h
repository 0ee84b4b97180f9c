#ifndef TAGFLOW_OPTIMIZED_FORMULAS_SMOOTH_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_SMOOTH_H_

// exp, tanh and the logistic function of float and double, without branches or calls, so that a
// loop over them becomes vector code. A scalar and an element of a tensor go through the same
// operations of IEEE 754 and get the same bits, on every processor and at every vector width.
//
// All three start from exp(x) = 2^n (1 + t), |t| < 0.42: n is the integer nearest to x / ln 2, and
// 1 + t = exp(r) of the rest r = x - n ln 2, a polynomial (minimax, by Chebyshev's points). ln 2 is
// split so that the product with its upper part is exact (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980). That n is read from the low bits of x / ln 2 + 1.5 * 2^m, with m
// the bits of a mantissa; multiplying by powers of two is exact.
//
// 1 + exp is computed as (1 + 2^n) + 2^n t, with one rounding instead of two.
//
// tanh of a float, which networks ask for most, does without the split: smooth::Tanh says how.
//
// Largest errors, in units of the last place, over all floats: exp 1.09, tanh 1.14, logistic 1.77;
// over many doubles 1.0, 1.4 and 2.0. From one float to the next none of them falls. NaN gives NaN,
// infinities and overflow give what they should, results below the normal numbers are kept. tanh is
// odd, and -0 at -0.

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// In vector code, a call is what must not remain.
#define TAGFLOW_INLINE TAGFLOW_ANYWHERE inline __attribute__((always_inline))

namespace smooth {

template <std::floating_point T>
using IntOf = std::conditional_t<std::same_as<T, float>, int32_t, int64_t>;

// Constants of a floating type.
template <std::floating_point T>
struct Constants;
template <>
struct Constants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr int32_t kBias = 127;
  static constexpr float kRounder = 0x1.8p23f;
  static constexpr float kLog2E = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e4p-1f;  // 15 bits
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  // Beyond these exp is 0 or infinite.
  static constexpr float kExpLow = -104, kExpHigh = 89;
  // Above this the logistic function is 1.
  static constexpr float kLogisticHigh = 20;
};
template <>
struct Constants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr int64_t kBias = 1023;
  static constexpr double kRounder = 0x1.8p52;
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefa3800p-1;  // 42 bits
  static constexpr double kLn2Low = 0x1.ef35793c76730p-45;
  static constexpr double kExpLow = -746, kExpHigh = 710;
  static constexpr double kLogisticHigh = 40;
};

// a - b, wrapping.
template <std::signed_integral I>
TAGFLOW_INLINE I Less(I a, I b) {
  using Bits = std::make_unsigned_t<I>;
  return static_cast<I>(static_cast<Bits>(a) - static_cast<Bits>(b));
}

// exp(r) - 1 - r for |r| < 0.347.
TAGFLOW_INLINE float ExpRest(float r) {
  const float r2 = r * r;
  const float low = 0x1p-1f + 0x1.5554dcp-3f * r;
  const float high = (0x1.555518p-5f + 0x1.120be2p-7f * r) + r2 * 0x1.6d117cp-10f;
  return r2 * (low + r2 * high);
}
TAGFLOW_INLINE double ExpRest(double r) {
  const double r2 = r * r, r4 = r2 * r2;
  const double low =
      (0x1p-1 + 0x1.5555555555557p-3 * r) + r2 * (0x1.5555555555556p-5 + 0x1.11111111100bep-7 * r);
  const double middle = (0x1.6c16c16c162c3p-10 + 0x1.a01a01abf85abp-13 * r) +
                        r2 * (0x1.a01a01a6e1e2ap-16 + 0x1.71de01fdbf9cap-19 * r);
  const double high =
      (0x1.27e4db46cddd1p-22 + 0x1.af4e554377204p-26 * r) + r2 * 0x1.1f7340dbc337ep-29;
  return r2 * (low + r4 * (middle + r4 * high));
}

// (tanh(x) - x) / x^3 as a function of z = x^2, for |x| < 0.55.
TAGFLOW_INLINE double TanhRest(double z) {
  const double z2 = z * z, z4 = z2 * z2;
  const double low = (-0x1.5555555555555p-2 + 0x1.1111111111032p-3 * z) +
                     z2 * (-0x1.ba1ba1b9fec84p-5 + 0x1.664f487713373p-6 * z);
  const double middle = (-0x1.226e32f00cf0cp-7 + 0x1.d6d339333f329p-9 * z) +
                        z2 * (-0x1.7d97cfd138c28p-10 + 0x1.34c5a8a996cd4p-11 * z);
  const double high =
      (-0x1.ec1091436eb2ap-13 + 0x1.64fd88e9900a5p-14 * z) + z2 * -0x1.59a834187ce22p-16;
  return low + z4 * (middle + z4 * high);
}

// 2^n. REQUIRES: 2^n is normal
template <std::floating_point T>
TAGFLOW_INLINE T PowerOfTwo(IntOf<T> n) {
  using Bits = std::make_unsigned_t<IntOf<T>>;
  const auto exponent = static_cast<Bits>(n) + static_cast<Bits>(Constants<T>::kBias);
  return std::bit_cast<T>(static_cast<Bits>(exponent << Constants<T>::kMantissaBits));
}

// exp(x) as 2^n (1 + t): what of x / ln 2 is rounded, and t and n. Of a NaN t is NaN; where
// |x| > 1000 all are of no use.
template <std::floating_point T>
TAGFLOW_INLINE T Rounded(T x) {
  return x * Constants<T>::kLog2E + Constants<T>::kRounder;
}
template <std::floating_point T>
TAGFLOW_INLINE T TailOfExp(T x) {
  using C = Constants<T>;
  const T multiple = Rounded(x) - C::kRounder;
  const T r = (x - multiple * C::kLn2High) - multiple * C::kLn2Low;
  return r + ExpRest(r);
}
template <std::floating_point T>
TAGFLOW_INLINE IntOf<T> ExponentOfExp(T x) {
  return Less(std::bit_cast<IntOf<T>>(Rounded(x)), std::bit_cast<IntOf<T>>(Constants<T>::kRounder));
}

// n / 2, rounded down; vectors of 64-bit integers have no signed shift. REQUIRES: |n| < 2^16, or
// the result is of no use
template <std::signed_integral I>
TAGFLOW_INLINE I Half(I n) {
  using Bits = std::make_unsigned_t<I>;
  constexpr Bits kShift = Bits{1} << 16;
  return static_cast<I>(((static_cast<Bits>(n) + kShift) >> 1) - kShift / 2);
}

// Each function in two steps, of which a loop over many elements runs the first and then the second
// (formula.h): one chain of operations is so long that a processor, which looks ahead a few
// iterations only, would mostly wait. The first step is t; n comes again, which is quicker than to
// keep it.

struct Exp {
  template <std::floating_point T>
  TAGFLOW_INLINE static T First(T x) {
    return TailOfExp(x);
  }
  template <std::floating_point T>
  TAGFLOW_INLINE static T Second(T x, T t) {
    using C = Constants<T>;
    // 2^n may be out of range; the second product rounds what is below the normal numbers.
    const IntOf<T> n = ExponentOfExp(x), half = Half(n);
    const T power = PowerOfTwo<T>(half);
    const T inside = (power + power * t) * PowerOfTwo<T>(Less(n, half));
    const T above = x > C::kExpHigh ? std::numeric_limits<T>::infinity() : inside;
    return x < C::kExpLow ? T(0) : above;
  }
};

// 1 - 2 / (exp(2x) + 1); near 0 that would cancel.
//
// Of a float:
//
// - Near 0 it is x - x^3 / p(x^2). That quotient is so smooth that p is of degree 2, where
//   (tanh(x) - x) / x^3 wants degree 5: tanh has poles at 1.57i, and x - tanh(x) is 0 first
//   at 4.49i.
// - Elsewhere it is 1 - 2k / (k + exp(2(x - a))), k = exp(-2a), with a where this begins. There
//   x - a is small and exact, so that its product with 2 / ln 2 has a small error and needs no
//   split of ln 2; further out nothing is left of such errors. And of such numbers a is one whose k
//   has 21 bits (but for 2^-34 of it), so that k + 2^n is exact as 1 + 2^n is, for small n.
//
// Both are a quotient taken from a number, so there is but one division.
struct Tanh {
  TAGFLOW_INLINE static float First(float x);
  TAGFLOW_INLINE static float Second(float x, float far_divisor);
  TAGFLOW_INLINE static double First(double x) { return TailOfExp(2 * std::fabs(x)); }
  TAGFLOW_INLINE static double Second(double x, double t);

 private:
  static constexpr float kNear = 0.7f, kHigh = 12;
  static constexpr float kA = 0x1.54402p-1f, kK = 0x1.0f115p-2f;
  static constexpr float kTwoLog2E = 0x1.715476p+1f;
};

// k + exp(2(|x| - a)): k + 2^n (1 + t).
TAGFLOW_INLINE float Tanh::First(float x) {
  using C = Constants<float>;
  const float size = std::fabs(x);
  // 2a / ln 2 is nearly 2, so that n is an integer near 2x / ln 2 - 2. The sum has it where a float
  // has its exponent, once shifted.
  const float rounded = size * kTwoLog2E + (C::kRounder + (C::kBias - 2));
  const float f = (size - kA) * kTwoLog2E - (rounded - (C::kRounder + C::kBias));
  const float power = std::bit_cast<float>(std::bit_cast<uint32_t>(rounded) << C::kMantissaBits);
  // t = 2^f - 1 = f q(f), |f| < 0.59.
  const float f2 = f * f;
  const float low = 0x1.62e43p-1f + 0x1.ebfbep-3f * f;
  const float middle = 0x1.c6af06p-5f + 0x1.3b2c0ap-7f * f;
  const float high = 0x1.5f6586p-10f + 0x1.43912ep-13f * f;
  const float q = low + (f2 * middle + (f2 * f2) * high);
  const float inside = (kK + power) + (power * f) * q;
  return size > kHigh ? 0x1p60f : inside;
}
TAGFLOW_INLINE float Tanh::Second(float x, float far_divisor) {
  const float size = std::fabs(x);
  const float z = size * size;
  const float near_divisor = (0x1.80001ep+1f + z * 0x1.332fbp+0f) + (z * z) * -0x1.68719ep-8f;
  const bool is_near = size < kNear;
  const float whole = is_near ? size : 1.0f;
  const float dividend = is_near ? size * z : 2 * kK;
  const float divisor = is_near ? near_divisor : far_divisor;
  const uint32_t sign = std::bit_cast<uint32_t>(x) & 0x80000000u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(whole - dividend / divisor) | sign);
}
TAGFLOW_INLINE double Tanh::Second(double x, double t) {
  const double size = std::fabs(x);
  const double z = x * x;
  const double near = size + size * z * TanhRest(z);
  const double power = PowerOfTwo<double>(ExponentOfExp(2 * size));
  const double inside = 1 - 2 / ((1 + power) + power * t);
  const double far = size > 20 ? 1 : inside;
  return std::copysign(size < 0.55 ? near : far, x);
}

// 1 / (exp(-x) + 1)
struct Logistic {
  template <std::floating_point T>
  TAGFLOW_INLINE static T First(T x) {
    return TailOfExp(-x);
  }
  template <std::floating_point T>
  TAGFLOW_INLINE static T Second(T x, T t) {
    using C = Constants<T>;
    const IntOf<T> n = ExponentOfExp(-x);
    // Where 2^n may be out of range everything is divided by a power of two.
    const IntOf<T> down = n > C::kBias / 2 ? C::kBias / 2 : 0;
    const T one = PowerOfTwo<T>(-down);
    const T power = PowerOfTwo<T>(Less(n, down));
    // 1 goes to the larger addend while the sum is exact, then to the smaller.
    const T late = n > C::kMantissaBits / 2 ? one : T(0);
    const T inside = 1 / ((power + (one - late)) + (power * t + late)) * one;
    const T above = x > C::kLogisticHigh ? T(1) : inside;
    return x < C::kExpLow - 1 ? T(0) : above;
  }
};

}  // namespace smooth

template <std::floating_point T>
TAGFLOW_INLINE T SmoothExp(T x) {
  return smooth::Exp::Second(x, smooth::Exp::First(x));
}
template <std::floating_point T>
TAGFLOW_INLINE T SmoothTanh(T x) {
  return smooth::Tanh::Second(x, smooth::Tanh::First(x));
}
template <std::floating_point T>
TAGFLOW_INLINE T SmoothLogistic(T x) {
  return smooth::Logistic::Second(x, smooth::Logistic::First(x));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_SMOOTH_H_
