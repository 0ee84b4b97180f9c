#include "optimized/straight/gather_calls.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "optimized/devices/device_kernel.h"
#include "optimized/straight/element_calls.h"

namespace tagflow::optimized {
namespace {

// As many values may live longer than before.
constexpr uint32_t kCallsAtOnce = 256;

// Calls that may be done in any order which respects what they read and write.
class Block {
 public:
  Block(const Code& code, uint32_t begin, uint32_t end)
      : begin_(begin), waits_for_(end - begin), wakes_(end - begin) {
    std::unordered_map<uint32_t, std::vector<uint32_t>> readers;  // by slot, since it was written
    std::unordered_map<uint32_t, uint32_t> writer;
    for (uint32_t i = 0; i < waits_for_.size(); ++i) {
      const Instruction& call = code.instructions[begin + i];
      VisitSlots(
          call, code.args, code.outputs,
          [&](const Arg& arg) {
            const auto made = writer.find(arg.slot);
            if (made != writer.end()) PutBefore(made->second, i);
            readers[arg.slot].push_back(i);
          },
          [](uint32_t) {});
      VisitSlots(
          call, code.args, code.outputs, [](const Arg&) {},
          [&](uint32_t slot) {
            const auto made = writer.find(slot);
            if (made != writer.end()) PutBefore(made->second, i);
            for (const uint32_t reader : readers[slot]) PutBefore(reader, i);
            readers[slot].clear();
            writer[slot] = i;
          });
    }
  }

  // The calls by turns: those that are no steps, and those that are.
  template <typename IsStep>
  std::vector<uint32_t> Order(const IsStep& is_step) {
    std::set<uint32_t> ready[2];  // steps are second
    for (uint32_t i = 0; i < waits_for_.size(); ++i) {
      if (waits_for_[i] == 0) ready[is_step(begin_ + i)].insert(i);
    }
    std::vector<uint32_t> order;
    for (size_t turn = 0; order.size() < waits_for_.size(); turn = 1 - turn) {
      while (!ready[turn].empty()) {
        const uint32_t next = *ready[turn].begin();
        ready[turn].erase(ready[turn].begin());
        order.push_back(begin_ + next);
        for (const uint32_t woken : wakes_[next]) {
          if (--waits_for_[woken] == 0) ready[is_step(begin_ + woken)].insert(woken);
        }
      }
    }
    return order;
  }

 private:
  void PutBefore(uint32_t before, uint32_t after) {
    if (before == after) return;
    wakes_[before].push_back(after);
    ++waits_for_[after];
  }

  const uint32_t begin_;
  std::vector<uint32_t> waits_for_;           // by call: how many others come first
  std::vector<std::vector<uint32_t>> wakes_;  // by call: which ones wait for it
};

}  // namespace

void GatherElementCalls(const ExecutableSpec& spec, const Values& values, Code& code) {
  const ElementCalls calls(spec, values, code);
  const std::vector<bool> is_jump_target = JumpTargets(code);
  const auto may_move = [&](uint32_t i) {
    const Instruction& at = code.instructions[i];
    return at.op == OpCode::kCall && at.node != NodeId::kNone &&
           !HasEffects(*spec.graph.node(at.node).def);
  };
  const auto size = static_cast<uint32_t>(code.instructions.size());
  std::vector<Instruction> ordered = code.instructions;
  for (uint32_t begin = 0, end = 0; begin < size; begin = std::max(end, begin + 1)) {
    end = begin;
    while (end < size && end - begin < kCallsAtOnce && may_move(end) &&
           (end == begin || !is_jump_target[end])) {
      ++end;
    }
    std::vector<bool> is_step;
    for (uint32_t i = begin; i < end; ++i) is_step.push_back(calls.At(i).has_value());
    if (std::ranges::count(is_step, true) < 2) continue;
    uint32_t to = begin;
    for (const uint32_t from :
         Block(code, begin, end).Order([&](uint32_t i) { return is_step[i - begin]; })) {
      ordered[to++] = code.instructions[from];
    }
  }
  code.instructions = std::move(ordered);
}

}  // namespace tagflow::optimized
