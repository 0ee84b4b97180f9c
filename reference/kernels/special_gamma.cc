// The incomplete gamma functions (Abramowitz and Stegun 6.5.4, 6.5.29, 6.5.31). With
// D = x^a exp(-x) / gamma(a+1),
//
//   P(a, x) = D (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)                     where x is the smaller,
//   Q(a, x) = D a / (x+1-a - 1(1-a) / (x+3-a - 2(2-a) / (x+5-a - ...)))    where it is the larger,
//
// and each is 1 less the other elsewhere. D is taken at its saddle point,
//   D = exp(-StirlingError(a) - Deviance(a, x)) / sqrt(2 pi a),
// where powers and gamma would lose digits (Loader, "Fast and accurate computation of binomial
// probabilities"). The derivative by a comes from the same formulas, computed with numbers that
// carry theirs along.
//
// Both need about sqrt(a) terms. Beyond a = 1e8 the normal distribution that P tends to is used.

#include <cmath>
#include <limits>

#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 1e-300;
constexpr double kLargeA = 1e8;
constexpr int kTermsMax = 200000;

// A value and its derivative by a.
struct Dual {
  double value;
  double slope = 0;

  friend Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
  friend Dual operator-(Dual x, Dual y) { return {x.value - y.value, x.slope - y.slope}; }
  friend Dual operator*(Dual x, Dual y) {
    return {x.value * y.value, x.slope * y.value + x.value * y.slope};
  }
  friend Dual operator/(Dual x, Dual y) {
    const double quotient = x.value / y.value;
    return {quotient, (x.slope - quotient * y.slope) / y.value};
  }
};

// Whether a change no longer counts beside the whole. (Of NaN neither does.)
bool IsNegligible(Dual change, Dual whole) {
  return !(std::fabs(change.value) > kEpsilon / 4 * std::fabs(whole.value)) &&
         !(std::fabs(change.slope) > kEpsilon / 4 * std::fabs(whole.slope));
}

// D and its derivative.
Dual Density(double a, double x) {
  if (a < 10 && x > 1000) return {0, 0};  // where the power may overflow
  const double value = a < 10
                           ? std::pow(x, a) * std::exp(-x) / std::tgamma(a + 1)
                           : std::exp(-StirlingError(a) - Deviance(a, x)) / std::sqrt(2 * kPi * a);
  if (value == 0) return {0, 0};
  return {value, value * (std::log(x) - Digamma(a + 1))};
}

Dual LowerSeries(double a, double x) {
  Dual sum{1}, term{1};
  for (int n = 1; n < kTermsMax; ++n) {
    term = term * Dual{x} / Dual{a + n, 1};
    sum = sum + term;
    if (IsNegligible(term, sum)) break;
  }
  return Density(a, x) * sum;
}

// The fraction from its head on, by the method of Lentz.
Dual UpperFraction(double a, double x) {
  Dual b{x + 1 - a, -1};
  Dual c{1 / kTiny}, d = Dual{1} / b, whole = d;
  for (int n = 1; n < kTermsMax; ++n) {
    const Dual numerator = Dual{-1.0 * n} * Dual{n - a, -1};
    b = b + Dual{2};
    d = numerator * d + b;
    c = b + numerator / c;
    d = Dual{1} / d;
    const Dual next = whole * (c * d);
    const bool is_done = IsNegligible(next - whole, next);
    whole = next;
    if (is_done) break;
  }
  return Density(a, x) * Dual{a, 1} * whole;
}

// For large a: with s = sign(x - a) sqrt(Deviance(a, x)), Q tends to erfc(s) / 2 and a correction
// (Temme, "The asymptotic expansion of the incomplete gamma functions").
double LargeUpper(double a, double x) {
  const double deviance = Deviance(a, x);
  if (deviance > 800) return x < a ? 1 : 0;
  const double s = std::copysign(std::sqrt(deviance), x - a);
  const double eta = s * std::sqrt(2 / a);
  const double correction = -1.0 / 3 + eta / 12 - eta * eta * 2 / 135;
  return std::erfc(s) / 2 + std::exp(-deviance) / std::sqrt(2 * kPi * a) * correction;
}
double LargeSlope(double a, double x) {
  return -std::exp(-Deviance(a, x)) / std::sqrt(2 * kPi * a);
}

bool IsDefined(double a, double x) { return a > 0 && x >= 0; }
bool HasSeries(double a, double x) { return x <= 1 || x <= a; }

}  // namespace

double StirlingError(double a) {
  if (a < 10) {
    return LogGamma(a + 1) - (a + 0.5) * std::log(a) + a - 0.5 * std::log(2 * kPi);
  }
  const double r = 1 / (a * a);
  return (1.0 / 12 -
          r * (1.0 / 360 -
               r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * (691.0 / 360360)))))) /
         a;
}

// With u = (x - a) / a that is a (u - log(1 + u)) = a (u^2/2 - u^3/3 + u^4/4 - ...).
double Deviance(double a, double x) {
  const double u = (x - a) / a;
  if (!(std::fabs(u) < 0.1)) return a * std::log(a / x) + x - a;
  double sum = 0, power = -u;
  for (int k = 2; k < 20; ++k) sum += (power *= -u) / k;
  return a * sum;
}

double LowerGamma(double a, double x) {
  if (x == 0) return 0;
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(a)) return 0;
  if (std::isinf(x)) return 1;
  if (a > kLargeA) return 1 - LargeUpper(a, x);
  return HasSeries(a, x) ? LowerSeries(a, x).value : 1 - UpperFraction(a, x).value;
}

double UpperGamma(double a, double x) {
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(x)) return 0;
  if (x == 0 || std::isinf(a)) return 1;
  if (a > kLargeA) return LargeUpper(a, x);
  return HasSeries(a, x) ? 1 - LowerSeries(a, x).value : UpperFraction(a, x).value;
}

double LowerGammaSlope(double a, double x) {
  if (x == 0) return 0;
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(a) || std::isinf(x)) return 0;
  if (a > kLargeA) return LargeSlope(a, x);
  return HasSeries(a, x) ? LowerSeries(a, x).slope : -UpperFraction(a, x).slope;
}

}  // namespace tagflow::reference
