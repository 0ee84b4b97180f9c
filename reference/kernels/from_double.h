#ifndef TAGFLOW_REFERENCE_KERNELS_FROM_DOUBLE_H_
#define TAGFLOW_REFERENCE_KERNELS_FROM_DOUBLE_H_

// Formulas (elementwise.h) made from functions of double, and the functions that several need.

#include <cmath>
#include <complex>
#include <concepts>

#include "reference/kernels/element.h"

namespace tagflow::reference {

// A formula from a function object over double (and std::complex<double>, where it takes one).
template <typename F>
struct FromDouble {
  template <FloatElement C>
  C operator()(C x) const {
    return InDouble(x, F());
  }
  template <ComplexElement C>
  requires std::invocable<F, std::complex<double>> C operator()(C x) const {
    return InDouble(x, F());
  }
};

// exp(x) - 1 and log(1 + x), exact near 0.
inline double Expm1(double x) { return std::expm1(x); }
inline std::complex<double> Expm1(std::complex<double> x) {
  const double half_sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
          std::exp(x.real()) * std::sin(x.imag())};
}
inline double Log1p(double x) { return std::log1p(x); }
inline std::complex<double> Log1p(std::complex<double> x) {
  return {std::log1p(x.real() * (2 + x.real()) + x.imag() * x.imag()) / 2,
          std::atan2(x.imag(), 1 + x.real())};
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_FROM_DOUBLE_H_
