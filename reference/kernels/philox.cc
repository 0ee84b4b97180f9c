#include "reference/kernels/philox.h"

namespace tagflow::reference {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// One round: two products, whose halves change places and meet the key.
Philox::Block Round(const Philox::Block& block, const Philox::Key& key) {
  const uint64_t a = uint64_t{0xD2511F53} * block[0];
  const uint64_t b = uint64_t{0xCD9E8D57} * block[2];
  return {High(b) ^ block[1] ^ key[0], Low(b), High(a) ^ block[3] ^ key[1], Low(a)};
}

}  // namespace

Philox::Philox(uint64_t seed, uint64_t seed2)
    : counter_{0, 0, Low(seed2), High(seed2)}, key_{Low(seed), High(seed)} {}

Philox::Block Philox::Next() {
  Block block = counter_;
  Key key = key_;
  for (int round = 0; round < 10; ++round) {
    block = Round(block, key);
    key[0] += 0x9E3779B9;  // the golden ratio
    key[1] += 0xBB67AE85;  // the root of 3, less 1
  }
  Skip(1);
  return block;
}

void Philox::Skip(uint64_t blocks) {
  uint64_t low = counter_[0] | uint64_t{counter_[1]} << 32;
  uint64_t high = counter_[2] | uint64_t{counter_[3]} << 32;
  low += blocks;
  if (low < blocks) ++high;
  counter_ = {Low(low), High(low), Low(high), High(high)};
}

uint32_t PhiloxWords::Next32() {
  if (next_ == block_.size()) {
    block_ = philox_.Next();
    next_ = 0;
  }
  return block_[next_++];
}

uint64_t PhiloxWords::Next64() {
  const uint64_t low = Next32();
  return low | uint64_t{Next32()} << 32;
}

}  // namespace tagflow::reference
