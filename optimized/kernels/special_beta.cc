// The incomplete beta function, by its series of positive terms (NIST Handbook of Mathematical
// Functions, 8.17.8): with D = x^a (1-x)^b / (a B(a, b)),
//
//   I(x; a, b) = D (1 + (a+b)/(a+1) x + (a+b)(a+b+1)/((a+1)(a+2)) x^2 + ...)
//
// whose terms fall from the first on for x < (a+1) / (a+b); elsewhere I(x; a, b) is
// 1 - I(1-x; b, a). Where a is large the terms fall slowly, and the integral that I is, of
// t^(a-1) (1-t)^(b-1) / B(a, b), is taken by the double exponential rule (Takahasi and Mori, 1974)
// with t = x - w exp(pi/2 sinh(s)).

#include <algorithm>
#include <cmath>
#include <limits>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargeA = 1000;  // below, 40000 terms are enough

// D, at its saddle point where powers and gamma would lose digits. `y` is 1 - x.
double Density(double a, double b, double x, double y) {
  const double n = a + b;
  if (n < 20) {
    const double gammas = std::tgamma(n) / (std::tgamma(a + 1) * std::tgamma(b));
    return std::pow(x, a) * std::exp(b * (y < 0.5 ? std::log(y) : std::log1p(-x))) * gammas;
  }
  const double log_density = StirlingExcess(n) - StirlingExcess(a) - StirlingExcess(b) -
                             Deviance(a, n * x) - Deviance(b, n * y);
  return std::exp(log_density) * std::sqrt(b / a / (2 * kPi * n));
}

double Series(double a, double b, double x, double y) {
  double sum = 0, term = 1;
  for (int n = 1; term > 1e-18 * sum; ++n) {
    sum += term;
    term *= (a + b + n - 1) / (a + n) * x;
  }
  return Density(a, b, x, y) * sum;
}

// The integrand rises up to x.
double Integral(double a, double b, double x, double y) {
  constexpr double kStep = 1.0 / 24;
  const double rise = std::max((a - 1) / x - (b - 1) / y, 0.0);
  const double bend = std::sqrt((a - 1) / (x * x) + std::fabs(b - 1) / (y * y));
  const double width = 1 / std::max(rise, bend);
  double sum = 0;
  for (double s = -4.5; s < 4.5; s += kStep) {
    const double u = width * std::exp(kPi / 2 * std::sinh(s));
    if (!(u < x)) break;
    const double f = std::exp((a - 1) * std::log1p(-u / x) + (b - 1) * std::log1p(u / y));
    sum += f * u * kPi / 2 * std::cosh(s);
  }
  return Density(a, b, x, y) * a / (x * y) * kStep * sum;
}

double LeftPart(double a, double b, double x, double y) {
  return a > kLargeA ? Integral(a, b, x, y) : Series(a, b, x, y);
}

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (a <= 0 || b <= 0) return kNan;
  if (x == 0 || x == 1) return x;
  if (!(a > 0 && b > 0 && x > 0 && x < 1)) return kNan;
  if (x < (a + 1) / (a + b + 2)) return std::clamp(LeftPart(a, b, x, 1 - x), 0.0, 1.0);
  return std::clamp(1 - LeftPart(b, a, 1 - x, x), 0.0, 1.0);
}

}  // namespace tagflow::optimized
