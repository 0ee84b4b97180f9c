#include "optimized/straight/machine.h"

#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "graph/out_of_memory.h"
#include "graph/tag.h"
#include "optimized/devices/step_devices.h"
#include "optimized/errors.h"
#include "optimized/resources.h"
#include "optimized/straight/device_chain.h"

namespace tagflow::optimized {

Machine::Machine(const Code& code, const Origin& origin, std::vector<Tensor>& slots,
                 const StepControl& control, DeviceLoops* loops, NativeLoops* native)
    : KernelContext(slots.data(), control.services),
      code_(code),
      origin_(origin),
      stop_(control),
      fuel_(control.max_firings > 0 ? control.max_firings : std::numeric_limits<int64_t>::max()),
      max_firings_(fuel_),
      iterations_(code.max_depth + size_t{1}),
      suits_(code.fused.size(), true),
      values_(slots),
      loops_(loops),
      tested_(loops == nullptr ? 0 : loops->size()),
      native_(native) {}

Status Machine::Run(std::vector<Tensor>& results) {
  try {
    return RunCode(results);
  } catch (const std::bad_alloc&) {
    return at_ == nullptr ? OutOfMemory() : At(*at_, OutOfMemory());
  }
}

Status Machine::RunCode(std::vector<Tensor>& results) {
  const Instruction* const begin = code_.instructions.data();
  for (const Instruction* at = begin;; ++at) {
    const Instruction& instruction = *at;
    switch (instruction.op) {
      case OpCode::kTryFused:
        if (TryFused(instruction)) at = begin + instruction.target - 1;
        break;
      case OpCode::kCall:
        if (--fuel_ < 0 || stop_.is_set()) [[unlikely]]
          return Stopped(instruction);
        if (Status error = Call(instruction); !error.ok()) [[unlikely]]
          return error;
        break;
      case OpCode::kMove:
        Move(instruction.a, slots_[instruction.b]);
        break;
      case OpCode::kRead:
      case OpCode::kRequire:
      case OpCode::kScalar:
        TAGFLOW_RETURN_IF_ERROR(Check(instruction));
        break;
      case OpCode::kDrop:
        Drop(instruction.a);
        break;
      case OpCode::kJump:
        at = begin + instruction.target - 1;
        break;
      case OpCode::kUnless:
        if (!slots_[instruction.a].is_inline() || instruction.loop >= 0) [[unlikely]]
          TAGFLOW_RETURN_IF_ERROR(TestOfLoop(instruction));
        if (!Holds(instruction)) at = begin + instruction.target - 1;
        break;
      case OpCode::kUnlessIndex:
        if (!slots_[instruction.a].is_inline()) [[unlikely]]
          TAGFLOW_RETURN_IF_ERROR(FetchScalar(instruction));
        if (!HoldsIndex(instruction)) at = begin + instruction.target - 1;
        break;
      case OpCode::kEnter:
        iterations_[instruction.n] = 0;
        if (at = AtHead(instruction, at); at == nullptr) return native_error_;
        break;
      case OpCode::kRepeat:
        if (--fuel_ < 0 || stop_.is_set()) [[unlikely]]
          return Stopped(instruction);
        ++iterations_[instruction.n];
        at = AtHead(instruction, begin + instruction.target - 1);
        if (at == nullptr) return native_error_;
        break;
      case OpCode::kPiece:
        if (at = AtPiece(at); at == nullptr) return native_error_;
        break;
      case OpCode::kFetch:
        Move(instruction.a, results[instruction.b]);
        break;
      case OpCode::kEnd:
        return Status();
    }
  }
}

Result<bool> Machine::RunOnDevice(const Instruction& test) {
  const bool counts_firings = max_firings_ != std::numeric_limits<int64_t>::max();
  const bool is_scalar = slots_[test.a].rank() == 0;
  if (loops_ == nullptr || test.loop < 0 || counts_firings || !is_scalar) return false;
  Tested& tested = tested_[static_cast<size_t>(test.loop)];
  if (tested == Tested::kLeave) return false;
  const bool may_record = std::exchange(tested, Tested::kYes) == Tested::kYes;
  const auto ran = loops_->Run(test.loop, values_, services(), stop_, may_record);
  if (!ran.ok()) return At(test, ran.status());
  const bool has_run = ran->is_over || ran->iterations > 0;
  if (may_record && !has_run && ran->stopped_by.empty()) tested = Tested::kLeave;
  const Instruction& repeat = code_.instructions[loops_->loop(test.loop).repeat];
  iterations_[repeat.n] += ran->iterations;
  return ran->is_over;
}

const Instruction* Machine::RunNative(int32_t loop, const Instruction* before) {
  const bool counts_firings = max_firings_ != std::numeric_limits<int64_t>::max();
  NativePlace place = {
      values_,        iterations_.data(),          fuel_, stop_.word(), counts_firings, Host(),
      native_.done(), native_.has_compiled_piece()};
  const std::optional<int32_t> next = native_.Run(loop, place);
  open_.ShutObjects();
  if (!next) return before;
  if (*next == kNativeFailed) return nullptr;
  return code_.instructions.data() + *next - 1;
}

NativeHost Machine::Host() {
  NativeHost host;
  host.self = this;
  host.run = [](void* self, int32_t number) {
    auto& machine = *static_cast<Machine*>(self);
    const auto& instructions = machine.code_.instructions;
    return static_cast<int32_t>(machine.RunOne(instructions[static_cast<size_t>(number)]));
  };
  host.open = [](void* self, int32_t kind, uint32_t slot, const TensorType* type) -> void* {
    auto& machine = *static_cast<Machine*>(self);
    return machine.open_.Open(static_cast<CellsKind>(kind), machine.values_[slot], type);
  };
  host.close = [](void* self, void* list, uint32_t slot) {
    auto& machine = *static_cast<Machine*>(self);
    machine.open_.CloseList(static_cast<Cells*>(list), machine.values_[slot]);
  };
  host.elements = [](void* self, const NativeTensor* tensor, int32_t writer) {
    return static_cast<Machine*>(self)->Elements(*tensor, writer);
  };
  host.put = [](void* self, uint32_t slot, void* cell, int32_t moves) {
    Tensor& from = static_cast<Machine*>(self)->values_[slot];
    *static_cast<Tensor*>(cell) = moves != 0 ? std::move(from) : from;
  };
  host.get = [](void* self, const NativeTensor* tensor, void* cell, int32_t keeps) -> void* {
    Tensor& from = *static_cast<Tensor*>(cell);
    Tensor& to = static_cast<Machine*>(self)->values_[tensor->slot];
    to = keeps != 0 ? from : std::move(from);
    return tensor->type.IsOf(to) ? to.mutable_raw_data() : nullptr;
  };
  static const TensorType kList = {DType::kVariant};
  host.list = &kList;
  host.tensors = nullptr;
  return host;
}

void* Machine::Elements(const NativeTensor& tensor, int32_t writer) noexcept {
  Tensor& slot = values_[tensor.slot];
  const bool may_be_had = writer == kNativeReads || slot.unique();
  if (tensor.type.IsOf(slot) && may_be_had) return slot.mutable_raw_data();
  if (writer < 0) return nullptr;
  const Instruction& at = code_.instructions[static_cast<size_t>(writer)];
  try {
    Result<Tensor> made = Tensor::AllocateUninitialized(tensor.type.dtype, tensor.type.dims);
    if (made.ok()) {
      slot = *std::move(made);
      return slot.mutable_raw_data();
    }
    native_error_ = At(at, made.status());
  } catch (const std::bad_alloc&) {
    native_error_ = At(at, OutOfMemory());
  }
  return nullptr;
}

NativeOutcome Machine::RunOne(const Instruction& instruction) {
  open_.ShutObjects();
  if (instruction.op == OpCode::kTryFused) {
    return TryFused(instruction) ? NativeOutcome::kFused : NativeOutcome::kDone;
  }
  if (stop_.is_set()) return NativeOutcome::kLeaveBefore;
  try {
    Status status = instruction.op == OpCode::kCall ? Call(instruction) : RunPlain(instruction);
    if (status.ok()) [[likely]]
      return NativeOutcome::kDone;
    native_error_ = std::move(status);
  } catch (const std::bad_alloc&) {
    // Machine code has nothing that an exception could go through.
    native_error_ = At(instruction, OutOfMemory());
  }
  return NativeOutcome::kFailed;
}

Status Machine::RunPlain(const Instruction& instruction) {
  switch (instruction.op) {
    case OpCode::kMove:
      Move(instruction.a, slots_[instruction.b]);
      return Status();
    case OpCode::kDrop:
      Drop(instruction.a);
      return Status();
    default:
      return Check(instruction);
  }
}

Status Machine::TestOfLoop(const Instruction& test) {
  if (slots_[test.a].is_inline()) return TestCounted(test);
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_over, RunOnDevice(test));
  return is_over ? Status() : FetchScalar(test);
}

