// The Fresnel integrals of cos and sin of pi t^2 / 2: near 0 by their power series, beyond by what
// they swing about 1/2 with,
//
//   C(x) = 1/2 + f(x) sin(pi x^2 / 2) - g(x) cos(pi x^2 / 2)
//   S(x) = 1/2 - f(x) cos(pi x^2 / 2) - g(x) sin(pi x^2 / 2)
//
// where f and g are integrals of bells (Abramowitz and Stegun 7.3.9; 7.4.22 and 7.4.23 with t = u^2
// / x^2). The trapezoidal rule gives them to all digits, by the same few places for every x.
//
// Tested by special_test.cc.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kPi = std::numbers::pi;

// The sums of (-1)^k phase^(2k) / ((2k)! (4k+1)) and phase^(2k+1) / ((2k+1)! (4k+3)), times x,
// where phase = pi x^2 / 2. For 0 <= x <= 1.
enum class Series : uint8_t { kCosine, kSine };
double NearZero(Series series, double x) {
  constexpr int kTerms = 12;
  const int first = series == Series::kSine ? 1 : 0;
  const double phase = kPi / 2 * x * x;
  double term = first == 1 ? x * phase : x, sum = 0;
  for (int n = first; n < 2 * kTerms; n += 2) {
    sum += term / (2 * n + 1);
    term *= -phase * phase / ((n + 1) * (n + 2));
  }
  return sum;
}

// The trapezoidal rule's places u, from 0 until exp(-pi u^2 / 2) does not count any more.
struct Places {
  static constexpr size_t kCount = 53;
  static constexpr double kStep = 0.1;  // poles of the integrands are at least sqrt(1/2) away
  std::array<double, kCount> weight, square, fourth_power;

  Places() {
    for (size_t i = 0; i < kCount; ++i) {
      const double u = static_cast<double>(i) * kStep;
      weight[i] = (i == 0 ? 0.5 : 1) * kStep * std::exp(-kPi / 2 * u * u);
      square[i] = u * u;
      fourth_power[i] = square[i] * square[i];
    }
  }
};

struct Swing {
  double f, g;
};
// For x >= 1.
Swing SwingOf(double x) {
  static const Places places;
  const double inverse = 1 / (x * x);
  Swing sums = {0, 0};
  for (size_t i = 0; i < Places::kCount; ++i) {
    const double part = places.weight[i] / (1 + places.fourth_power[i] * inverse * inverse);
    sums.f += part;
    sums.g += part * places.square[i];
  }
  const double factor = std::numbers::sqrt2 / (kPi * x);
  return {factor * sums.f, factor * inverse * sums.g};
}

struct Wave {
  double cosine, sine;
};
// Of pi x^2 / 2, whose whole periods are left out exactly: the square in two parts.
Wave WaveOf(double x) {
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  const double phase = kPi / 2 * (std::fmod(square, 4) + rest);
  return {std::cos(phase), std::sin(phase)};
}

constexpr double kSmall = 1;
constexpr double kLarge = 0x1p60;  // beyond it f and g do not count

}  // namespace

double FresnelCosine(double x) {
  const double size = std::fabs(x);
  if (size <= kSmall) return std::copysign(NearZero(Series::kCosine, size), x);
  if (size > kLarge) return std::copysign(0.5, x);
  const Swing swing = SwingOf(size);
  const Wave wave = WaveOf(size);
  return std::copysign(0.5 + (swing.f * wave.sine - swing.g * wave.cosine), x);
}

double FresnelSine(double x) {
  const double size = std::fabs(x);
  if (size <= kSmall) return std::copysign(NearZero(Series::kSine, size), x);
  if (size > kLarge) return std::copysign(0.5, x);
  const Swing swing = SwingOf(size);
  const Wave wave = WaveOf(size);
  return std::copysign(0.5 - (swing.f * wave.cosine + swing.g * wave.sine), x);
}

}  // namespace tagflow::optimized
