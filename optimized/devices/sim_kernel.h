#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_KERNEL_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_KERNEL_H_

// One firing of a kernel on a simulated device.
//
// Inputs are held as the tokens brought them. While the kernel runs, it sees views of them; so what
// it wrote in place, or hands on, is known again by its address, and is the input.
//
// Thread safety: none; SimStep guards it. Tested by sim_session_test.cc.

#include <memory>
#include <string>
#include <vector>

#include "optimized/devices/pins.h"
#include "optimized/devices/sim_step.h"

namespace tagflow::optimized {

class SimKernel : public StreamJob {
 public:
  // Takes the inputs. step, side and kernel outlive it.
  SimKernel(SimStep& step, SimSide& side, const DeviceKernel& kernel, KernelContext& context,
            std::shared_ptr<AsyncCall> call);

  bool Begin() override;
  int64_t duration_ns() override;
  bool End() override;
  void GiveUp() override;

 private:
  struct Input {
    Tensor token;
    bool may_change = false;  // nobody else reads it
  };

  bool IsCarried(size_t input) const { return static_cast<int>(input) == kernel_.carried_input; }
  // What is carried, and the list or stack it goes to or comes from.
  bool IsHandedOn(size_t input) const {
    const DType dtype = inputs_[input].token.dtype();
    return IsCarried(input) || (kernel_.is_carrier && dtype == DType::kVariant);
  }
  void FindBlocks();
  Result<Tensor> Shown(const Input& input);
  Status Run();
  void LetInputsGo();
  bool KeepOutputs();
  bool KeepState();
  Result<Tensor> Kept(const Tensor& made);
  const Tensor* InputAt(const Tensor& made) const;
  void NoteHistories(const std::vector<Tensor>& outputs);

  SimStep& step_;
  SimSide& side_;
  const DeviceKernel& kernel_;
  const std::shared_ptr<AsyncCall> call_;
  const StepServices services_;
  const std::string tag_;
  std::vector<Input> inputs_;
  Pins read_{side_.memory, side_.swapper};
  SimBlockPtr carried_;  // of the input that is carried, if it is on the device
  bool has_run_ = false;
  Status status_;                // of the run
  std::vector<Tensor> made_;     // by the run
  std::vector<Tensor> outputs_;  // of what was made, the first, in the device's memory
  std::vector<Tensor> handles_;  // of what keeps state
  const char* wanted_ = "";      // for which there is no room,
  size_t bytes_wanted_ = 0;      // and how much
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_KERNEL_H_
