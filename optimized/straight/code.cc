#include "optimized/straight/code.h"

#include <utility>

namespace tagflow::optimized {

std::vector<bool> JumpTargets(const Code& code) {
  std::vector<bool> targets(code.instructions.size() + 1);
  for (const Instruction& instruction : code.instructions) {
    if (MayJump(instruction.op)) targets[instruction.target] = true;
  }
  return targets;
}

void InsertInstructions(const std::vector<std::pair<uint32_t, Instruction>>& inserted, Code& code) {
  if (inserted.empty()) return;
  const auto old_size = static_cast<uint32_t>(code.instructions.size());
  std::vector<uint32_t> new_place(old_size + 1);
  std::vector<Instruction> instructions;
  instructions.reserve(old_size + inserted.size());
  size_t next = 0;
  for (uint32_t i = 0; i <= old_size; ++i) {
    new_place[i] = static_cast<uint32_t>(instructions.size());
    for (; next < inserted.size() && inserted[next].first == i; ++next) {
      instructions.push_back(inserted[next].second);
    }
    if (i < old_size) instructions.push_back(code.instructions[i]);
  }
  for (Instruction& instruction : instructions) instruction.target = new_place[instruction.target];
  code.instructions = std::move(instructions);
}

}  // namespace tagflow::optimized
