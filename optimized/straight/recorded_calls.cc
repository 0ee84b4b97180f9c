#include "optimized/straight/recorded_calls.h"

#include <utility>

#include "optimized/errors.h"
#include "optimized/resources.h"
#include "optimized/straight/machine.h"

namespace tagflow::optimized {
namespace {

// A loop with more is the host's: it would be recorded for longer than it runs.
constexpr int64_t kMaxRecordedCalls = 10'000;

}  // namespace

RecordedCalls::RecordedCalls(const RecorderParts& parts)
    : KernelContext(parts.slots.data(), parts.services),
      loops_(parts.loops),
      code_(parts.code),
      values_(parts.slots),
      program_(parts.program),
      variables_(parts.variables),
      split_(parts.split),
      iterations_(parts.code.max_depth + size_t{1}),
      is_moved_to_(parts.slots.size()),
      recording_(parts.recording),
      unknown_chains_(parts.wants_kernels ? DeviceChain::Unknown::kWant
                                          : DeviceChain::Unknown::kLeave) {}

Status RecordedCalls::Call(const Instruction& call) {
  if (++num_calls_ > kMaxRecordedCalls) return FailedPrecondition("there are too many kernels");
  at_ = &call;
  const Arg* const args = code_.args.data() + call.a;
  const DeviceKernel* const own = loops_.device_kernel(call.node);
  const Result<bool> is_of_host = split_.TakesOver(call, own);
  if (!is_of_host.ok()) return Explained(call, is_of_host.status());
  if (!*is_of_host) TAGFLOW_RETURN_IF_ERROR(Explained(call, split_.Lend(call, own)));
  Point(args, code_.outputs.data() + call.b, static_cast<int>(call.n));
  // A device's kernel says itself what it reads on the host (StepDevices).
  for (int i = 0; i < num_inputs() && own == nullptr; ++i) {
    if (!input(i).is_inline()) recording_.NoteHostRead(input(i));
  }
  TAGFLOW_RETURN_IF_ERROR(Explained(call, call.function(call.state, *this)));
  split_.TakeBack();
  split_.Wrote(call, *is_of_host);
  for (uint32_t i = 0; i < call.n; ++i) {
    if (args[i].is_last && !values_[args[i].slot].is_inline()) values_[args[i].slot] = Tensor();
  }
  return Status();
}

std::string RecordedCalls::tag() const {
  return TagWithin(services(),
                   at_ == nullptr ? "" : TagOf(at_->node, loops_.frames(), iterations_));
}

// Why a kernel cannot be recorded.
Status RecordedCalls::Explained(const Instruction& call, const Status& status) const {
  if (status.code() != tagflow::Code::kFailedPrecondition) return status;
  const bool is_of_host = loops_.device_kernel(call.node) == nullptr;
  return FailedPrecondition(loops_.NameOf(call.node) +
                            (is_of_host ? " is a kernel of the host's: " : ": ") +
                            status.message());
}

Result<bool> RecordedCalls::TryFused(const Instruction& at, uint32_t place) {
  const FusedCalls& fused = code_.fused[at.n];
  if (fused.on_device == nullptr) return false;
  TAGFLOW_RETURN_IF_ERROR(split_.Lend(fused));
  Point(code_.args.data() + fused.first_arg, code_.outputs.data() + fused.first_output,
        static_cast<int>(fused.num_args));
  const DeviceChain::Outcome outcome = fused.on_device->Try(*this, unknown_chains_);
  split_.TakeBack();
  if (outcome != DeviceChain::Outcome::kDone) return false;
  num_calls_ += fused.num_calls;
  for (uint32_t i = place + 1; i < at.target; ++i) {
    const Instruction& call = code_.instructions[i];
    if (call.op == OpCode::kCall) split_.Wrote(call, /*is_of_host=*/false);
  }
  for (const uint32_t slot : fused.released) {
    if (!values_[slot].is_inline()) values_[slot] = Tensor();
  }
  return true;
}

// What the host has is fetched as it is: it may be a feed. A variable's value may change.
Status RecordedCalls::Fetch(const Tensor& value, Tensor& result) {
  const bool is_of_host = !value.is_inline() && value.memory_kind() == MemoryKind::kHost;
  if (is_of_host) recording_.NoteHostRead(value);
  const bool is_handle = value.dtype() == DType::kResource && value.num_elements() == 1;
  if (is_handle && std::dynamic_pointer_cast<StepObject>(value.data<ResourceHandle>()->object)) {
    return FailedPrecondition("a stack or array is fetched");
  }
  result = value;
  if (variables_.HavePartOf(value)) {
    TAGFLOW_ASSIGN_OR_RETURN(result, OwnOf(value));
  }
  return Status();
}

Status RecordedCalls::Move(const Instruction& move) {
  TAGFLOW_RETURN_IF_ERROR(split_.Move(move));
  const Arg from = code_.args[move.a];
  Tensor value = values_[from.slot];
  if (from.is_last) values_[from.slot] = Tensor();
  values_[move.b] = std::move(value);
  is_moved_to_[move.b] = true;
  return Status();
}

Result<Tensor> RecordedCalls::OwnOf(const Tensor& value) {
  if (!IsThere(value)) return FailedPrecondition("a loop changes what the host has");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor own,
                           Tensor::AllocateUninitialized(value.dtype(), value.dims(), memory()));
  TAGFLOW_RETURN_IF_ERROR(program_.Set(own, value));
  return own;
}

}  // namespace tagflow::optimized
