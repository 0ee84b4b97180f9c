#ifndef TAGFLOW_OPTIMIZED_FORMULAS_PHILOX_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_PHILOX_H_

// Philox 4x32-10, a generator of random numbers without state: block n of a stream is a function of
// the stream's key and of n, so that any part of it can be made at once, in any order.
//
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Which
// seeds make which key and counter is TensorFlow's choice.
// Tested by optimized/kernels/random_source_test.cc.

#include <cstdint>

#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

struct PhiloxBlock {
  uint32_t words[4];

  // Two of the words, 0 or 1 the first pair, as a number whose low half is the first word.
  TAGFLOW_ANYWHERE uint64_t LowFirst(int pair) const {
    return words[2 * pair] | uint64_t{words[2 * pair + 1]} << 32;
  }
  // The same whose high half is the first word.
  TAGFLOW_ANYWHERE uint64_t HighFirst(int pair) const {
    return uint64_t{words[2 * pair]} << 32 | words[2 * pair + 1];
  }
};

class Philox {
 public:
  // A counter of 128 bits begins with these halves.
  TAGFLOW_ANYWHERE Philox(uint64_t key, uint64_t low, uint64_t high)
      : key_(key), low_(low), high_(high) {}

  TAGFLOW_ANYWHERE PhiloxBlock Block(uint64_t n) const {
    const uint64_t low = low_ + n;
    const uint64_t high = high_ + (low < n ? 1 : 0);
    uint32_t a = Low(low), b = High(low), c = Low(high), d = High(high);
    uint32_t key_a = Low(key_), key_b = High(key_);
    for (int round = 0; round < 10; ++round) {
      const uint64_t x = uint64_t{0xD2511F53} * a;
      const uint64_t y = uint64_t{0xCD9E8D57} * c;
      a = High(y) ^ b ^ key_a;
      b = Low(y);
      c = High(x) ^ d ^ key_b;
      d = Low(x);
      key_a += 0x9E3779B9;  // the golden ratio
      key_b += 0xBB67AE85;  // the root of 3, less 1
    }
    return {{a, b, c, d}};
  }
  // The stream from block n on.
  TAGFLOW_ANYWHERE Philox From(uint64_t n) const {
    const uint64_t low = low_ + n;
    return Philox(key_, low, high_ + (low < n ? 1 : 0));
  }

 private:
  TAGFLOW_ANYWHERE static uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  TAGFLOW_ANYWHERE static uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  uint64_t key_;
  uint64_t low_;
  uint64_t high_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_PHILOX_H_
