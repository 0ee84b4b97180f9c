#ifndef TAGFLOW_OPTIMIZED_FORMULAS_FUNCTIONS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_FUNCTIONS_H_

// Functions of one number. What is not a single operation of IEEE 754 is computed in double and
// rounded once; but for a few that are computed as vectors (smooth.h), of floats in float.
//
// Tested by conformance/ops/math.ops.

#include <cmath>
#include <complex>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/complex_functions.h"
#include "optimized/formulas/numbers.h"
#include "optimized/formulas/smooth.h"

namespace tagflow::optimized::formulas {

// ---- Functions of double ----

#define TAGFLOW_FUNCTION(Name, function)                                                  \
  struct Name {                                                                           \
    TAGFLOW_ANYWHERE double operator()(double x) const { return function(x); }            \
    std::complex<double> operator()(std::complex<double> x) const { return function(x); } \
  }
TAGFLOW_FUNCTION(Acos, std::acos);
TAGFLOW_FUNCTION(Acosh, std::acosh);
TAGFLOW_FUNCTION(Asin, std::asin);
TAGFLOW_FUNCTION(Asinh, std::asinh);
TAGFLOW_FUNCTION(Atan, std::atan);
TAGFLOW_FUNCTION(Atanh, std::atanh);
TAGFLOW_FUNCTION(Cos, std::cos);
TAGFLOW_FUNCTION(Cosh, std::cosh);
TAGFLOW_FUNCTION(Expm1, ExpMinusOne);
TAGFLOW_FUNCTION(Log, std::log);
TAGFLOW_FUNCTION(Log1p, LogOnePlus);
TAGFLOW_FUNCTION(Rsqrt, 1.0 / std::sqrt);
TAGFLOW_FUNCTION(Sin, std::sin);
TAGFLOW_FUNCTION(Sinh, std::sinh);
TAGFLOW_FUNCTION(Tan, std::tan);
#undef TAGFLOW_FUNCTION

// ---- Functions with loops of their own ----

template <typename S>
struct Smooth : Hot {
  using Steps = S;
  TAGFLOW_INLINE float operator()(float x) const { return S::Second(x, S::First(x)); }
  TAGFLOW_INLINE double operator()(double x) const { return S::Second(x, S::First(x)); }
};
struct Exp : Smooth<smooth::Exp> {
  using Smooth::operator();
  std::complex<double> operator()(std::complex<double> x) const { return std::exp(x); }
};
struct Sigmoid : Smooth<smooth::Logistic> {
  using Smooth::operator();
  std::complex<double> operator()(std::complex<double> x) const {
    return 1.0 / (1.0 + std::exp(-x));
  }
};
struct Tanh : Smooth<smooth::Tanh> {
  using Smooth::operator();
  std::complex<double> operator()(std::complex<double> x) const { return std::tanh(x); }
};

// ---- Functions in the dtype ----

// The root of a float as a double, rounded, is that of the float.
struct Sqrt : Hot {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return ByDouble(x, [](double value) { return std::sqrt(value); });
  }
  TAGFLOW_ANYWHERE float operator()(float x) const { return std::sqrt(x); }
  template <Complex C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return ByDouble(x, [](std::complex<double> value) { return std::sqrt(value); });
  }
};
struct Floor {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return ByDouble(x, [](double value) { return std::floor(value); });
  }
};
struct Ceil {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return ByDouble(x, [](double value) { return std::ceil(value); });
  }
};
// To the nearest integer, halves to the even one. Integers are there already.
struct Round {
  template <Integer C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x;
  }
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return ByDouble(x, [](double value) { return std::nearbyint(value); });
  }
};

struct Neg : Hot {
  template <Number C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return Negated(x);
  }
};
// The least integer has no absolute value: it wraps to itself.
struct Abs : Hot {
  template <Integer C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x < 0 ? Negated(x) : x;
  }
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return ByDouble(x, [](double value) { return std::fabs(value); });
  }
};
// -1, 0 (also of -0) or 1; NaN of NaN; of a complex number the point of the unit circle.
struct Sign {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    if (x != x) return x;
    return x > C(0) ? C(1) : x < C(0) ? C(-1) : C(0);
  }
  template <Complex C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    if (x == C(0)) return C(0);
    return ByDouble(x, [](std::complex<double> z) { return z / std::abs(z); });
  }
};
struct Square : Hot {
  template <Number C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return Times(x, x);
  }
};
struct Reciprocal : Hot {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return C(1) / x;
  }
};

struct IsNan {
  template <Floating C>
  TAGFLOW_ANYWHERE bool operator()(C x) const {
    return x != x;
  }
};
struct IsInf {
  template <Floating C>
  TAGFLOW_ANYWHERE bool operator()(C x) const {
    return std::isinf(static_cast<double>(x));
  }
};
struct IsFinite {
  template <Floating C>
  TAGFLOW_ANYWHERE bool operator()(C x) const {
    return std::isfinite(static_cast<double>(x));
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_FUNCTIONS_H_
