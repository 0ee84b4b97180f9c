#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_PACE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_PACE_H_

// When kernels are made for the chains of calls (device_chain.h) in what a device runs by itself:
// once it has run without them for some times as long as making them takes. It is recorded anew
// then.
//
// Tested by chains_pace_test.cc.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "optimized/native/compile_costs.h"
#include "optimized/straight/code.h"
#include "optimized/straight/device_chain.h"

namespace tagflow::optimized {

class ChainsPace {
 public:
  // Of the instructions [begin, end) of the code, which outlives this.
  ChainsPace(const Code& code, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      const Instruction& at = code.instructions[i];
      if (at.op != OpCode::kTryFused || code.fused[at.n].on_device == nullptr) continue;
      chains_.push_back(code.fused[at.n].on_device.get());
    }
    left_ns_ = kPaysAfter * kMakeKernelNs * static_cast<double>(chains_.size());
    wants_kernels_ = chains_.empty() || std::ranges::all_of(chains_, &DeviceChain::is_made_early);
  }

  // Calls run(), which is what the device does, and waits for it.
  template <typename Run>
  auto Measured(const Run& run) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = run();
    left_ns_ -=
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }
  // Whether it is to be recorded anew, with kernels for its chains.
  bool IsDue() const { return !wants_kernels_ && left_ns_ <= 0; }
  // Whether a recording wants kernels: from the one on that was due.
  bool WantsKernels() {
    wants_kernels_ = wants_kernels_ || IsDue();
    return wants_kernels_;
  }
  bool wants_kernels() const { return wants_kernels_; }
  // Makes the kernels that a recording has wanted; whether there were any, for another recording.
  bool MakeWanted(DeviceStream& stream) const {
    bool has_made = false;
    for (DeviceChain* const chain : chains_) has_made = chain->MakeWanted(stream) || has_made;
    return has_made;
  }

 private:
  std::vector<DeviceChain*> chains_;
  double left_ns_ = 0;  // until it pays
  bool wants_kernels_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_PACE_H_
