#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_SOURCE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_SOURCE_H_

// A loop of straight code, written in LLVM's language.
//
//     head:                               i4:
//       t = Less(i, n)                      %v1 = load i32, ptr %s0  …
//       unless t -> out                     %v3 = call i1 @Less_i32(i32 %v1, i32 %v2)
//       j = Add(i, one)                     br i1 %v3, label %i6, label %leave0
//       v = Gather(x, i)                    %v4 = call i32 %run(ptr %self, i32 7)
//       …                                 …
//       repeat -> head                      %v6 = load atomic i32, ptr %stop  …
//     out:                                  br i1 %v7, label %leave1, label %i4
//
// Registers are variables (allocas) that LLVM makes registers of: loaded from the slots at the
// entry, and stored there where the loop is left. What an op computes is a function of the same
// formula headers that the kernels are made of (llvm/bodies.cc), so the bits are the same. What is
// not for machine code (loop_values.h) the machine does, called for each such instruction.
//
// Firings: where they are counted, a block of code takes those of its calls at once, at its
// beginning, or leaves the loop there; who leaves in the middle gives back what was not fired.
//
// Tested by loop_source_test.cc.

#include <string>

#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

// The loop as a function called `name`, a NativeFunction (native_library.h).
// REQUIRES: the values have looked at the slots
std::string WriteLoop(const LoopToCompile& loop, const LoopValues& values, const std::string& name);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_SOURCE_H_
