#include "optimized/devices/sim_kernel.h"

#include <utility>

#include "optimized/devices/state.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

// What a kernel is given when it runs on its own.
class OwnContext : public KernelContext {
 public:
  OwnContext(Tensor* slots, const StepServices& services, const std::string& tag)
      : KernelContext(slots, services), tag_(tag) {}
  std::string tag() const override { return tag_; }

 private:
  const std::string& tag_;
};

}  // namespace

SimKernel::SimKernel(SimStep& step, SimSide& side, const DeviceKernel& kernel,
                     KernelContext& context, std::shared_ptr<AsyncCall> call)
    : step_(step),
      side_(side),
      kernel_(kernel),
      call_(std::move(call)),
      services_(context.services()),
      tag_(context.tag()) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    const bool may_change = context.MayOverwrite(i);
    inputs_.push_back({context.Take(i), may_change});
  }
  FindBlocks();
}

// Of what it reads. What is carried may be anywhere.
void SimKernel::FindBlocks() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& token = inputs_[i].token;
    if (IsCarried(i)) {
      carried_ = side_.memory.BlockOf(token);
    } else if (!IsHandedOn(i)) {
      VisitTensors(token, [this](const Tensor& tensor) { read_.Add(tensor); });
    }
  }
}

bool SimKernel::Begin() { return read_.Bring(); }

int64_t SimKernel::duration_ns() {
  if (kernel_.is_carrier) return 0;
  ++side_.num_kernels;
  return step_.KernelTime(read_.bytes());
}

bool SimKernel::End() {
  if (!std::exchange(has_run_, true)) {
    status_ = Run();
    if (kernel_.keeps_state) LetInputsGo();
  }
  if (!status_.ok()) {
    call_->Done(std::exchange(status_, Status()));
    return true;
  }
  if (!KeepState() || !KeepOutputs()) {
    side_.swapper.MakeRoom(bytes_wanted_);
    return false;
  }
  NoteHistories(outputs_);
  made_.clear();
  LetInputsGo();
  call_->Done(std::move(outputs_));
  return true;
}

void SimKernel::LetInputsGo() {
  for (Input& input : inputs_) {
    if (input.token.dtype() == DType::kResource) handles_.push_back(std::move(input.token));
  }
  inputs_.clear();
  read_.Release();
}

// What the resources that it had hold now. An input that they hold is counted as theirs, and no
// more as the token's.
bool SimKernel::KeepState() {
  if (!kernel_.keeps_state || services_.session == nullptr) return true;
  while (!handles_.empty()) {
    bytes_wanted_ = CountState(handles_.back(), *services_.session, side_.memory);
    wanted_ = "what a variable or array keeps";
    if (bytes_wanted_ > 0) return false;
    handles_.pop_back();
  }
  return true;
}

// All that was made, in the device's memory.
bool SimKernel::KeepOutputs() {
  while (outputs_.size() < made_.size()) {
    const Tensor& made = made_[outputs_.size()];
    if (kernel_.is_carrier && made.dtype() == DType::kVariant) {
      outputs_.push_back(made);  // what it holds is where it is
      continue;
    }
    Result<Tensor> kept = WithTensors(made, [this](const Tensor& tensor) { return Kept(tensor); });
    wanted_ = "an output";
    if (!kept.ok()) return false;
    outputs_.push_back(*std::move(kept));
  }
  return true;
}

void SimKernel::GiveUp() {
  call_->Done(has_run_ ? side_.NoRoom(wanted_, bytes_wanted_)
                       : side_.NoRoom("an input that was swapped out", read_.bytes_missing()));
}

// An input as the kernel sees it.
Result<Tensor> SimKernel::Shown(const Input& input) {
  return WithTensors(input.token, [this](const Tensor& tensor) -> Result<Tensor> {
    if (side_.memory.BlockOf(tensor) == nullptr) return tensor;
    if (kernel_.keeps_state) return HostCopyOf(tensor, side_.memory);
    return ViewOf(tensor, side_.memory);
  });
}

Status SimKernel::Run() {
  std::vector<Tensor> slots;
  std::vector<Arg> args;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    args.push_back({static_cast<uint32_t>(i), input.may_change});
    if (IsHandedOn(i)) {
      // A list is changed where it is, if nobody else has it.
      slots.push_back(input.may_change ? std::move(inputs_[i].token) : input.token);
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor shown, Shown(input));
      slots.push_back(std::move(shown));
    }
  }
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < kernel_.num_outputs; ++i) {
    outputs.push_back(static_cast<uint32_t>(slots.size() + i));
  }
  slots.resize(slots.size() + kernel_.num_outputs);
  OwnContext context(slots.data(), services_, tag_);
  context.Point(args.data(), outputs.data(), static_cast<int>(args.size()));
  TAGFLOW_RETURN_IF_ERROR(kernel_.kernel(context));
  for (const uint32_t output : outputs) made_.push_back(std::move(slots[output]));
  return Status();
}

// The input that a tensor that was made lies over, from the beginning to the end; null.
const Tensor* SimKernel::InputAt(const Tensor& made) const {
  if (kernel_.keeps_state) return nullptr;
  for (const Input& input : inputs_) {
    const Tensor& token = input.token;
    if (token.dtype() != made.dtype() || token.is_inline()) continue;
    if (side_.memory.BlockOf(token) == nullptr || token.byte_size() != made.byte_size()) continue;
    if (made.raw_data() == side_.memory.Reach(token)) return &token;
  }
  return nullptr;
}

// What was made, in the device's memory.
Result<Tensor> SimKernel::Kept(const Tensor& made) {
  if (made.memory_kind() == MemoryKind::kDevice) return made;
  if (const Tensor* const input = InputAt(made)) return input->Reshaped(made.dims());
  Result<Tensor> copy = DeviceCopyOf(made, side_.memory);
  if (!copy.ok()) bytes_wanted_ = made.byte_size();
  return copy;
}

void SimKernel::NoteHistories(const std::vector<Tensor>& outputs) {
  if (!kernel_.is_history) return;
  if (kernel_.carried_input >= 0) {
    if (carried_ != nullptr) side_.swapper.Pushed(carried_);
    return;
  }
  for (const Tensor& output : outputs) {
    if (const SimBlockPtr block = side_.memory.BlockOf(output)) side_.swapper.Taken(block);
  }
}

}  // namespace tagflow::optimized
