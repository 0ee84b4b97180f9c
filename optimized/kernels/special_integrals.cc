// Dawson's integral, the exponential integral and Spence's.
//
//   Dawson               near 0 its power series; beyond, Rybicki's sum of bells at odd places of a
//                        grid (Computers in Physics 3, 1989), of which 26 give all digits
//   ExponentialIntegral  by the C++ library; for large x its asymptotic series
//   Dilogarithm          a series by Bernoulli's numbers in log(x), which falls by a factor of 80
//                        from term to term where x is between 1/2 and 2; all other x are brought
//                        there by x -> 1 - x and x -> 1 / x
//
// Tested by special_test.cc.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ---- Dawson ----

constexpr double kGrid = 0.25;
constexpr int kBells = 13;  // on either side

// exp(-(n kGrid)^2) of n = 1, 3, 5, ...
const std::array<double, kBells>& BellHeights() {
  static const auto heights = [] {
    std::array<double, kBells> all{};
    for (int i = 0; i < kBells; ++i) {
      const double place = (2 * i + 1) * kGrid;
      all[static_cast<size_t>(i)] = std::exp(-place * place);
    }
    return all;
  }();
  return heights;
}

// The sum of x (-2 x^2)^k / (1 * 3 * ... * (2k+1)).
double DawsonNearZero(double x) {
  constexpr int kTerms = 17;
  double sum = 1;
  for (int k = kTerms; k >= 1; --k) sum = 1 - 2 * x * x / (2 * k + 1) * sum;
  return x * sum;
}

// REQUIRES: x is above DawsonNearZero's, and no more than the grid has exact places for
double DawsonByBells(double x) {
  const double middle = 2 * std::nearbyint(x / (2 * kGrid));  // an even place near x
  const double rest = x - middle * kGrid;
  const double growth = std::exp(2 * rest * kGrid), decay = 1 / growth;
  double above = growth, below = decay, sum = 0, n = 1;
  for (const double height : BellHeights()) {
    sum += height * (above / (middle + n) + below / (middle - n));
    above *= growth * growth;
    below *= decay * decay;
    n += 2;
  }
  return std::numbers::inv_sqrtpi * std::exp(-rest * rest) * sum;
}

// ---- The exponential integral ----

// exp(x) / x times the sum of k! / x^k, as long as it falls; the power in two factors, each of
// which may be within bounds where it is not. REQUIRES: x >= 45, so that it falls far enough
double ExponentialIntegralFar(double x) {
  double term = 1, sum = 0;
  for (int k = 1; term > 1e-18; ++k) {
    sum += term;
    term *= k / x;
  }
  const double root = std::exp(x / 2);
  return root * (sum / x) * root;
}

// ---- Spence ----

// The dilogarithm of 1 - exp(-u), for |u| <= log(2): the sum of B(n) u^(n+1) / (n+1)! with the
// numbers B of Bernoulli.
double DilogarithmOfLog(double u) {
  constexpr double kBernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                   5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
  double power = u, sum = 0;
  int n = 1;  // power is u^n / n!
  for (const double number : kBernoulli) {
    power *= u * u / ((n + 1) * (n + 2));
    n += 2;
    sum += number * power;
  }
  return u - u * u / 4 + sum;
}

// For 0 < x <= 2.
double DilogarithmNear(double x) {
  if (x >= 0.5) return DilogarithmOfLog(-std::log(x));
  const double mirrored = std::log1p(-x);
  return std::numbers::pi * std::numbers::pi / 6 - std::log(x) * mirrored -
         DilogarithmOfLog(-mirrored);
}

}  // namespace

double Dawson(double x) {
  constexpr double kSmall = 0.75, kLarge = 1e9;  // beyond kLarge it is 1 / (2x) in all digits
  const double size = std::fabs(x);
  if (size < kSmall) return DawsonNearZero(x);
  return size > kLarge ? 0.5 / x : std::copysign(DawsonByBells(size), x);
}

double ExponentialIntegral(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x;
  return x < 45 ? std::expint(x) : ExponentialIntegralFar(x);
}

double Dilogarithm(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return std::numbers::pi * std::numbers::pi / 6;
  if (std::isinf(x)) return -kInfinity;
  if (x <= 2) return DilogarithmNear(x);
  const double logarithm = std::log(x);
  return -logarithm * logarithm / 2 - DilogarithmNear(1 / x);
}

}  // namespace tagflow::optimized
