#include "optimized/straight/last_use.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "optimized/straight/code_loops.h"
#include "optimized/straight/live_slots.h"

namespace tagflow::optimized {
namespace {

class Marker {
 public:
  explicit Marker(Code& code)
      : code_(code), live_(code.num_slots), is_constant_(code.num_slots), reads_(code.num_slots) {}

  void Run() && {
    FindLoopEnds();
    for (const auto& [slot, value] : code_.constants) is_constant_[slot] = true;
    for (const uint32_t slot : code_.predicate_slots) {
      if (slot != kNoSlot) live_.Insert(slot);
    }
    const std::vector<bool> is_target = JumpTargets(code_);
    live_at_.resize(code_.instructions.size() + 1);
    for (size_t i = code_.instructions.size(); i-- > 0;) {
      if (is_target[i + 1]) live_at_[i + 1] = live_.Save();
      DropAfterLoops(static_cast<uint32_t>(i + 1));
      Visit(static_cast<uint32_t>(i));
    }
    InsertDrops();
  }

 private:
  Instruction& At(uint32_t i) { return code_.instructions[i]; }

  void FindLoopEnds() {
    loops_ = FindLoops(code_);
    for (size_t i = 0; i < loops_.size(); ++i) {
      loops_ending_at_.emplace(loops_[i].end, i);
      loop_repeated_at_.emplace(loops_[i].repeat, i);
    }
  }

  void DropAfterLoops(uint32_t place) {
    const auto [begin, end] = loops_ending_at_.equal_range(place);
    for (auto loop = begin; loop != end; ++loop) {
      for (const uint32_t slot : loops_[loop->second].kept) {
        if (!live_.contains(slot) && !is_constant_[slot]) drops_.emplace_back(place, slot);
      }
    }
  }

  void Visit(uint32_t i) {
    Instruction& instruction = At(i);
    switch (instruction.op) {
      case OpCode::kJump:
        live_.Restore(live_at_[instruction.target]);
        return;
      case OpCode::kRepeat:
        EnterLoop(i);
        return;
      case OpCode::kUnless:
      case OpCode::kUnlessIndex:
      case OpCode::kTryFused:
        live_.Include(live_at_[instruction.target]);
        break;
      default:
        break;
    }
    MarkUses(i, instruction);
  }

  void EnterLoop(uint32_t repeat) {
    const CodeLoop& loop = loops_[loop_repeated_at_.at(repeat)];
    for (const uint32_t slot : loop.kept) live_.Insert(slot);
  }

  void MarkUses(uint32_t i, Instruction& instruction) {
    const bool can_take = instruction.op == OpCode::kCall || instruction.op == OpCode::kMove ||
                          instruction.op == OpCode::kFetch;
    last_.clear();
    read_.clear();
    VisitSlots(
        instruction, code_.args, code_.outputs,
        [&](Arg& arg) {
          read_.push_back(arg.slot);
          ++reads_[arg.slot];
          const bool is_last = !live_.contains(arg.slot) && !is_constant_[arg.slot];
          if (can_take && is_last) last_.push_back(&arg);
        },
        [&](uint32_t slot) { live_.Remove(slot); });
    for (Arg* arg : last_) {
      const uint32_t slot = arg->slot;
      if (reads_[slot] == 1) {
        arg->is_last = 1;
      } else if (!live_.contains(slot)) {
        // The call has it twice: neither use may take it from the other.
        drops_.emplace_back(i + 1, slot);
        live_.Insert(slot);
      }
    }
    for (const uint32_t slot : read_) {
      live_.Insert(slot);
      reads_[slot] = 0;
    }
    instruction.releases = instruction.op == OpCode::kCall &&
                           std::ranges::any_of(last_, [](Arg* arg) { return arg->is_last == 1; });
  }
  void InsertDrops() {
    std::ranges::stable_sort(drops_, {}, &std::pair<uint32_t, uint32_t>::first);
    std::vector<std::pair<uint32_t, Instruction>> drops;
    drops.reserve(drops_.size());
    for (const auto& [place, slot] : drops_) {
      drops.emplace_back(place, Instruction{.op = OpCode::kDrop, .a = slot});
    }
    InsertInstructions(drops, code_);
  }

  Code& code_;
  LiveSlots live_;
  std::vector<LiveSlots::Saved> live_at_;  // by instruction that a jump leads to: before it
  std::vector<bool> is_constant_;
  // Of the instruction at hand: the args that are last uses, the slots that are read, and how often
  // each slot is.
  std::vector<Arg*> last_;
  std::vector<uint32_t> read_;
  std::vector<uint32_t> reads_;
  std::vector<CodeLoop> loops_;
  std::unordered_multimap<uint32_t, size_t> loops_ending_at_;
  std::unordered_map<uint32_t, size_t> loop_repeated_at_;
  std::vector<std::pair<uint32_t, uint32_t>> drops_;  // before which instruction, and the slot
};

}  // namespace

void MarkLastUses(Code& code) { Marker(code).Run(); }

}  // namespace tagflow::optimized
