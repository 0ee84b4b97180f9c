#ifndef TAGFLOW_FUZZ_DIRECT_TRACKED_H_
#define TAGFLOW_FUZZ_DIRECT_TRACKED_H_

// A number with a bound of how far off another engine's may be.
//
// + - * / and the square root are rounded alike by all, so that of exact operands they are exact;
// an operand's error goes on to the result (first order, with the second where that is cheap) and
// brings a unit of rounding with it. Transcendental functions add a few units in the last place,
// sums one unit of their terms' magnitudes for each term.
//
// An infinite error means that nothing is known.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/direct/reals.h"

namespace tagflow::fuzz {

struct Tracked {
  double value = 0;
  double error = 0;

  Tracked() = default;
  explicit Tracked(double v) : value(v) {}
  // What is not finite and may be off may be anything.
  Tracked(double v, double e)
      : value(v),
        error(e > 0 && std::isfinite(v) ? e
                                        : (e == 0 ? 0 : std::numeric_limits<double>::infinity())) {}
};

constexpr double kUnknown = std::numeric_limits<double>::infinity();
// In units in the last place of a result.
constexpr double kTranscendentalUnits = 4;

// Half of these is the rounding; the other half is to spare.
inline double Unit(DType dtype) {
  if (dtype == DType::kDouble) return std::numeric_limits<double>::epsilon();
  if (dtype == DType::kFloat) return std::numeric_limits<float>::epsilon();
  return dtype == DType::kHalf ? 0x1p-10 : 0x1p-7;
}
// Below the least normal number units do not shrink.
inline double LeastUnit(DType dtype) {
  if (dtype == DType::kDouble) return std::numeric_limits<double>::denorm_min();
  if (dtype == DType::kHalf) return 0x1p-24;
  return std::numeric_limits<float>::denorm_min();
}
// An error times a derivative's magnitude; nothing stays nothing.
inline double Scaled(double error, double factor) { return error == 0 ? 0 : error * factor; }

inline Tracked operator-(Tracked x) { return {-x.value, x.error}; }
inline Tracked operator+(Tracked x, Tracked y) { return {x.value + y.value, x.error + y.error}; }
inline Tracked operator-(Tracked x, Tracked y) { return {x.value - y.value, x.error + y.error}; }
inline Tracked operator*(Tracked x, Tracked y) {
  return {x.value * y.value, Scaled(x.error, std::fabs(y.value)) +
                                 Scaled(y.error, std::fabs(x.value)) + Scaled(x.error, y.error)};
}
inline Tracked operator/(Tracked x, Tracked y) {
  const double quotient = x.value / y.value;
  if (x.error == 0 && y.error == 0) return Tracked(quotient);
  const double least = std::fabs(y.value) - y.error;  // of what the divisor may be
  if (!(least > 0)) return {quotient, kUnknown};
  return {quotient, (x.error + Scaled(y.error, std::fabs(quotient))) / least};
}

inline Tracked Sqrt(Tracked x) {
  const double root = std::sqrt(x.value);
  if (x.error == 0) return Tracked(root);
  return {root, x.value > 0 ? std::min(x.error / root, std::sqrt(x.error)) : std::sqrt(x.error)};
}
inline Tracked Exp(Tracked x) {
  const double power = std::exp(x.value);
  return {power, Scaled(std::expm1(x.error), power)};
}
inline Tracked Log(Tracked x) {
  if (x.error == 0) return Tracked(std::log(x.value));
  const double least = x.value - x.error;
  return {std::log(x.value), least > 0 ? x.error / least : kUnknown};
}
inline Tracked Sin(Tracked x) { return {std::sin(x.value), std::min(x.error, 2.0)}; }
inline Tracked Cos(Tracked x) { return {std::cos(x.value), std::min(x.error, 2.0)}; }
inline Tracked Tanh(Tracked x) {
  const double tanh = std::tanh(x.value);
  return {tanh, std::min(Scaled(x.error, 1 - tanh * tanh + x.error), 2.0)};
}
inline Tracked Sigmoid(Tracked x) {
  const double sigmoid = Sigmoid(x.value);
  return {sigmoid, std::min(Scaled(x.error, sigmoid * (1 - sigmoid) + x.error), 1.0)};
}

inline double Decisive(Tracked x) { return x.value; }
inline double ErrorOf(Tracked x) { return x.error; }
// Whether a comparison of the two may come out otherwise.
inline bool Doubtful(Tracked x, Tracked y) {
  const double error = x.error + y.error;
  return error > 0 && !(std::fabs(x.value - y.value) > error);
}
inline Tracked Abs(Tracked x) { return {std::fabs(x.value), x.error}; }
inline Tracked Sign(Tracked x) { return {Sign(x.value), Doubtful(x, Tracked()) ? 2.0 : 0.0}; }
inline Tracked Maximum(Tracked x, Tracked y) {
  const double error =
      Doubtful(x, y) ? std::max(x.error, y.error) : (x.value > y.value ? x.error : y.error);
  return {Maximum(x.value, y.value), error};
}
inline Tracked Minimum(Tracked x, Tracked y) {
  const double error =
      Doubtful(x, y) ? std::max(x.error, y.error) : (x.value < y.value ? x.error : y.error);
  return {Minimum(x.value, y.value), error};
}

// x as the dtype holds it, `units` units of `scale` further off.
inline Tracked Loosened(Tracked x, double units, double scale, DType dtype) {
  const double value = Rounded(x.value, dtype);
  if (units == 0 || scale == 0 || !std::isfinite(value)) return {value, x.error};
  return {value, x.error + units * (Unit(dtype) * scale + LeastUnit(dtype))};
}
inline Tracked Rounded(Tracked x, DType dtype) {
  return Loosened(x, x.error > 0 ? 1 : 0, std::fabs(x.value), dtype);
}
inline Tracked RoundedFreely(Tracked x, double scale, DType dtype) {
  return Loosened(x, kTranscendentalUnits, std::max(scale, std::fabs(x.value)), dtype);
}
inline Tracked RoundedSum(Tracked x, int64_t terms, double magnitude, DType dtype) {
  return Loosened(x, terms > 1 ? static_cast<double>(terms) : (x.error > 0 ? 1 : 0), magnitude,
                  dtype);
}
inline Tracked Constant(Tracked x) { return x; }
inline bool IsZero(Tracked x) { return x.value == 0 && x.error == 0; }

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_TRACKED_H_
