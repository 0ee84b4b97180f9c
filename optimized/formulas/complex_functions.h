#ifndef TAGFLOW_OPTIMIZED_FORMULAS_COMPLEX_FUNCTIONS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_COMPLEX_FUNCTIONS_H_

// exp(x) - 1 and log(1 + x), exact near 0, of real and of complex numbers.

#include <cmath>
#include <complex>

#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

TAGFLOW_ANYWHERE inline double ExpMinusOne(double x) { return std::expm1(x); }
// With cos(y) = 1 - 2 sin(y/2)^2, so that the real part has no difference of near numbers.
inline std::complex<double> ExpMinusOne(std::complex<double> x) {
  const double sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * sine * sine,
          std::exp(x.real()) * std::sin(x.imag())};
}

TAGFLOW_ANYWHERE inline double LogOnePlus(double x) { return std::log1p(x); }
// |1 + x|^2 = 1 + a (2 + a) + b^2 for x = a + bi.
inline std::complex<double> LogOnePlus(std::complex<double> x) {
  const double a = x.real(), b = x.imag();
  return {std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a)};
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_COMPLEX_FUNCTIONS_H_
