#ifndef TAGFLOW_OPTIMIZED_NATIVE_WHOLE_LOOPS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_WHOLE_LOOPS_H_

// A compiled loop calls functions of whole tensors (whole_calls.h), each in a function of its own,
// as loops over elements are (element_loops.h).
//
//     %v4 = load ptr, ptr %p2
//     call void @"loop while whole 0"(ptr %v4, ptr %w3)      { Sum_f32_rows(ptr, ptr, 4, 128) }
//
// Tested by native_wholes_test.cc.

#include <cstdint>
#include <string>

#include "optimized/native/body_calls.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_tensors.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

class WholeLoops {
 public:
  // All of it outlives this.
  //   name: of the function that the loops are of
  WholeLoops(const LoopToCompile& loop, const LoopValues& values, const LoopTensors& tensors,
             LoopHomes& homes, BodyCalls& bodies, const std::string& name)
      : loop_(loop),
        values_(values),
        tensors_(tensors),
        homes_(homes),
        bodies_(bodies),
        name_(name) {}

  // Comes before the first instruction.
  void Enter(IrLines& lines) const;
  // REQUIRES: values.WholeCallAt
  //   failed: where there is no memory
  void Write(IrLines& lines, uint32_t at, const LoopTensors::Way& failed);
  // The functions, which are put behind all others.
  const std::string& Functions() const { return functions_; }

 private:
  void WriteFunction(const std::string& name, const WholeCall& call, size_t inputs);

  const LoopToCompile& loop_;
  const LoopValues& values_;
  const LoopTensors& tensors_;
  LoopHomes& homes_;
  BodyCalls& bodies_;
  const std::string name_;
  std::string functions_;
  int num_functions_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_WHOLE_LOOPS_H_
