#include "optimized/straight/code_loops.h"

#include <algorithm>
#include <utility>

namespace tagflow::optimized {
namespace {

constexpr uint32_t kNoLoop = ~uint32_t{0};

bool LeadsForward(const Instruction& jump) {
  return MayJump(jump.op) && jump.op != OpCode::kRepeat;
}

class Finder {
 public:
  explicit Finder(Code& code)
      : code_(code), writes_(code.num_slots), first_write_(code.num_slots) {}

  std::vector<CodeLoop> Run() && {
    FindBounds();
    if (loops_.empty()) return {};
    ForEachInstruction([this](uint32_t i) { NoteWrites(i); });
    ForEachInstruction([this](uint32_t i) { NoteReads(i); });
    for (CodeLoop& loop : loops_) {
      std::ranges::sort(loop.kept);
      loop.kept.erase(std::unique(loop.kept.begin(), loop.kept.end()), loop.kept.end());
    }
    return std::move(loops_);
  }

 private:
  const Instruction& At(uint32_t i) const { return code_.instructions[i]; }

  void FindBounds() {
    for (uint32_t i = 0; i < code_.instructions.size(); ++i) {
      if (At(i).op == OpCode::kRepeat) loops_.push_back({At(i).target, i, i + 1, {}});
    }
    by_head_.resize(loops_.size());
    for (uint32_t i = 0; i < by_head_.size(); ++i) by_head_[i] = i;
    std::ranges::sort(by_head_, {}, [this](uint32_t loop) { return loops_[loop].head; });
    ForEachInstruction([this](uint32_t i) {
      for (size_t open = open_.size(); LeadsForward(At(i)) && open-- > 0;) {
        CodeLoop& loop = loops_[open_[open]];
        if (At(i).target <= loop.repeat) break;
        loop.end = std::max(loop.end, At(i).target);
      }
    });
  }

  // Calls visit(i) for every instruction in order, with the loops around it in open_, the outermost
  // first.
  template <typename Visit>
  void ForEachInstruction(Visit&& visit) {
    size_t next = 0;
    for (uint32_t i = 0; i < code_.instructions.size(); ++i) {
      for (; next < by_head_.size() && loops_[by_head_[next]].head == i; ++next) {
        open_.push_back(by_head_[next]);
      }
      visit(i);
      while (!open_.empty() && loops_[open_.back()].repeat == i) open_.pop_back();
    }
  }

  // One write of a slot for each innermost loop that writes it: the others there say the same.
  void NoteWrites(uint32_t i) {
    const uint32_t loop = open_.empty() ? kNoLoop : open_.back();
    VisitSlots(
        At(i), code_.args, code_.outputs, [](Arg&) {},
        [&](uint32_t slot) {
          auto& writes = writes_[slot];
          if (writes.empty()) first_write_[slot] = i;
          const bool is_new = std::ranges::find(writes, loop, &Write::second) == writes.end();
          if (is_new) writes.emplace_back(i, loop);
        });
  }

  void NoteReads(uint32_t i) {
    if (open_.empty()) return;
    VisitSlots(
        At(i), code_.args, code_.outputs,
        [&](const Arg& arg) {
          // Feeds and constants are there before everything.
          if (writes_[arg.slot].empty()) return Keep(0, arg.slot);
          Keep(FirstWithHeadAfter(first_write_[arg.slot]), arg.slot);
          for (const auto& [write, loop] : writes_[arg.slot]) {
            Keep(write < i ? FirstWithHeadAfter(write) : FirstWithRepeatBefore(write), arg.slot);
          }
        },
        [](uint32_t) {});
  }

  // Of the open loops, the outermost that the instruction is before, or behind.
  size_t FirstWithHeadAfter(uint32_t i) const {
    const auto after =
        std::ranges::upper_bound(open_, i, {}, [this](uint32_t loop) { return loops_[loop].head; });
    return static_cast<size_t>(after - open_.begin());
  }
  size_t FirstWithRepeatBefore(uint32_t i) const {
    const auto before = std::ranges::partition_point(
        open_, [&](uint32_t loop) { return loops_[loop].repeat >= i; });
    return static_cast<size_t>(before - open_.begin());
  }

  void Keep(size_t open, uint32_t slot) {
    if (open >= open_.size()) return;
    CodeLoop& loop = loops_[open_[open]];
    const bool is_there_before = writes_[slot].empty() || first_write_[slot] < loop.head;
    if (is_there_before) loop.kept.push_back(slot);
  }

  using Write = std::pair<uint32_t, uint32_t>;  // an instruction, and the innermost loop around it

  Code& code_;
  std::vector<CodeLoop> loops_;
  std::vector<uint32_t> by_head_;           // their numbers, the outer one first
  std::vector<uint32_t> open_;              // around the instruction at hand
  std::vector<std::vector<Write>> writes_;  // by slot
  std::vector<uint32_t> first_write_;       // by slot that is written
};

}  // namespace

std::vector<CodeLoop> FindLoops(Code& code) { return Finder(code).Run(); }

}  // namespace tagflow::optimized
