#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CODE_WRITER_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CODE_WRITER_H_

// Code written by hand, for tests of what reads code: slots are numbers, calls read some and write
// one.
//   CodeWriter().Call(1, {0}).Unless(1, 4).Call(2, {0}).Repeat(1).code

#include <cstdint>
#include <vector>

#include "optimized/straight/code.h"

namespace tagflow::optimized {

class CodeWriter {
 public:
  CodeWriter& Call(uint32_t output, const std::vector<uint32_t>& inputs) {
    const Instruction call{.op = OpCode::kCall,
                           .num_outputs = 1,
                           .n = static_cast<uint32_t>(inputs.size()),
                           .a = static_cast<uint32_t>(code.args.size()),
                           .b = static_cast<uint32_t>(code.outputs.size())};
    for (uint32_t slot : inputs) code.args.push_back({slot, 0});
    code.outputs.push_back(output);
    return Add(call);
  }
  CodeWriter& Move(uint32_t from, uint32_t to) {
    code.args.push_back({from, 0});
    return Add({.op = OpCode::kMove, .a = static_cast<uint32_t>(code.args.size() - 1), .b = to});
  }
  CodeWriter& Fetch(uint32_t slot) {
    code.args.push_back({slot, 0});
    return Add({.op = OpCode::kFetch, .a = static_cast<uint32_t>(code.args.size() - 1)});
  }
  CodeWriter& Unless(uint32_t slot, uint32_t target) {
    return Add({.op = OpCode::kUnless, .n = 1, .a = slot, .target = target});
  }
  CodeWriter& Jump(uint32_t target) { return Add({.op = OpCode::kJump, .target = target}); }
  CodeWriter& Repeat(uint32_t target) { return Add({.op = OpCode::kRepeat, .target = target}); }
  CodeWriter& Add(Instruction instruction) {
    code.instructions.push_back(instruction);
    return *this;
  }

  Code code;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CODE_WRITER_H_
