#include "optimized/native/loop_counters.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

class Finder {
 public:
  Finder(const LoopToCompile& loop, const LoopTypes& types, const std::vector<Tensor>& slots)
      : loop_(loop), types_(types), slots_(slots) {
    for (uint32_t at = loop.bounds.head; at <= loop.bounds.last; ++at) {
      VisitSlots(
          loop.at(at), loop.code.args, loop.code.outputs, [](const Arg&) {},
          [&](uint32_t slot) { writes_[slot].push_back(at); });
      const Instruction& repeat = loop.at(at);
      if (repeat.op == OpCode::kRepeat) loops_.push_back({repeat.target, at});
    }
  }

  std::vector<LoopCounter> Find() {
    for (const LoopBounds& bounds : loops_) FindIn(bounds);
    return std::move(counters_);
  }

 private:
  void FindIn(const LoopBounds& bounds) {
    const std::optional<uint32_t> test = TestOf(loop_.code, bounds);
    if (test) FindBelow(loop_.at(*test).a, *test, bounds);
  }

  // Finds counters that are known to be below some number where `condition` holds.
  void FindBelow(uint32_t condition, uint32_t test, const LoopBounds& bounds) {
    const std::optional<uint32_t> at = OnlyWrite(condition);
    if (!at || *at < bounds.head || *at >= test) return;
    const std::string_view body = BodyAt(*at);
    if (body.starts_with("LogicalAnd_")) {
      FindBelow(InputSlot(*at, 0), test, bounds);
      FindBelow(InputSlot(*at, 1), test, bounds);
    } else if (body == "Less_i32" || body == "Less_i64") {
      Try(InputSlot(*at, 0), test, bounds);
    } else if (body == "Greater_i32" || body == "Greater_i64") {
      Try(InputSlot(*at, 1), test, bounds);
    }
  }

  void Try(uint32_t slot, uint32_t test, const LoopBounds& bounds) {
    if (!IsIndex(slot) || !writes_.contains(slot)) return;
    LoopCounter counter{slot, test + 1, {slot}};
    for (const uint32_t at : writes_.at(slot)) {
      const Instruction& move = loop_.at(at);
      if (move.op != OpCode::kMove) return;
      const uint32_t from = loop_.arg(move, 0).slot;
      const bool is_start = !bounds.Contains(at) && !writes_.contains(from);
      if (!IsIndex(from) || (!is_start && !IsNext(from, slot, test, bounds))) return;
      counter.expected.push_back(from);
    }
    const auto is_negative = [&](uint32_t expected) { return IsNegative(slots_[expected]); };
    if (std::ranges::any_of(counter.expected, is_negative)) return;
    counters_.push_back(std::move(counter));
  }

  // Whether `next` is the slot + 1, added where the slot is what was tested.
  bool IsNext(uint32_t next, uint32_t slot, uint32_t test, const LoopBounds& bounds) const {
    const std::optional<uint32_t> at = OnlyWrite(next);
    if (!at || *at < test || !bounds.Contains(*at) || IsInInnerLoop(*at, bounds)) return false;
    const std::string_view body = BodyAt(*at);
    if (body != "Add_i32" && body != "Add_i64") return false;
    const uint32_t x = InputSlot(*at, 0), y = InputSlot(*at, 1);
    const bool adds_one =
        (x == slot && types_.Constant(y) == "1") || (y == slot && types_.Constant(x) == "1");
    const auto is_between = [&](uint32_t write) { return write > test && write < *at; };
    return adds_one && std::ranges::none_of(writes_.at(slot), is_between);
  }

  bool IsInInnerLoop(uint32_t at, const LoopBounds& bounds) const {
    return std::ranges::any_of(loops_, [&](const LoopBounds& other) {
      return other.size() < bounds.size() && other.Contains(at);
    });
  }
  bool IsIndex(uint32_t slot) const {
    const DType dtype = types_.ScalarIn(slot);
    return dtype == DType::kInt32 || dtype == DType::kInt64;
  }
  // Nothing: nobody or several write it.
  std::optional<uint32_t> OnlyWrite(uint32_t slot) const {
    const auto found = writes_.find(slot);
    if (found == writes_.end() || found->second.size() != 1) return std::nullopt;
    return found->second.front();
  }
  // Empty: it calls none, or not with scalars.
  std::string_view BodyAt(uint32_t at) const {
    const Instruction& call = loop_.at(at);
    if (call.op != OpCode::kCall || !types_.CallAt(at)) return "";
    const bool gives_scalar = types_.ScalarIn(loop_.output(call, 0)) != DType::kInvalid;
    return gives_scalar && call.n == 2 ? std::string_view(types_.CallAt(at)->body) : "";
  }
  uint32_t InputSlot(uint32_t at, size_t i) const { return loop_.arg(loop_.at(at), i).slot; }

  const LoopToCompile& loop_;
  const LoopTypes& types_;
  const std::vector<Tensor>& slots_;
  std::vector<LoopBounds> loops_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> writes_;  // instructions, by slot
  std::vector<LoopCounter> counters_;
};

}  // namespace

std::vector<LoopCounter> FindCounters(const LoopToCompile& loop, const LoopTypes& types,
                                      const std::vector<Tensor>& slots) {
  return Finder(loop, types, slots).Find();
}

bool IsNegative(const Tensor& value) {
  const std::optional<int64_t> integer = IntegerIn(value);
  return integer && *integer < 0;
}

}  // namespace tagflow::optimized
