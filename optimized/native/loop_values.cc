#include "optimized/native/loop_values.h"

#include <algorithm>
#include <span>

namespace tagflow::optimized {

Status LoopValues::Look(const std::vector<Tensor>& slots) {
  types_.emplace(loop_, slots);
  FindContainers();
  FindTensorCalls();
  FindRegisters();
  if (!loop_.takes_little()) counters_ = FindCounters(loop_, *types_, slots);
  NoteCounters();
  FindTensors();
  FindCopies();
  Status status;
  ForEach([&](uint32_t at) {
    const Instruction& test = loop_.at(at);
    const DType wanted = test.op == OpCode::kUnless        ? DType::kBool
                         : test.op == OpCode::kUnlessIndex ? DType::kInt32
                                                           : DType::kInvalid;
    if (wanted != DType::kInvalid && dtype(test.a) != wanted) {
      status = FailedPrecondition("a predicate is no scalar");
    }
  });
  return status;
}

void LoopValues::FindContainers() {
  ForEach([&](uint32_t at) {
    const Instruction& call = loop_.at(at);
    const ElementPart* const part = call.op == OpCode::kCall ? ElementAt(at) : nullptr;
    if (part == nullptr || !AccessRunsNative(call, *part)) return;
    auto& containers = part->kind == CellsKind::kList ? lists_ : objects_;
    containers.insert(loop_.arg(call, 0).slot);
    if (part->gives_list) lists_.insert(loop_.output(call, 0));
    if (IsOfLists(*part)) lists_.insert(loop_.ElementSlot(call, *part));
  });
  FollowMoves(lists_, &LoopValues::IsNoRegister);
}

void LoopValues::FollowMoves(std::set<uint32_t>& slots,
                             bool (LoopValues::*suits)(uint32_t slot) const) const {
  size_t found = 0;
  do {
    found = slots.size();
    ForEach([&](uint32_t at) {
      const Instruction& move = loop_.at(at);
      if (move.op != OpCode::kMove) return;
      const uint32_t from = loop_.arg(move, 0).slot;
      if (!slots.contains(from) && !slots.contains(move.b)) return;
      for (const uint32_t slot : {from, move.b}) {
        if ((this->*suits)(slot)) slots.insert(slot);
      }
    });
  } while (slots.size() > found);
}

void LoopValues::FindTensorCalls() {
  tensor_calls_.resize(loop_.bounds.size());
  whole_calls_.resize(loop_.bounds.size());
  ForEach([&](uint32_t at) {
    if (loop_.at(at).op != OpCode::kCall) return;
    tensor_calls_[at - loop_.bounds.head] = types_->TensorCallAt(at);
    whole_calls_[at - loop_.bounds.head] = types_->WholeCallAt(at);
  });
  // Calls that kernels would do at once are done by machine code if it does all of them.
  ForEach([&](uint32_t at) {
    if (loop_.at(at).op != OpCode::kTryFused || loop_.counts_firings) return;
    if (!FusedGivesNoRegister(at) || FusedRunsNative(at)) return;
    for (uint32_t call = at + 1; call < loop_.at(at).target; ++call) {
      tensor_calls_[call - loop_.bounds.head].reset();
      whole_calls_[call - loop_.bounds.head].reset();
    }
  });
}

void LoopValues::FindRegisters() {
  for (const auto& [slot, found] : types_->slots()) {
    if (is_native(slot)) values_.push_back({slot, found.type->dtype, found.is_written});
  }
  std::ranges::sort(values_, {}, &NativeValue::slot);
}

void LoopValues::NoteCounters() {
  for (const LoopCounter& counter : counters_) {
    for (const uint32_t slot : counter.expected) {
      const auto found = std::ranges::lower_bound(values_, slot, {}, &NativeValue::slot);
      found->is_natural = true;
    }
  }
}

bool LoopValues::IsTensor(uint32_t slot) const {
  const TensorType* const type = types_->TypeOf(slot);
  return type != nullptr && !type->dims.empty();
}

bool LoopValues::UsesTensors(uint32_t at) const {
  const Instruction& call = loop_.at(at);
  if (call.op != OpCode::kCall) return false;
  if (ElementAt(at) != nullptr) return AccessRunsNative(call, *ElementAt(at));
  return TensorCallAt(at) || WholeCallAt(at) || UsesRows(at);
}

void LoopValues::FindTensors() {
  std::set<uint32_t> used;
  ForEach([&](uint32_t at) {
    if (!UsesTensors(at)) return;
    VisitSlots(
        loop_.at(at), loop_.code.args, loop_.code.outputs,
        [&](const Arg& arg) {
          if (IsTensor(arg.slot)) used.insert(arg.slot);
        },
        [&](uint32_t slot) {
          if (IsTensor(slot)) used.insert(slot);
        });
  });
  FollowMoves(used, &LoopValues::IsTensor);
  for (const uint32_t slot : used) {
    tensors_.push_back({*types_->TypeOf(slot), slot, types_->slots().at(slot).is_written});
  }
}

void LoopValues::FindCopies() {
  ForEach([&](uint32_t at) {
    const Instruction& move = loop_.at(at);
    if (move.op != OpCode::kMove || loop_.arg(move, 0).is_last) return;
    const std::optional<size_t> from = TensorOf(loop_.arg(move, 0).slot), to = TensorOf(move.b);
    if (!from || !to || tensors_[*from].type != tensors_[*to].type) return;
    const Dims& dims = tensors_[*to].type.dims;
    if (*NumElements(dims) > kMostCopied) return;
    tensor_calls_[at - loop_.bounds.head] = TensorCall{.dims = dims, .inputs = {Walk::kElement}};
  });
}

std::optional<size_t> LoopValues::TensorOf(uint32_t slot) const {
  const auto found = std::ranges::lower_bound(tensors_, slot, {}, &NativeTensor::slot);
  if (found == tensors_.end() || found->slot != slot) return std::nullopt;
  return static_cast<size_t>(found - tensors_.begin());
}

uint32_t LoopValues::num_native() const {
  uint32_t count = 0;
  ForEach([&](uint32_t at) { count += RunsNative(at) ? 1 : 0; });
  return count;
}

bool LoopValues::RunsNative(uint32_t at) const {
  const Instruction& instruction = loop_.at(at);
  switch (instruction.op) {
    case OpCode::kCall:
      if (ElementAt(at) != nullptr) return AccessRunsNative(instruction, *ElementAt(at));
      if (UsesRows(at)) return true;
      return TensorCallAt(at) || WholeCallAt(at) || CallRunsNative(at);
    case OpCode::kMove:
      return TensorCallAt(at) || MoveRunsNative(instruction);
    case OpCode::kScalar:
      return is_native(instruction.a);
    case OpCode::kDrop:
      return is_native(instruction.a) || TensorOf(instruction.a);
    case OpCode::kJump:
    case OpCode::kUnless:
    case OpCode::kUnlessIndex:
    case OpCode::kEnter:
    case OpCode::kRepeat:
      return true;
    case OpCode::kTryFused:
      return loop_.counts_firings || !FusedGivesNoRegister(at) || FusedRunsNative(at);
    case OpCode::kRead:
    case OpCode::kRequire:
    case OpCode::kPiece:
    case OpCode::kFetch:
    case OpCode::kEnd:
      return false;
  }
  return false;
}

bool LoopValues::MoveRunsNative(const Instruction& move) const {
  const Arg& from = loop_.arg(move, 0);
  if (lists_.contains(from.slot) && lists_.contains(move.b)) return from.is_last;
  const std::optional<size_t> tensor = TensorOf(from.slot), to = TensorOf(move.b);
  if (tensor && to) return from.is_last && tensors_[*tensor].type == tensors_[*to].type;
  return is_native(from.slot) && dtype(from.slot) == dtype(move.b);
}

bool LoopValues::FusedGivesNoRegister(uint32_t at) const {
  for (uint32_t call = at + 1; call < loop_.at(at).target; ++call) {
    const Instruction& instruction = loop_.at(call);
    if (instruction.op != OpCode::kCall) continue;
    const auto outputs =
        std::span(loop_.code.outputs).subspan(instruction.b, instruction.num_outputs);
    if (std::ranges::any_of(outputs, [this](uint32_t slot) { return is_native(slot); })) {
      return false;
    }
  }
  return true;
}

bool LoopValues::FusedRunsNative(uint32_t at) const {
  for (uint32_t call = at + 1; call < loop_.at(at).target; ++call) {
    if (loop_.at(call).op == OpCode::kCall && !RunsNative(call)) return false;
  }
  return true;
}

bool LoopValues::AreAlike(uint32_t first, uint32_t second) const {
  const TensorType* const type = types_->TypeOf(first);
  const TensorType* const other = types_->TypeOf(second);
  return type != nullptr && other != nullptr && *type == *other;
}

bool LoopValues::AccessRunsNative(const Instruction& call, const ElementPart& part) const {
  const auto input = [&](int i) -> const Arg& { return loop_.arg(call, static_cast<size_t>(i)); };
  const auto output = [&](int i) { return loop_.output(call, static_cast<size_t>(i)); };
  // A container that is handed on nowhere else is not to be kept for longer than a kernel would.
  const bool fits_container =
      types_->TypeOf(input(0).slot) == nullptr && input(0).is_last == (part.gives_list ? 1 : 0);
  const DType index = part.index < 0 ? DType::kInt64 : dtype(input(part.index).slot);
  const bool fits_index = index == DType::kInt32 || index == DType::kInt64;
  const TensorType* const type = types_->TypeOf(loop_.ElementSlot(call, part));
  // A list is put and taken at the end of another, where it need not be kept or be freed.
  const bool fits_list_element = type == nullptr && IsOfLists(part) && part.index < 0 &&
                                 (part.value < 0 || input(part.value).is_last);
  const bool fits_element =
      fits_list_element ||
      (type != nullptr && (part.dtype == DType::kInvalid || type->dtype == part.dtype));
  const bool fits_handed_on = part.handed_on < 0 || AreAlike(input(part.handed_on).slot, output(0));
  const bool fits_list = !part.gives_list || types_->TypeOf(output(0)) == nullptr;
  return fits_container && fits_index && fits_element && fits_handed_on && fits_list;
}

bool LoopValues::CallRunsNative(uint32_t at) const {
  const Instruction& instruction = loop_.at(at);
  const std::optional<ScalarCall>& call = CallAt(at);
  const auto inputs = types_->InputTypes(instruction);
  if (!call || !inputs || !TakesDTypes(*call, *inputs)) return false;
  const auto is_scalar = [](const TensorType* type) { return type->dims.empty(); };
  if (call->shapes == ScalarCall::Shapes::kBias || !std::ranges::all_of(*inputs, is_scalar)) {
    return false;
  }
  for (uint32_t i = 0; i < instruction.num_outputs; ++i) {
    const DType output = call->output == DType::kInvalid ? (*inputs)[i]->dtype : call->output;
    if (dtype(loop_.output(instruction, i)) != output) return false;
  }
  return true;
}

}  // namespace tagflow::optimized
