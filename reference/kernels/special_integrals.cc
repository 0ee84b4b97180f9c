// Functions that are integrals of elementary ones:
//
//   Dawson               exp(-x^2) times the integral of exp(t^2) over [0, x]: the power series of
//                        that, whose terms are positive; for large x its asymptotic series
//   ExponentialIntegral  log(x) + Euler's constant + the integral of (exp(t) - 1) / t over [0, x],
//                        by the trapezoidal rule behind t = x / (1 + exp(-pi sinh(u))), which
//                        falls so fast at both ends that a fixed number of places gives all digits
//   Fresnel              the power series; for large x the continued fraction of erfc at a complex
//                        argument (Abramowitz and Stegun 7.1.14, 7.3.22)
//   Dilogarithm          the sum of z^k / k^2 of z = 1 - x, at most 1/2 in size; all other x are
//                        brought there (27.7.3 to 27.7.5 on this function, as Spence's)

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// exp(-x^2) times the sum of x^(2k+1) / (k! (2k+1)). Both are made of one rounded square: its error
// moves them against each other, and is none of the product.
double NearDawson(double x) {
  const double square = x * x;
  double power = x, sum = x;
  for (int k = 1; std::fabs(power) > kEpsilon / 8 * std::fabs(sum); ++k) {
    power *= square / k;
    sum += power / (2 * k + 1);
  }
  return std::exp(-square) * sum;
}

// 1 / (2x) times the sum of 1 * 3 * ... * (2k-1) / (2 x^2)^k.
double FarDawson(double x) {
  double term = 1, sum = 0;
  for (int k = 1; term > kEpsilon / 8; ++k) {
    sum += term;
    term *= (2 * k - 1) / (2 * x) / x;
  }
  return 0.5 / x * sum;
}

// exp(-x) times the integral of (exp(t) - 1) / t over [0, x]. With t = x (1 - r) the integrand is
// exp(-x r) - exp(-x), over 1 - r.
double ScaledGrowth(double x) {
  constexpr double kStep = 1.0 / 64, kEnd = 4;
  double sum = 0;
  for (double u = -kEnd; u <= kEnd; u += kStep) {
    const double r = 1 / (1 + std::exp(kPi * std::sinh(u)));
    const double s = 1 / (1 + std::exp(-kPi * std::sinh(u)));
    const double growth =
        x < 1 ? std::exp(-x) * std::expm1(x * s) : std::exp(-x * r) - std::exp(-x);
    sum += growth * r * kPi * std::cosh(u);
  }
  return sum * kStep;
}

// ---- Fresnel ----

using Complex = std::complex<double>;

// C + i S: the sum of x (i pi x^2 / 2)^k / (k! (2k+1)).
Complex FresnelSeries(double x) {
  const Complex phase(0, kPi / 2 * x * x);
  Complex power = x, sum = x;
  for (int k = 1; std::abs(power) > kEpsilon * kEpsilon * std::abs(x); ++k) {
    power *= phase / static_cast<double>(k);
    sum += power / (2.0 * k + 1);
  }
  return sum;
}

// exp(i pi x^2 / 2), without the whole periods that x^2 has.
Complex FresnelWave(double x) {
  const double square = x * x;
  return std::polar(1.0, kPi / 2 * (std::fmod(square, 4) + std::fma(x, x, -square)));
}

// (1+i)/2 erf(z) with z = sqrt(pi)/2 (1-i) x.
Complex FresnelFraction(double x) {
  constexpr int kDepth = 1000;
  const Complex z = Complex(1, -1) * (std::sqrt(kPi) / 2 * x);
  Complex tail = z;
  for (int k = kDepth; k >= 1; --k) tail = z + k / 2.0 / tail;
  const Complex erfc = FresnelWave(x) / (std::sqrt(kPi) * tail);
  return Complex(0.5, 0.5) * (1.0 - erfc);
}

Complex Fresnel(double x) {
  constexpr double kSmall = 1.25, kLarge = 0x1p60;  // beyond kLarge the wave does not count
  if (std::isnan(x)) return {x, x};
  if (std::signbit(x)) return -Fresnel(-x);
  if (x < kSmall) return FresnelSeries(x);
  return x > kLarge ? Complex(0.5, 0.5) : FresnelFraction(x);
}

// ---- Dilogarithm ----

// The sum of z^k / k^2, for |z| <= 1/2.
double SumOverSquares(double z) {
  double power = z, sum = z;
  for (double k = 2; std::fabs(power) > kEpsilon / 8 * std::fabs(sum); ++k) {
    power *= z;
    sum += power / (k * k);
  }
  return sum;
}

}  // namespace

double Dawson(double x) {
  constexpr double kLarge = 7;
  if (std::isnan(x)) return x;
  return std::fabs(x) < kLarge ? NearDawson(x) : FarDawson(x);
}

double ExponentialIntegral(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return -kInfinity;
  if (x > 720) return kInfinity;
  // The power is made of two factors, of which each may be within bounds where it is not.
  const double root = std::exp(x / 2);
  return root * ScaledGrowth(x) * root + std::log(x) + std::numbers::egamma;
}

double FresnelCosine(double x) { return Fresnel(x).real(); }
double FresnelSine(double x) { return Fresnel(x).imag(); }

double Dilogarithm(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return kPi * kPi / 6;
  if (std::isinf(x)) return -kInfinity;
  if (x < 0.5) return kPi * kPi / 6 - std::log(x) * std::log1p(-x) - SumOverSquares(x);
  if (x <= 1.5) return SumOverSquares(1 - x);
  const double logarithm = std::log(x);
  if (x > 2) return -Dilogarithm(1 / x) - logarithm * logarithm / 2;
  return -SumOverSquares(1 - 1 / x) - logarithm * logarithm / 2;
}

}  // namespace tagflow::reference
