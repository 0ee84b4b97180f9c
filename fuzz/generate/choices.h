#ifndef TAGFLOW_FUZZ_GENERATE_CHOICES_H_
#define TAGFLOW_FUZZ_GENERATE_CHOICES_H_

// A choice sequence: where every generator gets its decisions from. It is drawn from a seed, from
// a fuzzer's bytes, or replayed from numbers, and records what was drawn; so one generator serves
// the command line, libFuzzer and RapidCheck, and a smaller sequence makes a smaller sample. Past
// its end a replayed sequence gives 0, which generators take to mean the simplest.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/generate/odds.h"
#include "fuzz/generate/sizes.h"

namespace tagflow::fuzz {

class Choices {
 public:
  static Choices FromSeed(uint64_t seed);
  static Choices FromBytes(std::string_view bytes);           // few bytes per choice: libFuzzer's
  static Choices FromNumbers(std::vector<uint32_t> numbers);  // each taken modulo its range

  // 0 … n-1, where n is how many there are of something. REQUIRES: 1 <= n < 2^32. A range of one
  // value draws nothing.
  uint32_t Below(size_t n);
  int Between(int least, int most) {
    return least + static_cast<int>(Below(static_cast<size_t>(most - least + 1)));
  }
  int Between(SizeRange range) { return Between(range.least, range.most); }
  // A size near the limit, or near twice the limit, where there is a second block or the half of
  // what is cut in two: at it, one above, one below. The limit itself is the simplest.
  int64_t AroundLimit(int64_t limit);
  // What another generator starts from.
  uint64_t Seed() { return Below(size_t{1} << 30); }
  // True as often as the odds say; false is the simplest.
  bool Chance(Odds odds) { return Below(100) >= 100 - static_cast<uint32_t>(odds); }
  // An index, with chances in proportion to the odds; the first above kNever is the simplest.
  size_t Weighted(std::span<const Odds> odds);
  // A row of a table, by the rows' `weight`.
  template <typename Rows>
  const auto& ByWeight(const Rows& rows) {
    std::vector<Odds> weights;
    for (const auto& row : rows) weights.push_back(row.weight);
    return rows[Weighted(weights)];
  }
  // 0 … n-1 in any order; as they are is the simplest.
  std::vector<int64_t> Permutation(int64_t n);
  template <typename T>
  const T& Of(const std::vector<T>& values) {
    return values[Below(values.size())];
  }
  template <typename T, size_t kSize>
  const T& Of(const T (&values)[kSize]) {
    return values[Below(kSize)];
  }

  const std::vector<uint32_t>& drawn() const { return drawn_; }

 private:
  uint32_t Raw(uint32_t n);

  enum class Source : uint8_t { kSeed, kBytes, kNumbers };
  Source source_ = Source::kNumbers;
  uint64_t state_ = 0;  // of kSeed
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> numbers_;
  size_t next_ = 0;  // of kBytes, kNumbers
  std::vector<uint32_t> drawn_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_CHOICES_H_
