#ifndef TAGFLOW_OPTIMIZED_KERNELS_KEPT_FILTER_H_
#define TAGFLOW_OPTIMIZED_KERNELS_KEPT_FILTER_H_

// The panels of a filter that is a constant of the graph: copied once, at a node's second firing,
// and not in each. Where there are few rows, that copy takes as long as the products.
//
// What is kept of all filters is at most a share of the machine's memory (limits.h).
//
// Thread safety: as any bound kernel's.
// Tested by kept_filter_test.cc.

#include <memory>
#include <mutex>
#include <vector>

#include "graph/tensor.h"
#include "optimized/kernels/convolution_sums.h"

namespace tagflow::optimized {

// Of one node.
class KeptFilter {
 public:
  // What is kept of a filter for a group's grid; null where nothing is.
  //   copy: makes it. What cannot be made, for want of memory, is not kept
  template <typename Copy>
  CopiedPanelsPtr For(const Tensor& filter, const TapGrid& grid, size_t group, Copy copy) {
    std::lock_guard lock(mutex_);
    if (!IsOf(filter, grid, group)) return nullptr;
    if (groups_.size() <= group) groups_.resize(group + 1);
    if (groups_[group] == nullptr) groups_[group] = Bounded(copy());
    return groups_[group];
  }

 private:
  // Whether `filter` is the one that is kept, looked at by the same taps; it becomes that at the
  // second firing.
  bool IsOf(const Tensor& filter, const TapGrid& grid, size_t group);
  // The panels, which count for the share of memory; null beyond it.
  static CopiedPanelsPtr Bounded(const Result<CopiedPanels>& panels);

  std::mutex mutex_;
  int64_t firings_ = 0;
  Tensor filter_;  // whose memory is not another's as long as it is held
  std::vector<int64_t> taps_;
  std::vector<CopiedPanelsPtr> groups_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_KEPT_FILTER_H_
