#include "optimized/native/scout.h"

#include <optional>

namespace tagflow::optimized {
namespace {

// Instructions of one look: as long as a step takes between its questions for machine code.
constexpr int kMostScouted = 10'000;

class Scout {
 public:
  Scout(const Code& code, const LoopBounds& loop, NativePlace& place, SeenTypes& seen)
      : code_(code), loop_(loop), place_(place), seen_(seen) {}

  int32_t Run() {
    uint32_t at = loop_.head;
    for (int i = 0; i < kMostScouted && loop_.Contains(at) && at != loop_.last; ++i) {
      const Instruction& instruction = code_.instructions[at];
      switch (instruction.op) {
        case OpCode::kTryFused:
        case OpCode::kPiece:
          break;
        case OpCode::kJump:
          at = instruction.target;
          continue;
        case OpCode::kUnless:
        case OpCode::kUnlessIndex:
          if (!place_.slots[instruction.a].is_inline()) return static_cast<int32_t>(at);
          if (Holds(instruction)) break;
          at = instruction.target;
          continue;
        case OpCode::kEnter:
          place_.iterations[instruction.n] = 0;
          break;
        case OpCode::kRepeat:
          if (!Fires()) return static_cast<int32_t>(at);
          ++place_.iterations[instruction.n];
          at = instruction.target;
          continue;
        default:
          if (const auto left = RunOne(at)) return *left;
      }
      ++at;
    }
    return static_cast<int32_t>(at);
  }

 private:
  bool Holds(const Instruction& test) const {
    const Tensor& value = place_.slots[test.a];
    if (test.op == OpCode::kUnless) return value.inline_value<bool>() == (test.n != 0);
    return ChosenWay(value.inline_value<int32_t>(), test.b) == test.n;
  }
  bool Fires() {
    if (place_.fuel <= 0) return false;
    --place_.fuel;
    return true;
  }
  // Where the scout ends; nothing: it goes on.
  std::optional<int32_t> RunOne(uint32_t at) {
    const Instruction& instruction = code_.instructions[at];
    const bool fires = instruction.op == OpCode::kCall;
    if (fires && !Fires()) return static_cast<int32_t>(at);
    const auto outcome =
        static_cast<NativeOutcome>(place_.host.run(place_.host.self, static_cast<int32_t>(at)));
    if (outcome == NativeOutcome::kFailed) return kNativeFailed;
    if (outcome == NativeOutcome::kLeaveBefore) {
      if (fires) ++place_.fuel;
      return static_cast<int32_t>(at);
    }
    VisitSlots(
        instruction, code_.args, code_.outputs, [](const Arg&) {},
        [&](uint32_t slot) {
          const Tensor& given = place_.slots[slot];
          seen_[slot] = {given.dtype(), {given.dims().begin(), given.dims().end()}};
        });
    return std::nullopt;
  }

  const Code& code_;
  const LoopBounds loop_;
  NativePlace& place_;
  SeenTypes& seen_;
};

}  // namespace

int32_t RunScout(const Code& code, const LoopBounds& loop, NativePlace& place, SeenTypes& seen) {
  return Scout(code, loop, place, seen).Run();
}

}  // namespace tagflow::optimized
