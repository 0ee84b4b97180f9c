// Tested by candidate_distributions_test.cc and conformance/ops/random.ops.

#include "reference/kernels/candidate_distributions.h"

#include <bit>
#include <cmath>
#include <limits>

#include "reference/kernels/random_numbers.h"

namespace tagflow::reference {
namespace {

// A number below `range` from words of as many bits as T has. Of 2^64 words, or 2^32, those below
// 2^64 mod range are left out, since there is one too many of some remainders.
template <typename T>
int64_t Below(T range, PhiloxWords& words) {
  const auto next = [&] {
    return static_cast<T>(sizeof(T) == 8 ? words.Next64() : words.Next32());
  };
  const T last = std::numeric_limits<T>::max();
  const T skipped = std::has_single_bit(range) ? 0 : last % range + 1;
  T word = next();
  while (word < skipped) word = next();
  return static_cast<int64_t>(word % range);
}

}  // namespace

int64_t UniformClasses::Draw(PhiloxWords& words) const { return Below(range_, words); }
float UniformClasses::ProbabilityOf(int64_t) const {
  return static_cast<float>(1.0 / static_cast<double>(range_));
}

LogUniformClasses::LogUniformClasses(int64_t range)
    : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}

// Rounding may give as much as the range itself, which is class 0.
int64_t LogUniformClasses::Draw(PhiloxWords& words) const {
  const auto fraction = Uniform<double>(words);
  const double power = std::exp(fraction * log_range_);
  return power < 0x1p63 ? (static_cast<int64_t>(power) - 1) % range_ : 0;
}
float LogUniformClasses::ProbabilityOf(int64_t value) const {
  const auto k = static_cast<double>(value);
  return static_cast<float>(std::log((k + 2.0) / (k + 1.0)) / log_range_);
}

// A class that is too rare to fill its place gives the rest of that to one that is too frequent for
// its own; the last of either come first.
WeightedClasses::WeightedClasses(const std::vector<float>& weights)
    : weights_(weights), chance_(weights.size(), 1), other_(weights.size(), 0) {
  double sum = 0;
  for (const float weight : weights) {
    sum += weight;
    total_ += weight;
  }
  std::vector<double> share;  // of places: 1 is one place
  std::vector<size_t> frequent, rare;
  for (size_t k = 0; k < weights.size(); ++k) {
    share.push_back(weights[k] * static_cast<float>(weights.size()) / sum);
    (share[k] < 1 ? rare : frequent).push_back(k);
  }
  while (!frequent.empty() && !rare.empty()) {
    const size_t k = rare.back(), helper = frequent.back();
    rare.pop_back();
    chance_[k] = static_cast<float>(share[k]);
    other_[k] = static_cast<int64_t>(helper);
    share[helper] -= 1 - share[k];
    if (share[helper] >= 1) continue;
    frequent.pop_back();
    rare.push_back(helper);
  }
}

int64_t WeightedClasses::Draw(PhiloxWords& words) const {
  const auto number = Uniform<float>(words);
  const int64_t k = Below(static_cast<uint32_t>(weights_.size()), words);
  const auto place = static_cast<size_t>(k);
  return number < chance_[place] ? k : other_[place];
}

float WeightedClasses::ProbabilityOf(int64_t value) const {
  return weights_[static_cast<size_t>(value)] / total_;
}

std::set<int64_t> WeightedClasses::Drawable() const {
  constexpr float kLargest = 1 - 0x1p-23F;  // of the numbers of [0, 1) that are drawn
  std::set<int64_t> classes;
  for (size_t k = 0; k < weights_.size(); ++k) {
    if (chance_[k] > 0) classes.insert(static_cast<int64_t>(k));
    if (chance_[k] <= kLargest) classes.insert(other_[k]);
  }
  return classes;
}

CountedClasses::CountedClasses(int64_t range, const std::map<int64_t, int64_t>& counts)
    : counts_(counts), total_(range) {
  for (const auto& [value, count] : counts) total_ += count;
}

// The weights of all classes lie one behind the other, and a number falls into one of them: into
// that of a counted class, or behind some of those.
int64_t CountedClasses::Draw(PhiloxWords& words) const {
  const int64_t number = Below(static_cast<uint32_t>(total_), words);
  int64_t counted = 0;  // of the classes before
  for (const auto& [value, count] : counts_) {
    if (number < value + counted) break;
    if (number <= value + counted + count) return value;
    counted += count;
  }
  return number - counted;
}

float CountedClasses::ProbabilityOf(int64_t value) const {
  const auto found = counts_.find(value);
  const int64_t weight = 1 + (found == counts_.end() ? 0 : found->second);
  return static_cast<float>(weight) / static_cast<float>(total_);
}

}  // namespace tagflow::reference
