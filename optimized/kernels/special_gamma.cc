// The incomplete gamma functions, and the derivative by their first argument.
//
// With the density f(t) = t^(a-1) exp(-t) / gamma(a), P(a, x) is its integral up to x. Where x is
// the smaller, in terms that are all positive (Abramowitz and Stegun 6.5.29),
//
//   P = sum of T[n],  T[n] = x^(a+n) exp(-x) / gamma(a+n+1),
//   dP/da = sum of T[n] (log(x) - psi(a+n+1)),                            all of one sign
//
// and where it is the larger, the integrals beyond x, of one sign as well,
//
//   Q = integral of f(t) dt,  dQ/da = integral of (log(t) - psi(a)) f(t) dt
//
// by the double exponential rule (Takahasi and Mori, 1974), t = x + w exp(pi/2 sinh(s)).
//
// f is taken relative to its value at x, and that at its saddle point (Loader, "Fast and accurate
// computation of binomial probabilities"), where powers and gamma would lose digits. The series
// needs about sqrt(a) terms; beyond a = 1e8 the normal distribution that P tends to is used
// (Temme, "The asymptotic expansion of the incomplete gamma functions").

#include <algorithm>
#include <cmath>
#include <limits>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargeA = 1e8;
constexpr int kTermsMax = 200000;

// x^a exp(-x) / gamma(a+1), which is f(x) x / a.
double FirstTerm(double a, double x) {
  if (a >= 10) return std::exp(-StirlingExcess(a) - Deviance(a, x)) / std::sqrt(2 * kPi * a);
  if (x > 1000) return 0;  // where the power may overflow
  return std::pow(x, a) * std::exp(-x) / std::tgamma(a + 1);
}

struct Sums {
  double value = 0;  // P, or Q
  double slope = 0;  // its derivative by a
};

Sums LowerSeries(double a, double x) {
  double term = 1, difference = std::log(x) - Digamma(a + 1);
  Sums sums;
  for (int n = 1; n < kTermsMax; ++n) {
    sums.value += term;
    sums.slope += term * difference;
    if (!(term > 1e-18 * sums.value)) break;
    term *= x / (a + n);
    difference -= 1 / (a + n);
  }
  const double first = FirstTerm(a, x);
  if (first == 0) return {};
  return {first * sums.value, first * sums.slope};
}

// The integrands fall from x on like exp(-u/w) or faster.
Sums UpperIntegral(double a, double x) {
  constexpr double kStep = 1.0 / 24;
  const double density = FirstTerm(a, x) * a / x;  // f(x)
  if (density == 0) return {};
  const double width = std::min(std::sqrt(a) + 1, x / (std::max(x - a, 0.0) + 1));
  const double psi = Digamma(a);
  Sums sums;
  for (double s = -4.5; s < 4.5; s += kStep) {
    const double u = width * std::exp(kPi / 2 * std::sinh(s));
    const double f = std::exp((a - 1) * std::log1p(u / x) - u);
    const double weight = f * u * kPi / 2 * std::cosh(s);
    if (!(weight > 0)) continue;
    sums.value += weight;
    sums.slope += weight * (std::log(x + u) - psi);
  }
  return {density * kStep * sums.value, density * kStep * sums.slope};
}

// For large a: with s = sign(x - a) sqrt(Deviance(a, x)), Q tends to erfc(s) / 2 and a correction.
double LargeUpper(double a, double x) {
  const double deviance = Deviance(a, x);
  if (deviance > 800) return x < a ? 1 : 0;
  const double s = std::copysign(std::sqrt(deviance), x - a);
  const double eta = s * std::sqrt(2 / a);
  const double correction = eta * (1.0 / 12 - eta * (2.0 / 135)) - 1.0 / 3;
  return std::erfc(s) / 2 + std::exp(-deviance) * correction / std::sqrt(2 * kPi * a);
}

bool IsDefined(double a, double x) { return a > 0 && x >= 0; }
bool HasSeries(double a, double x) { return x <= 1 || x <= a; }

}  // namespace

double StirlingExcess(double a) {
  if (a < 10) return LogGamma(a + 1) - (a + 0.5) * std::log(a) + a - 0.5 * std::log(2 * kPi);
  constexpr double kTerms[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                               -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
  double sum = 0, power = 1 / a;
  for (double term : kTerms) {
    sum += term * power;
    power /= a * a;
  }
  return sum;
}

// a (u - log(1 + u)) with u = (x - a) / a. Near 0, with r = u / (2 + u), the logarithm is
// 2 (r + r^3/3 + r^5/5 + ...), and u - 2 r = u r.
double Deviance(double a, double x) {
  const double u = (x - a) / a;
  if (!(std::fabs(u) < 0.2)) return a * std::log(a / x) + x - a;
  const double r = u / (2 + u);
  double sum = 0, power = r;
  for (int k = 3; k < 21; k += 2) sum += (power *= r * r) / k;
  return a * (u * r - 2 * sum);
}

double LowerGamma(double a, double x) {
  if (x == 0) return 0;
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(a)) return 0;
  if (std::isinf(x)) return 1;
  if (a > kLargeA) return 1 - LargeUpper(a, x);
  return HasSeries(a, x) ? LowerSeries(a, x).value : 1 - UpperIntegral(a, x).value;
}

double UpperGamma(double a, double x) {
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(x)) return 0;
  if (x == 0 || std::isinf(a)) return 1;
  if (a > kLargeA) return LargeUpper(a, x);
  return HasSeries(a, x) ? 1 - LowerSeries(a, x).value : UpperIntegral(a, x).value;
}

double LowerGammaSlope(double a, double x) {
  if (x == 0) return 0;
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(a) || std::isinf(x)) return 0;
  if (a > kLargeA) return -std::exp(-Deviance(a, x)) / std::sqrt(2 * kPi * a);
  return HasSeries(a, x) ? LowerSeries(a, x).slope : -UpperIntegral(a, x).slope;
}

}  // namespace tagflow::optimized
