#include "optimized/straight/code_pieces.h"

#include <algorithm>
#include <utility>

namespace tagflow::optimized {
namespace {

// By instruction: whether it is in a loop.
std::vector<bool> InLoops(const Code& code) {
  const auto& instructions = code.instructions;
  std::vector<bool> in_loop(instructions.size());
  // From the end: a loop comes before those in it, and only an outermost one is marked.
  for (size_t i = instructions.size(); i-- > 0;) {
    if (instructions[i].op != OpCode::kRepeat || in_loop[i]) continue;
    std::fill(in_loop.begin() + instructions[i].target,
              in_loop.begin() + static_cast<ptrdiff_t>(i) + 1, true);
  }
  return in_loop;
}

bool MayBeInside(OpCode op) {
  switch (op) {
    case OpCode::kCall:
    case OpCode::kTryFused:
    case OpCode::kMove:
    case OpCode::kRead:
    case OpCode::kRequire:
    case OpCode::kScalar:
    case OpCode::kDrop:
    case OpCode::kJump:
    case OpCode::kUnless:
    case OpCode::kUnlessIndex:
      return true;
    case OpCode::kEnter:
    case OpCode::kRepeat:
    case OpCode::kPiece:
    case OpCode::kFetch:
    case OpCode::kEnd:
      return false;
  }
  return false;
}

}  // namespace

std::vector<CodePiece> MarkPieces(uint32_t least, uint32_t most, Code& code) {
  const std::vector<bool> in_loop = InLoops(code);
  const auto size = static_cast<uint32_t>(code.instructions.size());
  std::vector<CodePiece> pieces;
  std::vector<std::pair<uint32_t, Instruction>> marks;
  const auto add = [&](uint32_t first, uint32_t end) {
    if (end - first < least) return;
    // Each mark that is put in moves what comes behind it.
    const auto shift = static_cast<uint32_t>(marks.size()) + 1;
    pieces.push_back({first + shift, end - 1 + shift});
    Instruction mark;
    mark.op = OpCode::kPiece;
    marks.emplace_back(first, mark);
  };
  uint32_t first = 0;
  for (uint32_t i = 0; i <= size; ++i) {
    const bool is_inside =
        i < size && !in_loop[i] && MayBeInside(code.instructions[i].op) && i - first < most;
    if (is_inside) continue;
    add(first, i);
    const bool goes_on = i < size && !in_loop[i] && MayBeInside(code.instructions[i].op);
    first = goes_on ? i : i + 1;
  }
  InsertInstructions(marks, code);
  return pieces;
}

}  // namespace tagflow::optimized
