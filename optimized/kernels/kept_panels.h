#ifndef TAGFLOW_OPTIMIZED_KERNELS_KEPT_PANELS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_KEPT_PANELS_H_

// The second factor of a product in panels, side by side in memory, where it is a constant of the
// graph: copied once, at a node's second firing, and not in each. Where the first factor has few
// rows, that copy takes longer than the products.
//
// What is kept of all factors is at most a share of the machine's memory (limits.h).
//
// Thread safety: as any bound kernel's.
// Tested by kept_panels_test.cc.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// All panels of a factor: block after block of its rows, and in each panel after panel.
struct CopiedPanels {
  Tensor elements;
  int64_t count = 0;  // of panels in a block
  bool are_finite = false;
};
using CopiedPanelsPtr = std::shared_ptr<const CopiedPanels>;

// Of one node.
class KeptPanels {
 public:
  // What is kept of a part of a factor; null where nothing is.
  //   key: what, beside the factor, says what its panels are
  //   copy: makes them, as a Result<CopiedPanels>. What cannot be made, for want of memory, is not
  //   kept
  template <typename Copy>
  CopiedPanelsPtr For(const Tensor& factor, const std::vector<int64_t>& key, size_t part,
                      Copy copy) {
    std::lock_guard lock(mutex_);
    if (!IsOf(factor, key, part)) return nullptr;
    if (parts_.size() <= part) parts_.resize(part + 1);
    if (parts_[part] == nullptr) parts_[part] = Bounded(copy());
    return parts_[part];
  }

 private:
  // Whether that factor and key are kept: those of the second firing.
  bool IsOf(const Tensor& factor, const std::vector<int64_t>& key, size_t part);
  // The panels, which count for the share of memory; null beyond it.
  static CopiedPanelsPtr Bounded(const Result<CopiedPanels>& panels);

  std::mutex mutex_;
  int64_t firings_ = 0;
  Tensor factor_;  // whose memory is not another's as long as it is held
  std::vector<int64_t> key_;
  std::vector<CopiedPanelsPtr> parts_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_KEPT_PANELS_H_
