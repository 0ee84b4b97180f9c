#include "optimized/native/compiled_loop.h"

#include <algorithm>

namespace tagflow::optimized {

bool CompiledLoop::Suits(const std::vector<Tensor>& slots,
                         const std::vector<const void*>& done) const {
  const auto holds = [&](const NativeValue& value) {
    const Tensor& now = slots[value.slot];
    if (!now.has_value()) return value.is_written;
    const bool is_scalar = now.is_inline() && now.dtype() == value.dtype;
    return is_scalar && !(value.is_natural && IsNegative(now));
  };
  const auto is_done = [&](const Giver& giver) {
    return done[static_cast<size_t>(giver.piece)] == giver.code;
  };
  return std::ranges::all_of(looked_at, holds) && SuitsTensors(slots) &&
         (std::ranges::all_of(givers, is_done) || std::ranges::all_of(given, holds));
}

bool CompiledLoop::SuitsTensors(const std::vector<Tensor>& slots) const {
  return std::ranges::all_of(tensors, [&](const NativeTensor& tensor) {
    const Tensor& now = slots[tensor.slot];
    return now.has_value() ? tensor.type.IsOf(now) : tensor.is_written;
  });
}

bool CompiledLoop::Writes(const NativeValue& wanted) const {
  const auto found = std::ranges::lower_bound(values, wanted.slot, {}, &NativeValue::slot);
  return found != values.end() && found->slot == wanted.slot && found->is_written &&
         found->dtype == wanted.dtype;
}

SlotWriters::SlotWriters(const Code& code, std::span<const LoopBounds> pieces, int32_t first) {
  constexpr int32_t kNobody = -2;
  writers_.assign(code.num_slots, kNobody);
  std::vector<int32_t> piece_of(code.instructions.size(), kNoPiece);
  for (const LoopBounds& piece : pieces) {
    std::fill_n(piece_of.begin() + piece.head, piece.size(), first++);
  }
  for (size_t at = 0; at < code.instructions.size(); ++at) {
    VisitSlots(
        code.instructions[at], code.args, code.outputs, [](const Arg&) {},
        [&](uint32_t slot) {
          int32_t& writer = writers_[slot];
          const bool is_only = writer == kNobody || writer == piece_of[at];
          writer = is_only ? piece_of[at] : kNoPiece;
        });
  }
  std::ranges::replace(writers_, kNobody, kNoPiece);
}

}  // namespace tagflow::optimized
