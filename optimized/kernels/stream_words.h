#ifndef TAGFLOW_OPTIMIZED_KERNELS_STREAM_WORDS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_STREAM_WORDS_H_

// The words of a stream, one after the other, and what is made of one or some of them.

#include <bit>
#include <concepts>
#include <cstdint>

#include "optimized/formulas/philox.h"

namespace tagflow::optimized {

class StreamWords {
 public:
  explicit StreamWords(const Philox& stream) : stream_(stream) {}

  uint32_t Next32() {
    if (next_ == 4) {
      block_ = stream_.Block(blocks_++);
      next_ = 0;
    }
    return block_.words[next_++];
  }
  // Two words, the first of them the low one.
  uint64_t Next64() {
    const uint64_t low = Next32();
    return low | uint64_t{Next32()} << 32;
  }
  // Of [0, 1), by the low 23 bits of a word.
  float NextFraction() { return static_cast<float>(Next32() & 0x7fffff) * 0x1p-23F; }

  // Each of [0, range) alike: a word modulo the range, but for the lowest words, of which there are
  // some too many. REQUIRES: range > 0
  template <std::unsigned_integral T>
  T Below(T range) {
    const T skipped = std::has_single_bit(range) ? 0 : static_cast<T>(~T{0} % range + 1);
    T word = Next<T>();
    while (word < skipped) word = Next<T>();
    return word % range;
  }

 private:
  template <typename T>
  T Next() {
    if constexpr (sizeof(T) == 8) {
      return Next64();
    } else {
      return Next32();
    }
  }

  Philox stream_;
  PhiloxBlock block_{};
  uint64_t blocks_ = 0;
  int next_ = 4;  // word of the block; 4: of the next block
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_STREAM_WORDS_H_
