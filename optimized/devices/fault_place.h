#ifndef TAGFLOW_OPTIMIZED_DEVICES_FAULT_PLACE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_FAULT_PLACE_H_

// Where kernels that run on a device note that they fail, for the host to read later: one word for
// all kernels of a step on one device ([device.1]). The device and the host compile this.
//
// Tested by step_faults_test.cc.

#include <cstdint>

#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// The word is the least of what was noted: of the kernel with the least number, the least index.
struct FaultPlace {
  static constexpr uint64_t kNone = ~uint64_t{0};  // the word where nothing failed
  static constexpr int kIndexBits = 40;
  static constexpr uint64_t kIndexMax = (uint64_t{1} << kIndexBits) - 1;

  TAGFLOW_ANYWHERE void Note(int64_t index) const {
    const auto unsigned_index = static_cast<uint64_t>(index);
    const uint64_t noted =
        number << kIndexBits | (unsigned_index < kIndexMax ? unsigned_index : kIndexMax);
#if defined(__CUDA_ARCH__)
    atomicMin(reinterpret_cast<unsigned long long*>(word), noted);
#else
    if (noted < *word) *word = noted;  // there, a kernel is a loop
#endif
  }

  // Whether this kernel or another one of the step has failed so far.
  TAGFLOW_ANYWHERE bool IsAnyNoted() const { return *word != kNone; }

  uint64_t* word = nullptr;  // on the device
  uint64_t number = 0;       // of the kernel
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_FAULT_PLACE_H_