Status Machine::TestCounted(const Instruction& test) {
  if (!slots_[test.a].inline_value<bool>()) return Status();
  const Instruction& repeat = code_.instructions[loops_->loop(test.loop).repeat];
  if (iterations_[repeat.n] < loops_->CountedByHost(test.loop)) return Status();
  Tested& tested = tested_[static_cast<size_t>(test.loop)];
  if (tested == Tested::kNo) tested = Tested::kYes;
  TAGFLOW_RETURN_IF_ERROR(RunOnDevice(test).status());
  return slots_[test.a].is_inline() ? Status() : FetchScalar(test);
}

Status Machine::FetchScalar(const Instruction& test) {
  at_ = &test;
  Tensor& asked = slots_[test.a];
  if (asked.rank() > 0) return At(test, PredicateIsNoScalar(asked.dims()));
  Result<Tensor> on_host = services().devices->OnHost(asked);
  if (!on_host.ok()) return At(test, on_host.status());
  asked = *std::move(on_host);
  return Status();
}

bool Machine::TryFused(const Instruction& at) {
  if (!suits_[at.n]) return false;
  const FusedCalls& fused = code_.fused[at.n];
  Point(code_.args.data() + fused.first_arg, code_.outputs.data() + fused.first_output,
        static_cast<int>(fused.num_args));
  using Outcome = DeviceChain::Outcome;
  Outcome outcome = Outcome::kNotSuited;
  // Limits are the calls' to tell of.
  if (fuel_ >= fused.num_calls && !stop_.is_set()) {
    if (fused.on_device != nullptr) {
      outcome = fused.on_device->Try(*this, DeviceChain::Unknown::kMakeIfItPays);
    } else if (fused.function(fused.state.get(), *this)) {
      outcome = Outcome::kDone;
    }
  }
  suits_[at.n] = outcome != Outcome::kNotSuited;
  if (outcome != Outcome::kDone) return false;
  fuel_ -= fused.num_calls;
  for (const uint32_t slot : fused.released) {
    if (!slots_[slot].is_inline()) Drop(slot);
  }
  return true;
}

