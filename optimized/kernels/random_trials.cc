// PTRS and BTRS draw a point (u, v); the number that u falls on is accepted if v lies below the
// density there, as the transformation stretches it. For most points that is clear before the
// density is computed. Letters and constants are the papers'.
#include "optimized/kernels/random_trials.h"

#include <cmath>
#include <string>
#include <utility>

#include "optimized/formulas/random_numbers.h"

namespace tagflow::optimized {
namespace {

constexpr int kTrialsMax = 256;

Status NoneAccepted(const char* distribution) {
  return InvalidArgument("no " + std::string(distribution) + " number was accepted after " +
                         std::to_string(kTrialsMax) +
                         " trials: a parameter is NaN, or too large for the dtype");
}

// Uniform and normal numbers of a stream. Either are made two of a block, of which the second is
// used first; a block is used for one kind.
class Numbers {
 public:
  explicit Numbers(const Philox& stream) : stream_(stream) {}

  double Uniform() {
    return uniform_.Next([this] { return NextPair(); });
  }
  double Normal() {
    return normal_.Next([this] {
      const auto [u, v] = NextPair();
      return NormalPair(u, v);
    });
  }

 private:
  using Pair = std::pair<double, double>;
  struct Held {
    Pair pair = {};
    bool has_first = false;

    template <typename F>
    double Next(F make) {
      has_first = !has_first;
      if (!has_first) return pair.first;
      pair = make();
      return pair.second;
    }
  };

  Pair NextPair() {
    const PhiloxBlock block = stream_.Block(blocks_++);
    return {UniformDouble(block.HighFirst(0)), UniformDouble(block.HighFirst(1))};
  }

  const Philox& stream_;
  uint64_t blocks_ = 0;
  Held uniform_;
  Held normal_;
};

}  // namespace

Result<double> GammaNumber(double alpha, const Philox& stream) {
  Numbers numbers(stream);
  if (alpha == 1) return -std::log1p(-numbers.Uniform());  // exponential
  // A number for alpha below 1 is one for alpha + 1, times u^(1 / alpha).
  const bool is_small = alpha < 1;
  const double d = alpha + (is_small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  for (int trial = 0; trial < kTrialsMax; ++trial) {
    const double x = numbers.Normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = numbers.Uniform();
    const double x2 = x * x;
    const bool is_accepted =
        u < 1 - 0.0331 * x2 * x2 || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v));
    if (!is_accepted) continue;
    return is_small ? d * v * std::pow(numbers.Uniform(), 1 / alpha) : d * v;
  }
  return NoneAccepted("gamma");
}

namespace {

// How many uniform numbers can be multiplied before their product is e^-rate or less.
double PoissonByProduct(double rate, Numbers& numbers) {
  const double limit = std::exp(-rate);
  double count = 0;
  double product = numbers.Uniform();
  while (product > limit) {
    product *= numbers.Uniform();
    ++count;
  }
  return count;
}

}  // namespace

Result<double> PoissonNumber(double rate, double largest, const Philox& stream) {
  Numbers numbers(stream);
  if (rate < 10) return PoissonByProduct(rate, numbers);
  if (std::isinf(rate)) return rate;
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int trial = 0; trial < kTrialsMax; ++trial) {
    const double u = numbers.Uniform() - 0.5;
    const double v = numbers.Uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (k > largest) continue;
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double log_height = std::log(v * inverse_alpha / (a / (us * us) + b));
    if (log_height <= -rate + k * std::log(rate) - std::lgamma(k + 1)) return k;
  }
  return NoneAccepted("Poisson");
}

Result<double> BinomialNumberByGaps(double count, double probability, const Philox& stream) {
  Numbers numbers(stream);
  double position = 0;
  for (int happened = 0; happened < kTrialsMax; ++happened) {
    position += std::ceil(std::log(numbers.Uniform()) / std::log1p(-probability));
    if (position > count) return happened;
  }
  return NoneAccepted("binomial");
}

namespace {

// log(k!) less Stirling's (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
double StirlingTail(double k) {
  constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                               0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                               0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                               0.00833056343336287};
  if (k <= 9) return kTails[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// The logarithm of the binomial density at k, as a share of that at the mode.
class BinomialDensity {
 public:
  BinomialDensity(double count, double probability)
      : n_(count), r_(probability / (1 - probability)), m_(std::floor((n_ + 1) * probability)) {}

  double LogAt(double k) const {
    return (m_ + 0.5) * std::log((m_ + 1) / (r_ * (n_ - m_ + 1))) +
           (n_ + 1) * std::log((n_ - m_ + 1) / (n_ - k + 1)) +
           (k + 0.5) * std::log(r_ * (n_ - k + 1) / (k + 1)) + StirlingTail(m_) +
           StirlingTail(n_ - m_) - StirlingTail(k) - StirlingTail(n_ - k);
  }

 private:
  const double n_;
  const double r_;
  const double m_;  // the mode
};

}  // namespace

Result<double> BinomialNumberByShape(double count, double probability, const Philox& stream) {
  Numbers numbers(stream);
  const BinomialDensity density(count, probability);
  const double deviation = std::sqrt(count * probability * (1 - probability));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * probability;
  const double c = count * probability + 0.5;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  for (int trial = 0; trial < kTrialsMax; ++trial) {
    const double u = numbers.Uniform() - 0.5;
    const double v = numbers.Uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    if (k < 0 || k > count) continue;
    if (std::log(v * alpha / (a / (us * us) + b)) <= density.LogAt(k)) return k;
  }
  return NoneAccepted("binomial");
}

}  // namespace tagflow::optimized
