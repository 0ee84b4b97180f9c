#include "optimized/native/loop_liveness.h"

#include <utility>

namespace tagflow::optimized {
namespace {

template <typename Read, typename Write>
void Visit(const LoopToCompile& loop, uint32_t at, const Read& read, const Write& write) {
  VisitSlots(
      loop.code.instructions[at], loop.code.args, loop.code.outputs,
      [&](const Arg& arg) { read(arg.slot); }, write);
}

}  // namespace

LoopLiveness::LoopLiveness(const LoopToCompile& loop, const LoopValues& values)
    : bounds_(loop.bounds) {
  for (const NativeValue& value : values.values()) {
    number_.emplace(value.slot, static_cast<uint32_t>(number_.size()));
  }
  outside_.resize(number_.size());
  FindOutside(loop);
  before_.assign(bounds_.last - bounds_.head + 1, Set(number_.size()));
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (uint32_t at = bounds_.last + 1; at-- > bounds_.head;) {
      has_changed = Update(loop, at) || has_changed;
    }
  }
}

void LoopLiveness::FindOutside(const LoopToCompile& loop) {
  const auto note = [this](uint32_t slot) {
    const auto found = number_.find(slot);
    if (found != number_.end()) outside_[found->second] = true;
  };
  for (uint32_t at = 0; at < loop.code.instructions.size(); ++at) {
    if (!bounds_.Contains(at)) Visit(loop, at, note, [](uint32_t) {});
  }
  for (const uint32_t slot : loop.code.predicate_slots) note(slot);
}

const LoopLiveness::Set& LoopLiveness::Before(uint32_t at) const {
  return bounds_.Contains(at) ? before_[at - bounds_.head] : outside_;
}

bool LoopLiveness::Update(const LoopToCompile& loop, uint32_t at) {
  const Instruction& instruction = loop.code.instructions[at];
  const bool always_jumps = AlwaysJumps(instruction.op);
  Set live = Before(always_jumps ? instruction.target : at + 1);
  if (!always_jumps && MayJump(instruction.op)) {
    const Set& there = Before(instruction.target);
    for (size_t i = 0; i < live.size(); ++i) live[i] = live[i] || there[i];
  }
  const auto set = [&](uint32_t slot, bool is_live) {
    const auto found = number_.find(slot);
    if (found != number_.end()) live[found->second] = is_live;
  };
  Visit(
      loop, at, [](uint32_t) {}, [&](uint32_t slot) { set(slot, false); });
  Visit(
      loop, at, [&](uint32_t slot) { set(slot, true); }, [](uint32_t) {});
  Set& before = before_[at - bounds_.head];
  const bool has_changed = live != before;
  before = std::move(live);
  return has_changed;
}

bool LoopLiveness::IsLive(uint32_t slot, uint32_t at) const { return Before(at)[number_.at(slot)]; }

}  // namespace tagflow::optimized
