#include "optimized/kernels/counted_unigrams.h"

#include <algorithm>
#include <bit>

namespace tagflow::optimized {

CountedUnigrams::CountedUnigrams(int64_t range)
    : range_(range), total_(range), tree_(static_cast<size_t>((range + kBlock - 1) / kBlock)) {}

int64_t CountedUnigrams::Draw(StreamWords& words) const {
  return ClassAt(words.Below(static_cast<uint32_t>(total_)));
}

float CountedUnigrams::ProbabilityOf(int64_t value) const {
  return static_cast<float>(1 + CountOf(value)) / static_cast<float>(total_);
}

void CountedUnigrams::Count(std::span<const int64_t> values) {
  for (const int64_t value : values) {
    if (total_ == kWeightMax) return;
    ++total_;
    ++counts_[value / kBlock][static_cast<size_t>(value % kBlock)];
    for (auto node = static_cast<size_t>(value / kBlock) + 1; node <= tree_.size();
         node += node & -node) {
      ++tree_[node - 1];
    }
  }
}

int32_t CountedUnigrams::CountOf(int64_t value) const {
  const auto found = counts_.find(value / kBlock);
  return found == counts_.end() ? 0 : found->second[static_cast<size_t>(value % kBlock)];
}

int64_t CountedUnigrams::ClassAt(int64_t position) const {
  size_t block = 0;  // all blocks before it lie before the position
  for (size_t step = std::bit_floor(tree_.size()); step > 0; step /= 2) {
    if (block + step >= tree_.size()) continue;  // the last block is the last that can be
    const int64_t weight = static_cast<int64_t>(step) * kBlock + tree_[block + step - 1];
    if (position < weight) continue;
    position -= weight;
    block += step;
  }
  const int64_t first = static_cast<int64_t>(block) * kBlock;
  const auto found = counts_.find(static_cast<int64_t>(block));
  if (found == counts_.end()) return first + position;
  const auto holder = std::ranges::find_if(found->second, [&](int32_t count) {
    position -= 1 + count;
    return position < 0;
  });
  return first + (holder - found->second.begin());
}

}  // namespace tagflow::optimized
