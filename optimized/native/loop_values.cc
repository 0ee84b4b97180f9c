#include "optimized/native/loop_values.h"

#include <algorithm>
#include <span>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {

Status LoopValues::Look(const std::vector<Tensor>& slots) {
  FindCalls();
  FindSlots(slots);
  while (Infer()) {
  }
  FindContainers();
  for (const auto& [slot, value] : loop_.code.constants) {
    const auto found = slots_.find(slot);
    if (found == slots_.end() || found->second.is_written || !is_native(slot)) continue;
    constants_[slot] = NativeLiteral(value);
  }
  for (const auto& [slot, found] : slots_) {
    if (found.dtype == DType::kInvalid) {
      has_unknown_ = has_unknown_ || found.is_empty;
    } else {
      values_.push_back({slot, found.dtype, found.is_written});
    }
  }
  std::ranges::sort(values_, {}, &NativeValue::slot);
  Status status;
  ForEach([&](uint32_t at) {
    const Instruction& test = At(at);
    const DType wanted = test.op == OpCode::kUnless        ? DType::kBool
                         : test.op == OpCode::kUnlessIndex ? DType::kInt32
                                                           : DType::kInvalid;
    if (wanted != DType::kInvalid && dtype(test.a) != wanted) {
      status = FailedPrecondition("a predicate is no scalar");
    }
  });
  return status;
}

void LoopValues::FindCalls() {
  calls_.resize(loop_.bounds.last - loop_.bounds.head + 1);
  ForEach([&](uint32_t at) {
    const KernelPart* const part = loop_.parts[at];
    if (part != nullptr) calls_[at - loop_.bounds.head] = ScalarCallOf(*part, loop_.has_body);
  });
}

void LoopValues::FindSlots(const std::vector<Tensor>& slots) {
  const auto add = [&](uint32_t number) -> Slot& {
    const auto [place, is_new] = slots_.try_emplace(number);
    if (!is_new) return place->second;
    const Tensor& now = slots[number];
    place->second.is_empty = !now.has_value();
    const bool is_scalar = now.has_value() && now.is_inline();
    if (is_scalar && NativeTypeOf(now.dtype()) != nullptr) place->second.dtype = now.dtype();
    return place->second;
  };
  ForEach([&](uint32_t at) {
    VisitSlots(
        At(at), loop_.code.args, loop_.code.outputs, [&](const Arg& arg) { add(arg.slot); },
        [&](uint32_t slot) { add(slot).is_written = true; });
  });
}

bool LoopValues::Infer() {
  bool has_found = false;
  ForEach([&](uint32_t at) {
    const Instruction& instruction = At(at);
    const auto input = [&](uint32_t i) { return dtype(loop_.code.args[instruction.a + i].slot); };
    if (instruction.op == OpCode::kMove) {
      has_found = InferOutput(instruction.b, input(0)) || has_found;
    } else if (instruction.op == OpCode::kCall && ElementAt(at) != nullptr) {
      has_found = InferElement(instruction, *ElementAt(at)) || has_found;
    } else if (instruction.op == OpCode::kCall) {
      const std::optional<ScalarCall>& call = CallAt(at);
      if (!call) return;
      for (uint32_t i = 0; i < instruction.n; ++i) {
        if (input(i) == DType::kInvalid) return;
      }
      for (uint32_t i = 0; i < instruction.num_outputs; ++i) {
        const DType output = call->output == DType::kInvalid ? input(i) : call->output;
        has_found = InferOutput(loop_.code.outputs[instruction.b + i], output) || has_found;
      }
    }
  });
  return has_found;
}

// That an element is a scalar is a guess: where it was wrong, the loop is left once it shows.
bool LoopValues::InferElement(const Instruction& call, const ElementPart& part) {
  const uint32_t* const outputs = loop_.code.outputs.data() + call.b;
  if (part.element >= 0) {
    return NativeTypeOf(part.dtype) != nullptr && InferOutput(outputs[part.element], part.dtype);
  }
  if (part.handed_on < 0) return false;
  const uint32_t input = call.a + static_cast<uint32_t>(part.handed_on);
  return InferOutput(outputs[0], dtype(loop_.code.args[input].slot));
}

void LoopValues::FindContainers() {
  ForEach([&](uint32_t at) {
    const Instruction& call = At(at);
    const ElementPart* const part = call.op == OpCode::kCall ? ElementAt(at) : nullptr;
    if (part == nullptr || !AccessRunsNative(call, *part)) return;
    auto& containers = part->kind == CellsKind::kList ? lists_ : objects_;
    containers.insert(loop_.code.args[call.a].slot);
    if (part->gives_list) lists_.insert(loop_.code.outputs[call.b]);
  });
  // Where lists come from and go to.
  size_t found = 0;
  do {
    found = lists_.size();
    ForEach([&](uint32_t at) {
      const Instruction& move = At(at);
      if (move.op != OpCode::kMove) return;
      const uint32_t from = loop_.code.args[move.a].slot;
      if (!lists_.contains(from) && !lists_.contains(move.b)) return;
      for (const uint32_t slot : {from, move.b}) {
        if (!is_native(slot)) lists_.insert(slot);
      }
    });
  } while (lists_.size() > found);
}

