#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CODE_LOOPS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CODE_LOOPS_H_

// The loops of code, and which slots must stay as they are from one iteration to the next.
//
// A loop is what lies between an instruction that a kRepeat jumps back to and that kRepeat; it ends
// where the test that left it goes.
//
// Cost: n log n in the code, however deep its loops are. That is why an inner loop does not list
// again what the loop around it keeps, too (see CodeLoop::kept).   Tested by code_loops_test.cc.

#include <cstdint>
#include <vector>

#include "optimized/straight/code.h"

namespace tagflow::optimized {

struct CodeLoop {
  uint32_t head = 0;
  uint32_t repeat = 0;
  uint32_t end = 0;  // the first instruction after the loop
  // Slots that are written before the head and read in the loop, each once, in order: but not those
  // that the loop around this one keeps and does not write outside of this one.
  std::vector<uint32_t> kept;
};

// In the order of their kRepeats: a loop comes after those in it.
std::vector<CodeLoop> FindLoops(Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CODE_LOOPS_H_
