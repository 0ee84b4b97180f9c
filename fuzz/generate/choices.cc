#include "fuzz/generate/choices.h"

#include <numeric>
#include <utility>

namespace tagflow::fuzz {
namespace {

// A step of the SplitMix64 sequence: every seed, 0 included, starts well mixed.
uint64_t Mixed(uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Choices Choices::FromSeed(uint64_t seed) {
  Choices choices;
  choices.source_ = Source::kSeed;
  choices.state_ = seed;
  choices.drawn_.reserve(512);
  return choices;
}

Choices Choices::FromBytes(std::string_view bytes) {
  Choices choices;
  choices.source_ = Source::kBytes;
  choices.bytes_.assign(bytes.begin(), bytes.end());
  return choices;
}

Choices Choices::FromNumbers(std::vector<uint32_t> numbers) {
  Choices choices;
  choices.numbers_ = std::move(numbers);
  return choices;
}

uint32_t Choices::Below(size_t n) {
  if (n <= 1) return 0;
  const uint32_t choice = Raw(static_cast<uint32_t>(n));
  drawn_.push_back(choice);
  return choice;
}

uint32_t Choices::Raw(uint32_t n) {
  switch (source_) {
    case Source::kSeed:
      // The upper half of a 32 by 32 bit product: no division, and a bias below n / 2^32.
      return static_cast<uint32_t>(((Mixed(state_) >> 32) * n) >> 32);
    case Source::kBytes: {
      uint32_t number = 0;
      for (uint32_t rest = n - 1; rest > 0; rest >>= 8) {
        number = number << 8 | (next_ < bytes_.size() ? bytes_[next_++] : 0u);
      }
      return number % n;
    }
    case Source::kNumbers:
      return next_ < numbers_.size() ? numbers_[next_++] % n : 0;
  }
  return 0;
}

int64_t Choices::AroundLimit(int64_t limit) {
  constexpr int64_t kOffsets[] = {0, 1, -1};
  const int64_t times = Chance(kSometimes) ? 2 : 1;
  return times * limit + Of(kOffsets);
}

std::vector<int64_t> Choices::Permutation(int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + Below(order.size() - i)]);
  }
  return order;
}

size_t Choices::Weighted(std::span<const Odds> odds) {
  size_t total = 0;
  for (const Odds one : odds) total += static_cast<size_t>(one);
  if (total == 0) return 0;
  size_t rest = Below(total);
  for (size_t i = 0; i < odds.size(); ++i) {
    const auto share = static_cast<size_t>(odds[i]);
    if (rest < share) return i;
    rest -= share;
  }
  return 0;
}

}  // namespace tagflow::fuzz
