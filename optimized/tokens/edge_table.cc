#include "optimized/tokens/edge_table.h"

#include <algorithm>

namespace tagflow::optimized::tokens {

void EdgeTable::SortByProducer() {
  std::vector<uint32_t> next(first_.size());
  for (const Loose& loose : loose_) ++next[loose.producer + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<Loose> sorted(loose_.size());
  for (const Loose& loose : loose_) sorted[next[loose.producer]++] = loose;
  loose_ = std::move(sorted);
}

void EdgeTable::SortByPort(size_t first) {
  const auto begin = loose_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = std::find_if(
      begin, loose_.end(), [&](const Loose& loose) { return loose.producer != begin->producer; });
  std::stable_sort(begin, end, [](const Loose& a, const Loose& b) { return a.port < b.port; });
}

uint32_t EdgeTable::PortEnd(uint32_t producer, uint32_t port) const {
  const auto first = ports_.begin() + begin(producer);
  const auto last = ports_.begin() + end(producer);
  return static_cast<uint32_t>(std::upper_bound(first, last, port) - first);
}

}  // namespace tagflow::optimized::tokens
