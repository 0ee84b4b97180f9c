#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_SCALARS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_SCALARS_H_

// How a compiled loop computes with scalars: its registers go through the body of an op.
//
//     %v3 = call i32 @Add_i32(i32 %v1, i32 %v2)
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <functional>
#include <string>

#include "optimized/native/body_calls.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

// Instructions in a block of LLVM's, of what is compiled with little effort: 512 in one block took
// twice as long as in 16.
constexpr uint32_t kShortBlock = 32;

class LoopScalars {
 public:
  // All of it outlives this.
  LoopScalars(const LoopToCompile& loop, const LoopValues& values, LoopHomes& homes,
              BodyCalls& bodies)
      : loop_(loop), values_(values), homes_(homes), bodies_(bodies) {}

  // REQUIRES: values.CallAt, and machine code does the call with registers
  //   refused: a way out of the loop, where the op refuses its inputs
  //   cut: begins a new block
  void WriteCall(IrLines& lines, uint32_t at, const std::function<std::string()>& refused,
                 const std::function<void()>& cut) const;
  // Tells LLVM what is known of counters (loop_counters.h) before the instruction.
  void TellCounters(IrLines& lines, uint32_t at) const;

 private:
  const LoopToCompile& loop_;
  const LoopValues& values_;
  LoopHomes& homes_;
  BodyCalls& bodies_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_SCALARS_H_
