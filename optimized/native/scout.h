#ifndef TAGFLOW_OPTIMIZED_NATIVE_SCOUT_H_
#define TAGFLOW_OPTIMIZED_NATIVE_SCOUT_H_

// An iteration of a loop that is looked at before the loop is compiled: what a call gives shows
// only when it has run, and is often moved on at once.
//
// Tested by native_tensors_test.cc.

#include <cstdint>

#include "optimized/native/loop_to_compile.h"
#include "optimized/native/native_place.h"

namespace tagflow::optimized {

// Runs the loop once around, instruction by instruction, and notes what slots get. It stops before
// an instruction that a limit or the stop flag forbids, and in loops within it that take long.
//   returns: the instruction to go on with, which is the loop's kRepeat where all went well, or
//   kNativeFailed
int32_t RunScout(const Code& code, const LoopBounds& loop, NativePlace& place, SeenTypes& seen);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_SCOUT_H_
