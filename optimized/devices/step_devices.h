#ifndef TAGFLOW_OPTIMIZED_DEVICES_STEP_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_STEP_DEVICES_H_

// What an executor asks of the devices of a step that are not the host's CPU: to run a kernel, to
// bring a tensor from one memory to another, and, where their time is virtual, to go on. Kernels
// and transfers complete by themselves (optimized/async_kernel.h).
//
// A kernel that is its device's own finds its inputs where it reads them: what is elsewhere is
// brought first, to the device, or to the host for what it reads there. And what it makes of
// scalars that fit into a Tensor is brought to the host, where the executor reads them.
//
// Thread safety: any thread. Advance, by one at a time, while no other call is made.
// Tested by stream_step_test.cc.

#include <functional>
#include <memory>
#include <vector>

#include "optimized/devices/devices.h"

namespace tagflow::optimized {

class DeviceRecording;

class StepDevices {
 public:
  // devices: outlives it. seed: of the step's schedule. report: told when the step ends; null:
  // nobody asks
  StepDevices(const Devices& devices, uint64_t seed, DeviceReport* report);
  StepDevices(const StepDevices&) = delete;
  ~StepDevices();

  // Starts a kernel. Inputs are taken from the context before it returns; `kernel` outlives the
  // step, the context need not.
  void Launch(const DeviceKernel& kernel, KernelContext& context, std::shared_ptr<AsyncCall> call);
  // Brings a tensor to another device's memory; the call is done with that one tensor. It comes
  // from `from`, unless it is in the memory of yet another device; what a list holds may be in that
  // of several.
  void Transfer(int from, int to, Tensor value, std::shared_ptr<AsyncCall> call);
  // For an executor that runs a step on one thread, in order, over devices with streams
  // (Devices::RunInOrder):
  //   Calls a kernel of a device's own. Its inputs move to where it reads them, for all who read
  //   them from now on: to the device behind what is enqueued, there and where they come from; to
  //   the host when that is done.
  Status RunInOrder(const DeviceKernel& kernel, KernelContext& context);
  //   A value where the host reads it; waits for the device.
  //   Errors: FAILED_PRECONDITION while a program is recorded; those of CheckFaults
  Result<Tensor> OnHost(const Tensor& value);
  //   The same value where kernels of that device that are recorded may read it.
  //   Errors: RESOURCE_EXHAUSTED
  Result<Tensor> BroughtBack(int device, const Tensor& value) {
    return step(device).BringTo(device, value);
  }
  //   The stream that kernels of that device are enqueued on; null: there is none.
  DeviceStream* KernelStream(int device) { return step(device).KernelStream(device); }
  //   Kernels of devices are recorded from now on; null: no more.
  void RecordOn(DeviceRecording* recording) { recording_ = recording; }
  // Waits until it is known that no kernel of a device that was started has failed ([device.1]).
  //   Errors: of one that has; FAILED_PRECONDITION while a program is recorded
  Status CheckFaults();
  // For a step that has nothing else to do: lets virtual time go on. False when nothing is left
  // that could happen.
  bool Advance();
  // No executor runs any more: waits for what it has started.
  //   Errors: of the devices, what no call has told
  Status Finish();

 private:
  // -1: to the host; kStays: not at all.
  static constexpr int kStays = -2;
  Status Record(const DeviceKernel& kernel, KernelContext& context);
  Status RecordWithState(const DeviceKernel& kernel, KernelContext& context);
  Status CallRecorded(const DeviceKernel& kernel, KernelContext& context);
  using ThenAll = std::function<void(Result<std::vector<Tensor>> values)>;

  // REQUIRES: not on the host
  DeviceStep& step(int device) { return *steps_[devices_.GroupOf(device)]; }
  // Whether what it holds is that device's: in its memory, or out.
  bool IsOf(int device, const Tensor& tensor) {
    return devices_.memory(device)->Holds(tensor) || step(device).IsOut(device, tensor);
  }
  // Whether a device of the same kind as this one has it.
  bool IsNear(int device, const Tensor& tensor);
  Status CheckNearby(const DeviceKernel& kernel, const Tensor& tensor);
  std::vector<int> HomesOf(const Tensor& value);
  void Bring(int from, int to, Tensor value, DeviceStep::Then then);
  void BringOut(std::vector<int> from, Tensor value, DeviceStep::Then then);
  void BringAll(int from, std::vector<Tensor> values, const std::vector<int>& to, ThenAll then);
  void LaunchOwn(DeviceCall call);
  std::shared_ptr<AsyncCall> WithScalarsOnHost(const DeviceCall& call);

  const Devices& devices_;
  DeviceReport* const report_;
  bool is_finished_ = false;
  DeviceRecording* recording_ = nullptr;            // null: nothing is recorded
  std::vector<std::unique_ptr<DeviceStep>> steps_;  // by group; null: of the host
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_STEP_DEVICES_H_
