#include "optimized/straight/code.h"

namespace tagflow::optimized {

std::vector<bool> JumpTargets(const Code& code) {
  std::vector<bool> targets(code.instructions.size() + 1);
  for (const Instruction& instruction : code.instructions) {
    switch (instruction.op) {
      case OpCode::kJump:
      case OpCode::kUnless:
      case OpCode::kUnlessIndex:
      case OpCode::kRepeat:
        targets[instruction.target] = true;
        break;
      default:
        break;
    }
  }
  return targets;
}

}  // namespace tagflow::optimized
