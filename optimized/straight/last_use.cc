#include "optimized/straight/last_use.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace tagflow::optimized {
namespace {

// A set of slots that remembers its past.
class LiveSlots {
 public:
  explicit LiveSlots(uint32_t slots) : live_(slots) {}
  bool contains(uint32_t slot) const { return live_[slot]; }
  void Set(uint32_t slot, bool live) {
    if (live_[slot] == live) return;
    log_.emplace_back(slot, !live);
    live_[slot] = live;
  }
  size_t now() const { return log_.size(); }
  // Back to what it was at `then`, as a change of its own.
  void Restore(size_t then) {
    for (size_t i = log_.size(); i > then; --i) {
      const auto [slot, was] = log_[i - 1];
      Set(slot, was);
    }
  }
  // And what it was at `then` as well.
  void Include(size_t then) {
    for (size_t i = then, end = log_.size(); i < end; ++i) {
      const auto [slot, was] = log_[i];
      if (was) Set(slot, true);
    }
  }

 private:
  std::vector<bool> live_;
  std::vector<std::pair<uint32_t, bool>> log_;  // a slot, and whether it was live before
};

struct Loop {
  uint32_t head = 0;
  uint32_t repeat = 0;
  uint32_t end = 0;             // the first instruction after the loop
  std::vector<uint32_t> outer;  // slots written before the loop and read in it
};

class Marker {
 public:
  explicit Marker(Code& code)
      : code_(code),
        live_(code.num_slots),
        marks_(code.instructions.size() + 1),
        reads_(code.num_slots) {}

  void Run() && {
    FindWrites();
    FindLoops();
    for (const auto& [slot, value] : code_.constants) is_constant_[slot] = true;
    for (size_t i = code_.instructions.size(); i-- > 0;) {
      marks_[i + 1] = live_.now();
      DropAfterLoops(static_cast<uint32_t>(i + 1));
      Visit(static_cast<uint32_t>(i));
    }
    InsertDrops();
  }

 private:
  Instruction& At(uint32_t i) { return code_.instructions[i]; }

  void FindWrites() {
    is_constant_.resize(code_.num_slots);
    first_write_.resize(code_.num_slots, 0);  // feeds and constants: before everything
    std::vector<bool> seen(code_.num_slots);
    for (uint32_t i = 0; i < code_.instructions.size(); ++i) {
      VisitSlots(
          At(i), code_.args, code_.outputs, [](Arg&) {},
          [&](uint32_t slot) {
            if (!seen[slot]) first_write_[slot] = i;
            seen[slot] = true;
          });
    }
  }

  // A loop is what lies between an instruction that others jump back to and the last jump to it; it
  // ends where the test that left it goes.
  void FindLoops() {
    for (uint32_t i = 0; i < code_.instructions.size(); ++i) {
      if (At(i).op == OpCode::kRepeat) loops_.push_back({At(i).target, i, i + 1, {}});
    }
    for (Loop& loop : loops_) {
      for (uint32_t i = loop.head; i < loop.end; ++i) {
        const Instruction& jump = At(i);
        const bool is_forward = jump.op == OpCode::kUnless || jump.op == OpCode::kUnlessIndex ||
                                jump.op == OpCode::kJump;
        if (is_forward) loop.end = std::max(loop.end, jump.target);
      }
      FindOuter(loop);
      const size_t index = static_cast<size_t>(&loop - loops_.data());
      loops_ending_at_.emplace(loop.end, index);
      loop_repeated_at_.emplace(loop.repeat, index);
    }
  }
  void FindOuter(Loop& loop) {
    for (uint32_t i = loop.head; i < loop.repeat; ++i) {
      VisitSlots(
          At(i), code_.args, code_.outputs,
          [&](Arg& arg) {
            if (first_write_[arg.slot] < loop.head || is_feed_or_unwritten(arg.slot)) {
              loop.outer.push_back(arg.slot);
            }
          },
          [](uint32_t) {});
    }
    std::ranges::sort(loop.outer);
    loop.outer.erase(std::unique(loop.outer.begin(), loop.outer.end()), loop.outer.end());
  }
  bool is_feed_or_unwritten(uint32_t slot) const { return first_write_[slot] == 0; }

  void DropAfterLoops(uint32_t place) {
    const auto [begin, end] = loops_ending_at_.equal_range(place);
    for (auto loop = begin; loop != end; ++loop) {
      for (const uint32_t slot : loops_[loop->second].outer) {
        if (!live_.contains(slot) && !is_constant_[slot]) drops_.emplace_back(place, slot);
      }
    }
  }

  void Visit(uint32_t i) {
    Instruction& instruction = At(i);
    switch (instruction.op) {
      case OpCode::kJump:
        live_.Restore(marks_[instruction.target]);
        return;
      case OpCode::kRepeat:
        EnterLoop(i);
        return;
      case OpCode::kUnless:
      case OpCode::kUnlessIndex:
        live_.Include(marks_[instruction.target]);
        break;
      default:
        break;
    }
    MarkUses(i, instruction);
  }

  void EnterLoop(uint32_t repeat) {
    const Loop& loop = loops_[loop_repeated_at_.at(repeat)];
    for (const uint32_t slot : loop.outer) live_.Set(slot, true);
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
        [&](uint32_t slot) { live_.Set(slot, false); });
    for (Arg* arg : last_) {
      const uint32_t slot = arg->slot;
      if (reads_[slot] == 1) {
        arg->is_last = 1;
      } else if (!live_.contains(slot)) {
        // The call has it twice: neither use may take it from the other.
        drops_.emplace_back(i + 1, slot);
        live_.Set(slot, true);
      }
    }
    for (const uint32_t slot : read_) {
      live_.Set(slot, true);
      reads_[slot] = 0;
    }
    instruction.releases = instruction.op == OpCode::kCall &&
                           std::ranges::any_of(last_, [](Arg* arg) { return arg->is_last == 1; });
  }
  void InsertDrops() {
    if (drops_.empty()) return;
    std::ranges::stable_sort(drops_, {}, &std::pair<uint32_t, uint32_t>::first);
    std::vector<uint32_t> new_place(code_.instructions.size() + 1);
    std::vector<Instruction> instructions;
    instructions.reserve(code_.instructions.size() + drops_.size());
    size_t next = 0;
    for (uint32_t i = 0; i <= code_.instructions.size(); ++i) {
      new_place[i] = static_cast<uint32_t>(instructions.size());
      for (; next < drops_.size() && drops_[next].first == i; ++next) {
        instructions.push_back({.op = OpCode::kDrop, .a = drops_[next].second});
      }
      if (i < code_.instructions.size()) instructions.push_back(At(i));
    }
    for (Instruction& instruction : instructions)
      instruction.target = new_place[instruction.target];
    code_.instructions = std::move(instructions);
  }

  Code& code_;
  LiveSlots live_;
  std::vector<size_t> marks_;  // by instruction: the log before it, seen from the end
  std::vector<bool> is_constant_;
  std::vector<uint32_t> first_write_;  // by slot
  // Of the instruction at hand: the args that are last uses, the slots that are read, and how often
  // each slot is.
  std::vector<Arg*> last_;
  std::vector<uint32_t> read_;
  std::vector<uint32_t> reads_;
  std::vector<Loop> loops_;
  std::unordered_multimap<uint32_t, size_t> loops_ending_at_;
  std::unordered_map<uint32_t, size_t> loop_repeated_at_;
  std::vector<std::pair<uint32_t, uint32_t>> drops_;  // before which instruction, and the slot
};

}  // namespace

void MarkLastUses(Code& code) { Marker(code).Run(); }

}  // namespace tagflow::optimized
