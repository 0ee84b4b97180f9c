// The logarithm of gamma, its derivatives, and the zeta function that they are made of.
//
// Digamma has, half a step beside the usual place, a series in even powers alone (Abramowitz and
// Stegun 6.3.18 and 6.3.8),
//   psi(y + 1/2) = log(y) + 1/(24 y^2) - 7/(960 y^4) + 31/(8064 y^6) - ...
// A recurrence brings smaller arguments there, a reflection negative ones to positive ones. Zeta is
// summed term by term, and the rest by Euler and Maclaurin's formula (23.2.7).

#include <math.h>

#include <cmath>
#include <limits>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool IsWhole(double x) { return x == std::floor(x); }
bool IsEven(double x) { return std::fmod(x, 2) == 0; }

double DigammaOfPositive(double x) {
  constexpr double kTerms[] = {1.0 / 24,       -7.0 / 960,    31.0 / 8064,
                               -127.0 / 30720, 511.0 / 67584, -1414477.0 / 67092480};
  double below = 0;
  for (; x < 12.5; x += 1) below += 1 / x;
  const double y = x - 0.5;
  double series = 0, power = 1;
  for (double term : kTerms) series += term * (power /= y * y);
  return std::log(y) + series - below;
}

// Beyond how many terms a sum is replaced by an integral.
constexpr int kTermsMax = 100000;

// For q > 0. The terms fall; from w = q + k on, the rest is
//   w^(1-x) / (x-1) + w^-x / 2 + sum over j of B[2j] / (2j)! x (x+1) ... (x+2j-2) w^(1-x-2j)
// whose terms have the ratios below, times (x+2j-1) (x+2j) / w^2.
double ZetaOfPositive(double x, double q) {
  constexpr double kRatios[] = {-1.0 / 60,      -1.0 / 42,     -1.0 / 40,       -5.0 / 198,
                                -691.0 / 27300, -210.0 / 8292, -3617.0 / 142800};
  double sum = 0, w = q;
  for (int k = 0; k < kTermsMax && w < 2 * x + 12; ++k, w += 1) {
    const double term = std::pow(w, -x);
    sum += term;
    if (!(term > sum * 1e-18)) return sum;
  }
  const double first = std::pow(w, -x);
  double rest = first * (w / (x - 1)) + first / 2, term = first * x / (12 * w), s = x;
  for (double ratio : kRatios) {
    rest += term;
    term *= ratio * ((s + 1) / w) * ((s + 2) / w);
    s += 2;
  }
  return sum + rest;
}

// For -q in (count - 1, count), where f is what q is above a whole number: the terms of negative
// base, which are (1 - f + j)^-x for j < count with the sign of their parity, each beside one of
// positive base, for they may cancel; then the rest of the latter.
double ZetaOfNegative(double x, double f, double count) {
  const double sign = IsEven(x) ? 1 : -1;
  const double g = 1 - f;
  double sum = 0;
  int j = 0;
  for (; j < count && j < kTermsMax; ++j) {
    const double right = std::pow(f + j, -x), left = std::pow(g + j, -x);
    sum += right + sign * left;
    if (!(right + left > 1e-18 * std::fabs(sum))) return sum;
  }
  if (j < count) {
    const double from = g + j - 0.5, to = g + count - 0.5;
    sum += sign * (std::pow(from, 1 - x) - std::pow(to, 1 - x)) / (x - 1);
  }
  return sum + ZetaOfPositive(x, f + j);
}

}  // namespace

// std::lgamma writes a global variable besides.
double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double Digamma(double x) {
  if (x > 0 || std::isnan(x)) return DigammaOfPositive(x);
  if (IsWhole(x)) return kNan;
  // psi(x) = psi(1 - x) - pi / tan(pi x), and the tangent has the period 1
  return DigammaOfPositive(1 - x) - kPi / std::tan(kPi * (x - std::floor(x)));
}

double HurwitzZeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1) || std::isnan(q)) return kNan;
  if (q > 0) return std::isinf(q) ? 0 : ZetaOfPositive(x, q);
  if (std::isinf(x)) return kInf;
  if (IsWhole(q)) return IsWhole(x) && IsEven(x) ? kInf : kNan;
  if (!IsWhole(x)) return kNan;
  const double below = std::floor(q);
  return ZetaOfNegative(x, q - below, -below);
}

double Polygamma(double n, double x) {
  if (!(n >= 0) || !IsWhole(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double size = std::tgamma(n + 1) * HurwitzZeta(n + 1, x);
  return IsEven(n) ? -size : size;
}

}  // namespace tagflow::optimized
