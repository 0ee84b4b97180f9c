#ifndef TAGFLOW_FUZZ_DIRECT_REALS_H_
#define TAGFLOW_FUZZ_DIRECT_REALS_H_

// What the evaluator asks of a real number, for double itself. Dual (dual.h) and Tracked
// (tracked.h) have the same functions.
//
// A float (half, bfloat16) is held as a double and rounded to a float after each operation. For
// + - * / and the square root that is the float operation: 53 bits are at least twice 24 and two,
// so that rounding twice gives what rounding once gives.

#include <cmath>
#include <cstdint>

#include "graph/dtype.h"

namespace tagflow::fuzz {

inline double Sqrt(double x) { return std::sqrt(x); }
inline double Exp(double x) { return std::exp(x); }
inline double Log(double x) { return std::log(x); }
inline double Sin(double x) { return std::sin(x); }
inline double Cos(double x) { return std::cos(x); }
inline double Tanh(double x) { return std::tanh(x); }
// The exponent is never positive, hence cannot overflow.
inline double Sigmoid(double x) {
  const double small = std::exp(-std::fabs(x));
  return (x < 0 ? small : 1) / (1 + small);
}
inline double Abs(double x) { return std::fabs(x); }
// 0 of either zero, NaN of NaN.
inline double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }
// NaN when either is; of equal ones (the two zeros) the second.
inline double Maximum(double x, double y) { return std::isnan(x) || x > y ? x : y; }
inline double Minimum(double x, double y) { return std::isnan(x) || x < y ? x : y; }

// The number that decides comparisons, branches and conversions.
inline double Decisive(double x) { return x; }
// As the dtype, one of the floating ones, holds it.
inline double Rounded(double x, DType dtype) {
  if (dtype == DType::kDouble) return x;
  if (dtype == DType::kFloat) return static_cast<float>(x);
  if (dtype == DType::kHalf) return ToFloat(HalfFromDouble(x));
  return ToFloat(BFloat16FromFloat(static_cast<float>(x)));
}
// Likewise, of a function that engines compute by formulas of their own. `scale`: the result's
// errors are relative to this magnitude, or to the result's where that is larger.
inline double RoundedFreely(double x, double /*scale*/, DType dtype) { return Rounded(x, dtype); }
// Likewise, of a sum of `terms` terms whose magnitudes sum up to `magnitude`, which engines add in
// orders and precisions of their own.
inline double RoundedSum(double x, int64_t /*terms*/, double /*magnitude*/, DType dtype) {
  return Rounded(x, dtype);
}
// Without derivatives.
inline double Constant(double x) { return x; }
inline bool IsZero(double x) { return x == 0; }
// Whether x < y, x == y might come out otherwise elsewhere.
inline bool Doubtful(double /*x*/, double /*y*/) { return false; }
// How far off it may be.
inline double ErrorOf(double /*x*/) { return 0; }

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_REALS_H_
