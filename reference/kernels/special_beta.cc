// The incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8): with
// D = x^a (1-x)^b / B(a, b),
//
//   I(x; a, b) = D / a / (1 + d1 / (1 + d2 / (1 + ...)))
//   d[2m] = m (b-m) x / ((a+2m-1) (a+2m)),  d[2m+1] = -(a+m) (a+b+m) x / ((a+2m) (a+2m+1))
//
// which converges fast for x < (a+1) / (a+b+2); elsewhere I(x; a, b) = 1 - I(1-x; b, a).

#include <cmath>
#include <limits>

#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 1e-300;
constexpr int kTermsMax = 200000;

// D / a. Where powers and gamma would lose digits, at its saddle point, as special_gamma.cc does.
double DensityOverA(double a, double b, double x) {
  if (a + b < 20) {
    return std::pow(x, a) * std::exp(b * std::log1p(-x)) * std::tgamma(a + b) /
           (std::tgamma(a + 1) * std::tgamma(b));
  }
  const double n = a + b;
  const double log_density = StirlingError(n) - StirlingError(a) - StirlingError(b) -
                             Deviance(a, n * x) - Deviance(b, n * (1 - x));
  return std::exp(log_density) * std::sqrt(b / a / (2 * kPi * n));
}

double Numerator(double a, double b, double x, int term) {
  const int m = term / 2;
  if (term % 2 == 0) return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
  return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

double AwayFromZero(double x) { return std::fabs(x) < kTiny ? kTiny : x; }

// 1 / (1 + d1 / (1 + ...)), by the method of Lentz.
double Fraction(double a, double b, double x) {
  double c = 1, d = 1 / AwayFromZero(1 + Numerator(a, b, x, 1)), whole = d;
  for (int term = 2; term < kTermsMax; ++term) {
    const double numerator = Numerator(a, b, x, term);
    d = 1 / AwayFromZero(1 + numerator * d);
    c = AwayFromZero(1 + numerator / c);
    whole *= c * d;
    if (!(std::fabs(c * d - 1) > kEpsilon / 2)) break;
  }
  return whole;
}

// Where there is nothing, the terms of the fraction may be too large for numbers.
double LeftPart(double a, double b, double x) {
  const double density = DensityOverA(a, b, x);
  return density == 0 ? 0 : density * Fraction(a, b, x);
}

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (a <= 0 || b <= 0) return kNan;
  if (x == 0 || x == 1) return x;
  if (!(a > 0 && b > 0 && x > 0 && x < 1)) return kNan;
  if (x < (a + 1) / (a + b + 2)) return LeftPart(a, b, x);
  return 1 - LeftPart(b, a, 1 - x);
}

}  // namespace tagflow::reference
