#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_TRIPS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_TRIPS_H_

// How many iterations a loop has left, where that can be told at its head:
//
//   head:                               counts down: Greater(i, n), Sub(i, 1)
//     t = Less(i, n)
//     unless t -> out
//     …
//     j = Add(i, 1)
//     i = j
//     repeat -> head
//
// Tested by native_loops_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/tensor.h"
#include "optimized/kernels/part.h"
#include "optimized/native/loop_to_compile.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

class LoopTrips {
 public:
  // Nothing where the loop is none of those.
  //   parts: of the calls, by instruction; null: none
  static std::optional<LoopTrips> Of(const Code& code, const LoopBounds& bounds,
                                     const std::vector<const KernelPart*>& parts);

  // 0 where the slots hold no numbers.
  int64_t Left(const std::vector<Tensor>& slots) const;

 private:
  uint32_t counter_ = 0;
  uint32_t bound_ = 0;
  bool counts_down_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_TRIPS_H_
