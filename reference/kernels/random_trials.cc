// Sources:
//   gamma     Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000
//   Poisson   below 10 events Knuth, "The art of computer programming", 3.4.1; else PTRS of
//             Hoermann, "The transformed rejection method for generating Poisson random variables",
//             Insurance: Mathematics and Economics 12, 1993
//   binomial  Devroye, "Non-uniform random variate generation", X.4 (second waiting time method);
//             and BTRS of Hoermann, "The generation of binomial random variates", J. Stat. Comput.
//             Simul. 46, 1993
// PTRS and BTRS draw a point (u, v) and accept the number that u falls on if v lies below the
// distribution's density there, as the transformation stretches it; for most points that is seen
// without computing the density. Letters and constants are the papers'.

#include "reference/kernels/random_trials.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "reference/kernels/random_numbers.h"

namespace tagflow::reference {
namespace {

constexpr int kTrialsMax = 256;

Status NoneAccepted(const char* distribution) {
  return InvalidArgument("no " + std::string(distribution) + " number was accepted after " +
                         std::to_string(kTrialsMax) +
                         " trials: a parameter is NaN, or too large for the dtype");
}

using Pair = std::pair<double, double>;

Pair UniformPair(PhiloxWords& words) {
  const double first = Uniform<double>(words);
  return {first, Uniform<double>(words)};
}

// The numbers of pairs, the second of each first.
class SecondFirst {
 public:
  SecondFirst(PhiloxWords& words, Pair (*draw)(PhiloxWords&)) : words_(words), draw_(draw) {}
  double Next() {
    has_first_ = !has_first_;
    if (!has_first_) return pair_.first;
    pair_ = draw_(words_);
    return pair_.second;
  }

 private:
  PhiloxWords& words_;
  Pair (*const draw_)(PhiloxWords&);
  Pair pair_ = {};
  bool has_first_ = false;
};

// log(k!) less Stirling's (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
double StirlingTail(double k) {
  constexpr std::array<double, 10> kTails = {
      0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
      0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
      0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kTails[static_cast<size_t>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

}  // namespace

Result<double> GammaNumber(double alpha, Philox stream) {
  PhiloxWords words(stream);
  if (alpha == 1) return -std::log1p(-UniformPair(words).second);  // exponential
  SecondFirst normal(words, NormalPair<double>);
  SecondFirst uniform(words, UniformPair);
  // A number for alpha below 1 is one for alpha + 1, times u^(1 / alpha).
  const double d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  for (int trial = 0; trial < kTrialsMax; ++trial) {
    const double x = normal.Next();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = uniform.Next();
    const bool accepted =
        u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v));
    if (!accepted) continue;
    return alpha < 1 ? d * v * std::pow(uniform.Next(), 1 / alpha) : d * v;
  }
  return NoneAccepted("gamma");
}

namespace {

// How many uniform numbers can be multiplied before their product is e^-rate or less.
double PoissonByProduct(double rate, SecondFirst& uniform) {
  const double limit = std::exp(-rate);
  double count = 0;
  for (double product = uniform.Next(); product > limit; product *= uniform.Next()) ++count;
  return count;
}

}  // namespace

Result<double> PoissonNumber(double rate, double largest, Philox stream) {
  PhiloxWords words(stream);
  SecondFirst uniform(words, UniformPair);
  if (rate < 10) return PoissonByProduct(rate, uniform);
  if (std::isinf(rate)) return rate;
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int trial = 0; trial < kTrialsMax; ++trial) {
    const double u = uniform.Next() - 0.5;
    const double v = uniform.Next();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (k > largest) continue;
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double density = -rate + k * std::log(rate) - std::lgamma(k + 1);
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= density) return k;
  }
  return NoneAccepted("Poisson");
}

Result<double> BinomialNumberOfFew(double count, double probability, Philox stream) {
  PhiloxWords words(stream);
  SecondFirst uniform(words, UniformPair);
  double events = 0;
  for (int happened = 0; happened < kTrialsMax; ++happened) {
    events += std::ceil(std::log(uniform.Next()) / std::log1p(-probability));
    if (events > count) return happened;
  }
  return NoneAccepted("binomial");
}

Result<double> BinomialNumberOfMany(double count, double probability, Philox stream) {
  PhiloxWords words(stream);
  SecondFirst uniform(words, UniformPair);
  const double deviation = std::sqrt(count * probability * (1 - probability));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * probability;
  const double c = count * probability + 0.5;
  const double r = probability / (1 - probability);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((count + 1) * probability);
  // Of the density at k, as a share of that at the mode m.
  const auto log_density = [&](double k) {
    return (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
           (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
           (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + StirlingTail(m) +
           StirlingTail(count - m) - StirlingTail(k) - StirlingTail(count - k);
  };
  for (int trial = 0; trial < kTrialsMax; ++trial) {
    const double u = uniform.Next() - 0.5;
    const double v = uniform.Next();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    if (k < 0 || k > count) continue;
    if (std::log(v * alpha / (a / (us * us) + b)) <= log_density(k)) return k;
  }
  return NoneAccepted("binomial");
}

}  // namespace tagflow::reference
