// The inverses of the error function and of the normal distribution, by Halley's iteration
// (Abramowitz and Stegun 3.9.7, 26.2.23): it triples the correct digits in every step.

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSqrtPi = 1.77245385090551602730;
constexpr double kSqrt2 = 1.41421356237309504880;
constexpr int kSteps = 5;

// Of f with f' = 2/sqrt(pi) exp(-y^2) and f''/f' = -2 y; error: f(y) less what it shall be.
double HalleyStep(double y, double error) {
  const double slope = 2 / kSqrtPi * std::exp(-y * y);
  if (slope == 0) return y;
  const double newton = error / slope;
  return y - newton / (1 + y * newton);
}

// y with erf(y) = x, 0 <= x <= 1/2.
double CentralInverseErf(double x) {
  double y = x * kSqrtPi / 2;
  for (int i = 0; i < kSteps; ++i) y = HalleyStep(y, std::erf(y) - x);
  return y;
}

// y with erfc(y) = q, 0 < q <= 1/2; from a rational approximation to three digits.
double TailInverseErfc(double q) {
  const double t = std::sqrt(-2 * std::log(q / 2));
  const double above = 2.515517 + t * (0.802853 + t * 0.010328);
  const double below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  double y = (t - above / below) / kSqrt2;
  for (int i = 0; i < kSteps; ++i) y = HalleyStep(y, q - std::erfc(y));
  return y;
}

}  // namespace

double InverseErf(double x) {
  if (!(std::fabs(x) <= 1)) return kNan;
  if (std::fabs(x) == 1) return x * kInf;
  const double size = std::fabs(x);
  return std::copysign(size <= 0.5 ? CentralInverseErf(size) : TailInverseErfc(1 - size), x);
}

double InverseNormal(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -kInf;
  if (p == 1) return kInf;
  if (p < 0.25) return -kSqrt2 * TailInverseErfc(2 * p);
  if (p > 0.75) return kSqrt2 * TailInverseErfc(2 * (1 - p));
  return kSqrt2 * InverseErf(2 * (p - 0.5));
}

}  // namespace tagflow::reference
