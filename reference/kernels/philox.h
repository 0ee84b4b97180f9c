#ifndef TAGFLOW_REFERENCE_KERNELS_PHILOX_H_
#define TAGFLOW_REFERENCE_KERNELS_PHILOX_H_

// Philox 4x32-10, a generator of random numbers that counts and mixes: block n of a stream is a
// function of n and the key alone, so a stream can be entered anywhere.
//
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Which
// seeds give which key and counter is TensorFlow's choice: the same seeds, the same numbers.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tagflow::reference {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;
  using Key = std::array<uint32_t, 2>;

  Philox(Block counter, Key key) : counter_(counter), key_(key) {}
  // The stream of a pair of seeds: the first is the key, the second the high half of the counter.
  Philox(uint64_t seed, uint64_t seed2);

  // The block at the counter, which then goes on by one.
  Block Next();
  // As so many calls of Next().
  void Skip(uint64_t blocks);

 private:
  Block counter_;  // an integer of 128 bits, low word first
  Key key_;
};

// The words of a stream's blocks, one after the other.
class PhiloxWords {
 public:
  explicit PhiloxWords(Philox philox) : philox_(philox) {}
  uint32_t Next32();
  uint64_t Next64();  // the low word comes first

 private:
  Philox philox_;
  Philox::Block block_ = {};
  size_t next_ = 4;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_PHILOX_H_