bool LoopValues::InferOutput(uint32_t slot, DType dtype) {
  Slot& output = slots_.at(slot);
  if (!output.is_empty || output.dtype != DType::kInvalid || dtype == DType::kInvalid) return false;
  output.dtype = dtype;
  return true;
}

uint32_t LoopValues::num_native() const {
  uint32_t count = 0;
  ForEach([&](uint32_t at) { count += RunsNative(at) ? 1 : 0; });
  return count;
}

DType LoopValues::dtype(uint32_t slot) const {
  const auto found = slots_.find(slot);
  return found == slots_.end() ? DType::kInvalid : found->second.dtype;
}

std::string LoopValues::Constant(uint32_t slot) const {
  const auto found = constants_.find(slot);
  return found == constants_.end() ? "" : found->second;
}

bool LoopValues::RunsNative(uint32_t at) const {
  const Instruction& instruction = At(at);
  switch (instruction.op) {
    case OpCode::kCall:
      if (ElementAt(at) != nullptr) return AccessRunsNative(instruction, *ElementAt(at));
      return CallRunsNative(at);
    case OpCode::kMove: {
      const Arg& arg = loop_.code.args[instruction.a];
      const DType moved = dtype(arg.slot);
      if (lists_.contains(arg.slot) && lists_.contains(instruction.b)) return arg.is_last;
      return moved != DType::kInvalid && moved == dtype(instruction.b);
    }
    case OpCode::kScalar:
    case OpCode::kDrop:
      return is_native(instruction.a);
    case OpCode::kJump:
    case OpCode::kUnless:
    case OpCode::kUnlessIndex:
    case OpCode::kEnter:
    case OpCode::kRepeat:
      return true;
    case OpCode::kTryFused:
      return loop_.counts_firings || !FusedOutside(at);
    case OpCode::kRead:
    case OpCode::kRequire:
    case OpCode::kPiece:
    case OpCode::kFetch:
    case OpCode::kEnd:
      return false;
  }
  return false;
}

// Whether all of the fused calls are the machine's, and give no registers.
bool LoopValues::FusedOutside(uint32_t at) const {
  for (uint32_t call = at + 1; call < At(at).target; ++call) {
    const Instruction& instruction = At(call);
    if (instruction.op != OpCode::kCall) continue;
    const auto outputs =
        std::span(loop_.code.outputs).subspan(instruction.b, instruction.num_outputs);
    if (std::ranges::any_of(outputs, [this](uint32_t slot) { return is_native(slot); })) {
      return false;
    }
  }
  return true;
}

bool LoopValues::AccessRunsNative(const Instruction& call, const ElementPart& part) const {
  const auto input = [&](int i) -> const Arg& {
    return loop_.code.args[call.a + static_cast<uint32_t>(i)];
  };
  const auto output = [&](int i) {
    return dtype(loop_.code.outputs[call.b + static_cast<uint32_t>(i)]);
  };
  // A container that is handed on nowhere else is not to be kept for longer than a kernel would.
  const bool fits_container =
      !is_native(input(0).slot) && input(0).is_last == (part.gives_list ? 1 : 0);
  const DType index = part.index < 0 ? DType::kInt64 : dtype(input(part.index).slot);
  const bool fits_index = index == DType::kInt32 || index == DType::kInt64;
  const auto is_element = [&](DType dtype) {
    return dtype != DType::kInvalid && (part.dtype == DType::kInvalid || dtype == part.dtype);
  };
  const bool fits_element = (part.value < 0 || is_element(dtype(input(part.value).slot))) &&
                            (part.element < 0 || is_element(output(part.element)));
  const DType handed_on = part.handed_on < 0 ? DType::kInvalid : dtype(input(part.handed_on).slot);
  const bool fits_handed_on =
      part.handed_on < 0 || (handed_on != DType::kInvalid && handed_on == output(0));
  const bool fits_list = !part.gives_list || output(0) == DType::kInvalid;
  return fits_container && fits_index && fits_element && fits_handed_on && fits_list;
}

bool LoopValues::CallRunsNative(uint32_t at) const {
  const Instruction& instruction = At(at);
  const std::optional<ScalarCall>& call = CallAt(at);
  if (!call) return false;
  const auto input = [&](uint32_t i) { return dtype(loop_.code.args[instruction.a + i].slot); };
  bool fits = true;
  for (uint32_t i = 0; i < instruction.n; ++i) {
    const bool is_condition = call->kind == ScalarCall::Kind::kChoice && i == 0;
    const DType wanted = is_condition ? DType::kBool : call->input;
    fits = fits && input(i) != DType::kInvalid && (wanted == DType::kInvalid || input(i) == wanted);
  }
  for (uint32_t i = 0; i < instruction.num_outputs && fits; ++i) {
    const DType output = dtype(loop_.code.outputs[instruction.b + i]);
    fits = output == (call->output == DType::kInvalid ? input(i) : call->output);
  }
  return fits;
}

}  // namespace tagflow::optimized