Status Machine::Check(const Instruction& check) {
  const Tensor& checked = slots_[check.a];
  if (check.op == OpCode::kScalar) return checked.is_inline() ? Status() : FetchScalar(check);
  Tensor value = ReferencedVariable(checked).value();
  if (!value.has_value()) return Uninitialized(check);
  if (check.op == OpCode::kRead) slots_[check.b] = std::move(value);
  return Status();
}

Status Machine::Uninitialized(const Instruction& at) {
  at_ = &at;
  return At(at, UninitializedVariable(ReferencedVariable(slots_[at.a]).name()));
}

std::string TagOf(NodeId node, const FrameTree& tree, const std::vector<int64_t>& iterations) {
  if (node == NodeId::kNone) return "";
  Tag tag;
  std::vector<int> path;
  for (int frame = tree.frame_of[Index(node)]; frame > FrameTree::kRoot;
       frame = tree.frames[static_cast<size_t>(frame)].parent) {
    path.insert(path.begin(), frame);
  }
  for (size_t depth = 0; depth < path.size(); ++depth) {
    tag.path.push_back({tree.frames[static_cast<size_t>(path[depth])].name, iterations[depth + 1]});
  }
  return ToString(tag);
}

std::string Machine::tag() const {
  const NodeId node = at_ == nullptr ? NodeId::kNone : at_->node;
  return TagWithin(services(), TagOf(node, origin_.frames, iterations_));
}

Status Machine::At(const Instruction& at, const Status& error) const {
  if (at.node == NodeId::kNone) return error;
  return error.WithNode(origin_.graph.node(at.node).name).WithTag(tag());
}

Status Machine::Stopped(const Instruction& at) {
  at_ = &at;
  if (fuel_ >= 0) return At(at, stop_.status());
  return At(at, StepLimitReached(max_firings_));
}

}  // namespace tagflow::optimized
