#include "optimized/straight/branches.h"

#include <algorithm>

namespace tagflow::optimized {

bool Branches::IsOpen(const ConditionLiteral& literal) const {
  return std::any_of(open_.begin() + static_cast<std::ptrdiff_t>(base_), open_.end(),
                     [&](const Open& open) { return open.literal == literal; });
}

void Branches::Enter(ConditionId condition) {
  for (size_t place = base_; place < open_.size(); ++place) {
    const auto wanted = conditions_.Find(condition, open_[place].literal.predicate);
    if (wanted == open_[place].literal) continue;
    Leave(place, condition);
    break;
  }
  // In order of their predicates: the later ones may be known only where the earlier hold.
  for (const ConditionLiteral& literal : conditions_.literals(condition)) {
    if (IsOpen(literal)) continue;
    const uint32_t test = here();
    append_test_(literal);
    open_.push_back({literal, test, kNone});
  }
}

// Closes what is open from `place` on, whose literal the condition does not have; all below it
// holds.
void Branches::Leave(size_t place, ConditionId condition) {
  CloseTo(place + 1);
  const auto wanted = conditions_.Find(condition, open_[place].literal.predicate);
  const bool is_other = wanted && conditions_.arity(wanted->predicate) == 2;
  if (is_other && open_[place].test != kNone) return TurnIntoElse(*wanted);
  Close();
}

void Branches::TurnIntoElse(const ConditionLiteral& literal) {
  Open& open = open_.back();
  // The last instruction of the loop at hand jumps back and never comes here; that of a loop in the
  // branch is passed by when the loop ends.
  const bool jumps_back = code_.instructions.back().op == OpCode::kRepeat && frame_end_ != here();
  const bool falls_through = !jumps_back;
  const uint32_t jump = falls_through ? here() : kNone;
  if (falls_through) code_.instructions.push_back({.op = OpCode::kJump});
  code_.instructions[open.test].target = here();
  open = {literal, kNone, jump};
}

void Branches::Close() {
  const Open open = open_.back();
  open_.pop_back();
  if (open.test != kNone) code_.instructions[open.test].target = here();
  if (open.then_end != kNone) code_.instructions[open.then_end].target = here();
}

void Branches::CloseTo(size_t size) {
  while (open_.size() > size) Close();
}

size_t Branches::BeginFrame() {
  const size_t outer = base_;
  base_ = open_.size();
  return outer;
}

void Branches::EndFrame(size_t begun) {
  CloseTo(base_);
  base_ = begun;
  frame_end_ = here();
}

}  // namespace tagflow::optimized
