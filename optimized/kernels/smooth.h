#ifndef TAGFLOW_OPTIMIZED_KERNELS_SMOOTH_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SMOOTH_H_

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
// Largest errors, in units of the last place, over all floats: exp 1.09, tanh 1.06, logistic 1.77;
// over many doubles 1.0, 1.4 and 2.0. From one float to the next none of them falls. NaN gives NaN,
// infinities and overflow give what they should, results below the normal numbers are kept. tanh is
// odd, and -0 at -0.

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tagflow::optimized {

// In vector code, a call is what must not remain.
#define TAGFLOW_INLINE inline __attribute__((always_inline))

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
  // Above this the logistic function is 1, and tanh.
  static constexpr float kLogisticHigh = 20;
  static constexpr float kTanhHigh = 10;
  // Below this tanh is a polynomial.
  static constexpr float kTanhNear = 0.75f;
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
  static constexpr double kTanhHigh = 20;
  static constexpr double kTanhNear = 0.55;
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

// (tanh(x) - x) / x^3 as a function of z = x^2, for |x| < kTanhNear.
TAGFLOW_INLINE float TanhRest(float z) {
  const float z2 = z * z;
  const float low = -0x1.555554p-2f + 0x1.111042p-3f * z;
  const float middle = -0x1.b9d7aep-5f + 0x1.622538p-6f * z;
  const float high = -0x1.03f99ap-7f + 0x1.f4908ap-10f * z;
  return low + z2 * (middle + z2 * high);
}
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
struct Tanh {
  template <std::floating_point T>
  TAGFLOW_INLINE static T First(T x) {
    return TailOfExp(2 * std::fabs(x));
  }
  template <std::floating_point T>
  TAGFLOW_INLINE static T Second(T x, T t) {
    using C = Constants<T>;
    const T size = std::fabs(x);
    const T z = x * x;
    const T near = size + size * z * TanhRest(z);
    const T power = PowerOfTwo<T>(ExponentOfExp(2 * size));
    const T inside = 1 - 2 / ((1 + power) + power * t);
    const T far = size > C::kTanhHigh ? T(1) : inside;
    return std::copysign(size < C::kTanhNear ? near : far, x);
  }
};

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

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SMOOTH_H_
