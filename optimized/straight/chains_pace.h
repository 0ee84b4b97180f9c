#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_PACE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_PACE_H_

// When kernels are made for the chains of calls (device_chain.h) in what a device runs by itself:
// once it has run without them for some times as long as making them takes. It is recorded anew
// then.
//
// Tested by chains_pace_test.cc.

#include <chrono>
#include <cstdint>

#include "optimized/native/compile_costs.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

class ChainsPace {
 public:
  // Of the instructions [begin, end).
  ChainsPace(const Code& code, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      const Instruction& at = code.instructions[i];
      if (at.op != OpCode::kTryFused || code.fused[at.n].on_device == nullptr) continue;
      left_ns_ += kPaysAfter * kMakeKernelNs;
    }
    makes_kernels_ = left_ns_ == 0;
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
  bool IsDue() const { return !makes_kernels_ && left_ns_ <= 0; }
  // Whether a recording makes kernels, from the next one on where it is due.
  bool makes_kernels() const { return makes_kernels_ || IsDue(); }
  void Recorded() { makes_kernels_ = makes_kernels(); }

 private:
  double left_ns_ = 0;  // until it pays
  bool makes_kernels_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_PACE_H_
