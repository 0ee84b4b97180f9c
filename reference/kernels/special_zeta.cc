// The logarithm of gamma, its derivatives, and the zeta function that they are made of.
//
// For large arguments each has an asymptotic series in the Bernoulli numbers B[2j]; a recurrence
// brings smaller arguments there, a reflection negative ones to positive ones (Abramowitz and
// Stegun 6.3.5, 6.3.7, 6.3.18, 6.4.10, 23.2.7).

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool IsWhole(double x) { return x == std::floor(x); }
bool IsOdd(double whole) { return std::fmod(whole, 2) != 0; }

// B[2j] / (2j) for j = 1, 2, ...
constexpr double kDigammaTerms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                    1.0 / 132, -691.0 / 32760, 1.0 / 12};
// B[2j] / (2j)! for j = 1, 2, ...
constexpr double kZetaTerms[] = {1.0 / 12,
                                 -1.0 / 720,
                                 1.0 / 30240,
                                 -1.0 / 1209600,
                                 1.0 / 47900160,
                                 -691.0 / 1307674368000,
                                 1.0 / 74724249600,
                                 -3617.0 / 10670622842880000,
                                 43867.0 / 5109094217170944000};

double PositiveDigamma(double x) {
  double shift = 0;
  for (; x < 10; x += 1) shift -= 1 / x;
  double tail = 0, power = 1;
  for (double term : kDigammaTerms) tail += term * (power /= x * x);
  return shift + std::log(x) - 0.5 / x - tail;
}

// For q > 0: the first terms one by one, up to w = q + k beyond 2 x + 10, and the rest by Euler and
// Maclaurin's formula,
//   w^(1-x) / (x-1) + w^-x / 2 + sum over j of B[2j] / (2j)! x (x+1) ... (x+2j-2) w^(-x-2j+1)
double PositiveZeta(double x, double q) {
  double sum = 0, w = q;
  for (; w < 2 * x + 10; w += 1) {
    const double term = std::pow(w, -x);
    sum += term;
    if (!(term > kEpsilon / 8 * sum)) return sum;
  }
  double term = std::pow(w, -x);
  sum += term * (w / (x - 1)) + term / 2;
  double factor = x;
  for (double coefficient : kZetaTerms) {
    term /= w;
    if (term == 0) break;
    sum += coefficient * factor * term;
    factor *= (x + 1) * (x + 2);
    x += 2;
    term /= w;
  }
  return sum;
}

}  // namespace

// std::lgamma writes a global variable besides.
double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double Digamma(double x) {
  if (x > 0 || std::isnan(x)) return PositiveDigamma(x);
  if (IsWhole(x)) return kNan;
  // psi(x) = psi(1 - x) - pi / tan(pi x), which has the period 1
  return PositiveDigamma(1 - x) - kPi / std::tan(kPi * (x - std::floor(x)));
}

double HurwitzZeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1) || std::isnan(q)) return kNan;
  if (q > 0) return std::isinf(q) ? 0 : PositiveZeta(x, q);
  if (std::isinf(x)) return kInf;
  const bool is_even = IsWhole(x) && !IsOdd(x);
  if (IsWhole(q)) return is_even ? kInf : kNan;
  if (!IsWhole(x)) return kNan;
  // The terms below 0 run, by size, from what q is below a whole number to -q.
  const double above = PositiveZeta(x, q - std::floor(q));
  const double below = PositiveZeta(x, -q - std::floor(-q)), beyond = PositiveZeta(x, 1 - q);
  // Above and below may cancel: half way they do.
  return is_even ? above + below - beyond : (above - below) + beyond;
}

double Polygamma(double n, double x) {
  if (!(n >= 0) || !IsWhole(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double value = std::tgamma(n + 1) * HurwitzZeta(n + 1, x);
  return IsOdd(n) ? value : -value;
}

}  // namespace tagflow::reference
