#ifndef TAGFLOW_OPTIMIZED_NATIVE_OPTIONS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_OPTIONS_H_

// Which loops of straight code, and pieces of it outside of loops, become machine code
// (optimized/native/), and when; and over GPUs, which calls become one kernel
// (optimized/straight/device_chain.h), and when loops that the host counts are recorded
// (optimized/straight/device_loops.h).

#include <cstdint>

namespace tagflow::optimized {

enum class NativeChoice : uint8_t {
  kAuto,    // those that have run for so long that it pays; none where there is no native library
  kOff,     // none
  kAlways,  // all that can, after `after` of their iterations: for tests and measurements
};

struct NativeOptions {
  NativeChoice choice = NativeChoice::kAuto;
  int64_t after = 0;  // of kAlways: iterations of a loop, or runs of a piece, interpreted before
  // Whether Callable::Notes() lists the loops as they were compiled, and with them LLVM's text.
  bool lists_loops = false;
  bool lists_ir = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_OPTIONS_H_
