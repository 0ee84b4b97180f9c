#include "optimized/native/loop_trips.h"

#include <algorithm>
#include <string_view>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

// The formula of a call of two inputs; empty: it has none.
std::string_view FormulaOf(const KernelPart* part) {
  if (part == nullptr) return "";
  if (std::holds_alternative<AdditionPart>(*part)) return "Add";
  const auto* const pairs = std::get_if<const PairLoop*>(part);
  return pairs == nullptr ? "" : (*pairs)->formula.name;
}

// The one instruction of the loop that writes the slot; nothing: none does, or several.
std::optional<uint32_t> WriterOf(uint32_t slot, const Code& code, const LoopBounds& bounds) {
  std::optional<uint32_t> writer;
  bool is_only = true;
  for (uint32_t at = bounds.head; at <= bounds.last; ++at) {
    VisitSlots(
        code.instructions[at], code.args, code.outputs, [](const Arg&) {},
        [&](uint32_t written) {
          if (written != slot) return;
          is_only = !writer;
          writer = at;
        });
    if (!is_only) return std::nullopt;
  }
  return writer;
}

bool IsOne(uint32_t slot, const Code& code) {
  return std::ranges::any_of(code.constants, [&](const auto& constant) {
    return constant.first == slot && IntegerIn(constant.second) == 1;
  });
}

}  // namespace

std::optional<LoopTrips> LoopTrips::Of(const Code& code, const LoopBounds& bounds,
                                       const std::vector<const KernelPart*>& parts) {
  const auto input = [&](uint32_t at, uint32_t i) {
    return code.args[code.instructions[at].a + i].slot;
  };
  const auto test = TestOf(code, bounds);
  if (!test) return std::nullopt;
  const auto compare = WriterOf(code.instructions[*test].a, code, bounds);
  if (!compare) return std::nullopt;
  LoopTrips trips;
  trips.counts_down_ = FormulaOf(parts[*compare]) == "Greater";
  if (!trips.counts_down_ && FormulaOf(parts[*compare]) != "Less") return std::nullopt;
  trips.counter_ = input(*compare, 0);
  trips.bound_ = input(*compare, 1);
  const auto move = WriterOf(trips.counter_, code, bounds);
  if (!move || code.instructions[*move].op != OpCode::kMove) return std::nullopt;
  const auto step = WriterOf(input(*move, 0), code, bounds);
  if (!step || FormulaOf(parts[*step]) != (trips.counts_down_ ? "Sub" : "Add")) {
    return std::nullopt;
  }
  const bool is_by_one = input(*step, 0) == trips.counter_ && IsOne(input(*step, 1), code);
  return is_by_one ? std::optional(trips) : std::nullopt;
}

int64_t LoopTrips::Left(const std::vector<Tensor>& slots) const {
  const auto now = IntegerIn(slots[counter_]), bound = IntegerIn(slots[bound_]);
  if (!now || !bound) return 0;
  int64_t left = 0;
  const bool overflows = counts_down_ ? __builtin_sub_overflow(*now, *bound, &left)
                                      : __builtin_sub_overflow(*bound, *now, &left);
  return overflows ? 0 : std::max<int64_t>(0, left);
}

}  // namespace tagflow::optimized
