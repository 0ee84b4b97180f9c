#ifndef TAGFLOW_OPTIMIZED_NATIVE_NATIVE_PLACE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_NATIVE_PLACE_H_

// Where a step is when it comes to a loop that may be machine code.

#include <cstdint>
#include <vector>

#include "graph/tensor.h"
#include "optimized/native/native_library.h"

namespace tagflow::optimized {

struct NativePlace {
  std::vector<Tensor>& slots;
  int64_t* iterations;  // by depth of frames
  int64_t& fuel;        // firings left
  const void* stop;     // StopFlag::word()
  bool counts_firings;  // whether the step has a limit of firings
  // Its `run` gets a kCall, kTryFused, kMove, kRead, kRequire, kScalar or kDrop. Firings are
  // counted by machine code; an error is kept.
  NativeHost host;
  // By loop: of a piece, the code that has run it to its end in this step; null: none has.
  std::vector<const void*>& done;
  // Whether a piece has been compiled for the step: with one in a step, none is held up for long.
  bool& has_compiled_piece;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_NATIVE_PLACE_H_
