#include "optimized/devices/sim/sim_kernel.h"

#include <utility>

#include "optimized/devices/views.h"

namespace tagflow::optimized {

SimKernel::SimKernel(SimStep& step, SimSide& side, DeviceCall call)
    : step_(step), side_(side), host_(std::move(call), side.memory) {
  FindBlocks();
}

// Of what it reads. What is carried may be anywhere.
void SimKernel::FindBlocks() {
  for (size_t i = 0; i < host_.inputs().size(); ++i) {
    const Tensor& token = host_.inputs()[i].token;
    if (host_.IsCarried(i)) {
      carried_ = side_.memory.BlockOf(token);
    } else if (!host_.IsHandedOn(i)) {
      VisitTensors(token, [this](const Tensor& tensor) { read_.Add(tensor); });
    }
  }
}

bool SimKernel::Begin() { return read_.Bring(); }

int64_t SimKernel::duration_ns() {
  if (kernel().is_carrier) return 0;
  ++side_.num_kernels;
  return step_.KernelTime(read_.bytes());
}

bool SimKernel::End() {
  if (!std::exchange(has_run_, true)) {
    status_ = host_.Run();
    if (kernel().keeps_state) {
      host_.LetInputsGo();
      read_.Release();
    }
  }
  if (status_.ok()) {
    if (!host_.Keep()) {
      side_.swapper.MakeRoom(host_.bytes_wanted());
      return false;
    }
    NoteHistories(host_.outputs());
  }
  host_.LetInputsGo();
  read_.Release();
  host_.Done(std::move(status_));
  return true;
}

void SimKernel::GiveUp() {
  host_.Done(has_run_ ? side_.NoRoom(host_.wanted(), host_.bytes_wanted())
                      : side_.NoRoom("an input that was swapped out", read_.bytes_missing()));
}

void SimKernel::NoteHistories(const std::vector<Tensor>& outputs) {
  if (!kernel().is_history) return;
  if (kernel().carried_input >= 0) {
    if (carried_ != nullptr) side_.swapper.Pushed(carried_);
    return;
  }
  for (const Tensor& output : outputs) {
    if (const SimBlockPtr block = side_.memory.BlockOf(output)) side_.swapper.Taken(block);
  }
}

}  // namespace tagflow::optimized
