#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_PINS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_PINS_H_

// The blocks that one job on a device reads: brought into the memory before it begins, and kept
// there until it is done.
//
// Thread safety: none; SimStep guards it. Tested by sim_session_test.cc.

#include <cstddef>
#include <utility>
#include <vector>

#include "optimized/devices/sim/swapper.h"

namespace tagflow::optimized {

class Pins {
 public:
  // Both outlive it.
  Pins(SimMemory& memory, Swapper& swapper) : memory_(memory), swapper_(swapper) {}
  Pins(const Pins&) = delete;
  ~Pins() { Release(); }

  // The block of a tensor, if it is in this memory.
  void Add(const Tensor& tensor) {
    SimBlockPtr block = memory_.BlockOf(tensor);
    if (block == nullptr) return;
    bytes_ += block->bytes;
    missing_.push_back(std::move(block));
  }
  // Whether all are there. Those that are stay there while the rest is on its way.
  bool Bring() {
    std::erase_if(missing_, [this](const SimBlockPtr& block) {
      if (!swapper_.Bring(block)) return false;
      pinned_.push_back(block);
      return true;
    });
    return missing_.empty();
  }
  void Release() {
    for (const SimBlockPtr& block : pinned_) memory_.Unpin(*block);
    pinned_.clear();
  }

  size_t bytes() const { return bytes_; }  // of all that were added
  // Of one that is not there. REQUIRES: Bring() was false
  size_t bytes_missing() const { return missing_[0]->bytes; }

 private:
  SimMemory& memory_;
  Swapper& swapper_;
  size_t bytes_ = 0;
  std::vector<SimBlockPtr> missing_, pinned_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_PINS_H_
