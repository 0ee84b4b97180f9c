#include "optimized/devices/host_kernel.h"

#include "optimized/devices/own_context.h"
#include "optimized/devices/state.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
HostKernel::HostKernel(DeviceCall call, DeviceMemory& memory)
    : call_(std::move(call)), memory_(memory) {}

bool HostKernel::IsHandedOn(size_t i) const {
  const DType dtype = inputs()[i].token.dtype();
  return IsCarried(i) || (kernel().is_carrier && dtype == DType::kVariant);
}

// An input as the kernel sees it.
Result<Tensor> HostKernel::Shown(const DeviceInput& input) const {
  return WithTensors(input.token, [this](const Tensor& tensor) -> Result<Tensor> {
    if (!memory_.Holds(tensor)) return tensor;
    const Tensor view = ViewOf(tensor, memory_);
    return kernel().keeps_state ? view.Clone() : view;
  });
}

Status HostKernel::Run() {
  std::vector<Tensor> shown;
  for (size_t i = 0; i < inputs().size(); ++i) {
    DeviceInput& input = call_.inputs[i];
    if (IsHandedOn(i)) {
      // A list is changed where it is, if nobody else has it.
      shown.push_back(input.may_change ? std::move(input.token) : input.token);
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor view, Shown(input));
      shown.push_back(std::move(view));
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(made_, RunOnItsOwn(call_, std::move(shown), nullptr, nullptr));
  return Status();
}

void HostKernel::LetInputsGo() {
  for (DeviceInput& input : call_.inputs) {
    if (input.token.dtype() == DType::kResource) handles_.push_back(std::move(input.token));
  }
  call_.inputs.clear();
}

bool HostKernel::Keep() { return KeepState() && KeepOutputs(); }

// What the resources that it had hold now. An input that they hold is counted as theirs, and no
// more as the token's.
bool HostKernel::KeepState() {
  if (!kernel().keeps_state || call_.services.session == nullptr) return true;
  while (!handles_.empty()) {
    bytes_wanted_ = CountState(handles_.back(), *call_.services.session, memory_);
    wanted_ = "what a variable or array keeps";
    if (bytes_wanted_ > 0) return false;
    handles_.pop_back();
  }
  return true;
}

bool HostKernel::KeepOutputs() {
  while (outputs_.size() < made_.size()) {
    const Tensor& made = made_[outputs_.size()];
    if (kernel().is_carrier && made.dtype() == DType::kVariant) {
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

// The input that a tensor that was made lies over, from the beginning to the end; null.
const Tensor* HostKernel::InputAt(const Tensor& made) const {
  if (kernel().keeps_state) return nullptr;
  for (const DeviceInput& input : inputs()) {
    const Tensor& token = input.token;
    if (token.dtype() != made.dtype() || token.is_inline()) continue;
    if (!memory_.Holds(token) || token.byte_size() != made.byte_size()) continue;
    if (made.raw_data() == memory_.HostAddress(token)) return &token;
  }
  return nullptr;
}

Result<Tensor> HostKernel::Kept(const Tensor& made) {
  if (made.memory_kind() == MemoryKind::kDevice) return made;
  if (const Tensor* const input = InputAt(made)) return input->Reshaped(made.dims());
  Result<Tensor> copy = DeviceCopyOf(made, memory_);
  if (!copy.ok()) bytes_wanted_ = made.byte_size();
  return copy;
}

void HostKernel::Done(Status error) {
  made_.clear();
  LetInputsGo();
  if (!error.ok()) return call_.call->Done(std::move(error));
  call_.call->Done(std::move(outputs_));
}

}  // namespace tagflow::optimized
