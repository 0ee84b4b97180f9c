#ifndef TAGFLOW_OPTIMIZED_KERNELS_COUNTED_UNIGRAMS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_COUNTED_UNIGRAMS_H_

// Classes drawn by how often they have come: each of [0, range) weighs 1, and 1 more for each time
// that it was counted.
//
// Only what was counted takes memory: a block of classes has its counts from when the first of them
// comes, and a Fenwick tree over blocks (Fenwick, "A new data structure for cumulative frequency
// tables", 1994) says how many counts lie before each. A draw goes down the tree and along one
// block.
//
// Not for two threads at once.
// Tested by unigrams_test.cc.

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/variant.h"
#include "optimized/kernels/stream_words.h"

namespace tagflow::optimized {

class CountedUnigrams : public Resource {
 public:
  static constexpr int64_t kWeightMax = INT32_MAX;  // of all classes together

  // REQUIRES: 0 < range < kWeightMax
  explicit CountedUnigrams(int64_t range);

  int64_t range() const { return range_; }
  int64_t Draw(StreamWords& words) const;
  float ProbabilityOf(int64_t value) const;
  // Counts each of these once more, as long as the weight is not the largest.
  void Count(std::span<const int64_t> values);

 private:
  static constexpr int64_t kBlock = 1024;
  using Counts = std::array<int32_t, kBlock>;

  int32_t CountOf(int64_t value) const;
  // The class in which `position` lies, where the weights of all lie one behind the other.
  int64_t ClassAt(int64_t position) const;

  int64_t range_;
  int64_t total_;  // the weight of all classes
  // Element i - 1 is how often the classes of the blocks that node i stands for were counted: as
  // many as i's lowest bit says, up to block i - 1.
  std::vector<int32_t> tree_;
  std::unordered_map<int64_t, Counts> counts_;  // by block
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_COUNTED_UNIGRAMS_H_
