// The Bessel functions of orders 0 and 1 (Abramowitz and Stegun, 9 for this page):
//
//   small x          I and J: the power series in x^2/4 (9.1.10, 9.6.10), of I with positive terms
//   middling x       J: (1/2 pi) times the integral of cos(n t - x sin t) over a period (9.1.21),
//                    which the trapezoidal rule gives to all digits
//   up to there      Y: a series of Bessel functions J of higher orders (9.1.88)
//   large x          I, J, Y: Hankel's asymptotic series (9.2.5, 9.7.1)
//   any x            K: exp(x) K is the integral of exp(-x (cosh t - 1)) cosh(n t) (9.6.24), which
//                    falls so fast that the trapezoidal rule gives all digits
//
// The waves J and Y have an error that is small beside their height, also near their zeros.

#include <cmath>
#include <limits>

#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEuler = 0.57721566490153286061;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmall = 2, kLarge = 25;  // where the ways change

// (x/2)^n times the sum of (sign x^2/4)^k / (k! (n+k)!)
double PowerSeries(int n, double x, double sign) {
  double term = n == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; std::fabs(term) > kEpsilon / 8 * std::fabs(sum); ++k) {
    term *= sign * (x / 2) * (x / 2) / (k * (k + n));
    sum += term;
  }
  return sum;
}

// The terms of Hankel's series: the product of (4n^2 - (2j-1)^2) / (8 j x) over j = 1 … k. Calls
// add(k, term) while they count.
template <typename Add>
void ForEachHankelTerm(int n, double x, Add add) {
  double term = 1;
  for (int k = 1; std::fabs(term) > kEpsilon / 8; ++k) {
    add(k - 1, term);
    term *= (4.0 * n * n - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k * x);
  }
}

// ---- Modified ones ----

// exp(-|x|) I(x)
double ScaledI(int n, double x) {
  if (std::isnan(x)) return x;
  if (x < 0) return n == 0 ? ScaledI(n, -x) : -ScaledI(n, -x);
  if (x < kLarge) return std::exp(-x) * PowerSeries(n, std::fabs(x), 1);
  double sum = 0;
  ForEachHankelTerm(n, x, [&](int k, double term) { sum += k % 2 == 0 ? term : -term; });
  return sum / std::sqrt(2 * kPi) / std::sqrt(x);
}

// In two factors, of which each may be within bounds where exp(|x|) is not.
double I(int n, double x) {
  if (std::isinf(x)) return n == 0 ? kInfinity : x;
  const double root = std::exp(std::fabs(x) / 2);
  return ScaledI(n, x) * root * root;
}

// exp(x) K(x)
double ScaledK(int n, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return kInfinity;
  if (x < 1e-20) return n == 0 ? std::log(2.0) - std::log(x) - kEuler : 1 / x;
  if (std::isinf(x)) return 0;
  const double step = std::fmin(0.125, 0.5 / std::sqrt(x));
  double sum = 0.5, value = 1;
  for (int k = 1; value > kEpsilon / 64 * sum; ++k) {
    const double sine = std::sinh(k * step / 2) * std::sqrt(x);
    value = std::exp(-2 * sine * sine) * (n == 0 ? 1 : std::cosh(k * step));
    sum += value;
  }
  return sum * step;
}

// ---- Waves ----

// Of any order, for x below kLarge.
double Periodic(int n, double x) {
  constexpr int kPoints = 256;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = 2 * kPi * i / kPoints;
    sum += std::cos(n * t - x * std::sin(t));
  }
  return sum / kPoints;
}

// Hankel's: sqrt(2 / (pi x)) times p cos(c) - q sin(c), or p sin(c) + q cos(c) of the second kind,
// where c = x - (n/2 + 1/4) pi.
double Far(int n, double x, bool second) {
  double p = 0, q = 0;
  ForEachHankelTerm(
      n, x, [&](int k, double term) { (k % 2 == 0 ? p : q) += k / 2 % 2 == 0 ? term : -term; });
  const double plus = (std::cos(x) + std::sin(x)) / std::sqrt(2.0);
  const double minus = (std::sin(x) - std::cos(x)) / std::sqrt(2.0);
  const double cosine = n == 0 ? plus : minus;
  const double sine = n == 0 ? minus : -plus;
  const double wave = second ? p * sine + q * cosine : p * cosine - q * sine;
  return std::sqrt(2 / kPi) / std::sqrt(x) * wave;
}

double J(int n, double x) {
  if (std::isnan(x)) return x;
  if (x < 0) return n == 0 ? J(n, -x) : -J(n, -x);
  if (std::isinf(x)) return 0;
  if (x < kSmall) return PowerSeries(n, x, -1);
  return x < kLarge ? Periodic(n, x) : Far(n, x, false);
}

// Y of order n, n = 0 or 1: what its logarithm leaves, and a series that alternates.
double Near(int n, double x) {
  constexpr int kTerms = 40;
  double sum = 0;
  for (int k = kTerms; k >= 1; --k) {
    const double term = Periodic(n + 2 * k, x) * (n + 2 * k) / (k * (n + k));
    sum += k % 2 == 0 ? term : -term;
  }
  const double logarithm = std::log(x) - std::log(2.0) + kEuler - n;
  return 2 / kPi * (logarithm * J(n, x) - sum) - (n == 0 ? 0 : 2 / kPi * J(0, x) / x);
}

double Y(int n, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return -kInfinity;
  if (std::isinf(x)) return 0;
  return x < kLarge ? Near(n, x) : Far(n, x, true);
}

}  // namespace

double BesselI0(double x) { return I(0, x); }
double BesselI0e(double x) { return ScaledI(0, x); }
double BesselI1(double x) { return I(1, x); }
double BesselI1e(double x) { return ScaledI(1, x); }
double BesselK0(double x) { return x <= 0 ? kInfinity : std::exp(-x) * ScaledK(0, x); }
double BesselK0e(double x) { return ScaledK(0, x); }
double BesselK1(double x) { return x <= 0 ? kInfinity : std::exp(-x) * ScaledK(1, x); }
double BesselK1e(double x) { return ScaledK(1, x); }
double BesselJ0(double x) { return J(0, x); }
double BesselJ1(double x) { return J(1, x); }
double BesselY0(double x) { return Y(0, x); }
double BesselY1(double x) { return Y(1, x); }

}  // namespace tagflow::reference
