#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_COUNTERS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_COUNTERS_H_

// Registers of a loop that count up and are never negative:
//
//   head:
//     t = Less(i, n)          i < n, so i + 1 does not overflow
//     unless t -> out
//     …                       here i >= 0 if it was so when the loop began
//     j = Add(i, 1)
//     i = j
//     repeat -> head
//
// LLVM divides such a number in one multiplication and needs no look at a sign.
//
// Tested by loop_source_test.cc and native_loops_test.cc.

#include <cstdint>
#include <vector>

#include "graph/tensor.h"
#include "optimized/native/loop_to_compile.h"
#include "optimized/native/loop_types.h"

namespace tagflow::optimized {

struct LoopCounter {
  uint32_t slot;
  uint32_t body;  // the instruction behind the test, before which the slot is not negative
  // Slots that must hold no negative number when machine code is entered, where they hold one at
  // all. They include `slot`.
  std::vector<uint32_t> expected;
};

// The counters of the loop and of the loops in it.
//   slots: what they hold now: what is negative now is expected to be so again
std::vector<LoopCounter> FindCounters(const LoopToCompile& loop, const LoopTypes& types,
                                      const std::vector<Tensor>& slots);

// Whether a slot holds a negative integer.
bool IsNegative(const Tensor& value);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_COUNTERS_H_
