#ifndef TAGFLOW_OPTIMIZED_DEVICES_HOST_KERNEL_H_
#define TAGFLOW_OPTIMIZED_DEVICES_HOST_KERNEL_H_

// A firing of one of the host's kernels on a device whose memory the host can reach: how a device
// that is simulated on the host computes.
//
// Inputs are held as the tokens brought them. While the kernel runs, it sees views of them; so what
// it wrote in place, or hands on, is known again by its address, and is the input.
//
// What resources keep lies beside the device's memory, and is counted as a part of it (state.h):
// kernels that keep state are given copies, and give copies.
//
// Thread safety: none; its owner guards it. Tested by host_kernel_test.cc.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

class HostKernel {
 public:
  // memory: of the call's device; outlives it
  HostKernel(DeviceCall call, DeviceMemory& memory);

  // Whether input `i` is handed on without being read: what is carried, and the list or stack that
  // it goes to or comes from.
  bool IsCarried(size_t i) const { return static_cast<int>(i) == kernel().carried_input; }
  bool IsHandedOn(size_t i) const;
  const DeviceKernel& kernel() const { return *call_.kernel; }
  const std::vector<DeviceInput>& inputs() const { return call_.inputs; }

  // Runs the kernel, once.    REQUIRES: what is not handed on is where the host can read it
  Status Run();
  // Puts what was made, and what resources keep now, into the device's memory. False where there is
  // no room for bytes_wanted() of wanted(), and again when it is called again.
  bool Keep();
  const char* wanted() const { return wanted_; }
  size_t bytes_wanted() const { return bytes_wanted_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  // Lets inputs go that are not needed any more.
  void LetInputsGo();
  // Tells the call: the outputs, or an error.
  void Done(Status error = Status());

 private:
  Result<Tensor> Shown(const DeviceInput& input) const;
  bool KeepState();
  bool KeepOutputs();
  Result<Tensor> Kept(const Tensor& made);
  const Tensor* InputAt(const Tensor& made) const;

  DeviceCall call_;
  DeviceMemory& memory_;
  std::vector<Tensor> made_;     // by the run
  std::vector<Tensor> outputs_;  // of what was made, the first, in the device's memory
  std::vector<Tensor> handles_;  // of what keeps state
  const char* wanted_ = "";      // for which there is no room,
  size_t bytes_wanted_ = 0;      // and how much
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_HOST_KERNEL_H_
