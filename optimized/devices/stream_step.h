#ifndef TAGFLOW_OPTIMIZED_DEVICES_STREAM_STEP_H_
#define TAGFLOW_OPTIMIZED_DEVICES_STREAM_STEP_H_

// The step of devices that have streams and events: three streams each,
//
//   kernels  in the order in which the executor starts them. A kernel of the device's own is called
//            at once, enqueues its work, and is done: what takes its outputs comes behind it. One
//            of the host's, where the kind runs these, is called in its turn.
//   out, in  copies to the host and from it, beside the kernels; events keep them apart from the
//            kernels that write what is copied, or used the memory before.
//
// Where there are several, they may have a fourth each, for copies from the others:
//
//   across   behind the kernels of the other device that make what is copied, and behind those of
//            this one that used the memory before. It keeps what it copies until that is done, so
//            the other device's kernels need not wait for it.
//
// Then a tensor goes to another device when a kernel there reads it, and no sooner: what a list
// holds stays where it was made.
//
// Histories may be swapped (history_swaps.h): what is pushed onto a list may be replaced there by
// a tensor that stands for it, and kernels are given what that stands for.
//
// So the host waits for nothing but copies out, what others may see, and the end. What fails on the
// device after it was enqueued is the error of the next copy out, of CheckFaults, or of Finish.
//
// Thread safety: any thread. Tested by stream_step_test.cc.

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "optimized/devices/device.h"
#include "optimized/devices/history_swaps.h"
#include "optimized/devices/step_faults.h"

namespace tagflow::optimized {

// One device; its streams outlive the step.
struct StreamSide {
  std::string name;
  DeviceStream* kernels;
  DeviceStream* out;
  DeviceStream* in;
  // Of the same streams; null: histories stay. REQUIRES: no kernel on the device is the host's
  HistorySwaps* swaps = nullptr;
  // Null: what comes from the others goes through the host. REQUIRES: as swaps
  DeviceStream* across = nullptr;
};

class StreamStep : public DeviceStep {
 public:
  // sides: by device
  explicit StreamStep(std::map<int, StreamSide> sides);
  ~StreamStep() override { (void)Finish(); }

  void Launch(DeviceCall call) override;
  void CopyIn(int device, Tensor value, Then then) override;
  void CopyOut(int device, Tensor value, Then then) override;
  void CopyAcross(int from, int to, Tensor value, Then then) override;
  Status RunInOrder(const DeviceKernel& kernel, KernelContext& context) override;
  DeviceStream* KernelStream(int device) override { return side(device).kernels; }
  bool IsOut(int device, const Tensor& value) const override;
  Result<Tensor> BringTo(int device, const Tensor& value) override;
  Status CheckFaults() override;
  Status Finish() override;
  void AddTo(DeviceReport& report) const override;

 private:
  // A device in this step.
  struct Side : StreamSide {
    Side(StreamSide of, StepFaults::Count& count)
        : StreamSide(std::move(of)), faults(*kernels, count) {}
    DeviceMemory& memory() { return kernels->memory(); }
    StepFaults faults;
    std::atomic<int64_t> num_kernels = 0;
    HistorySwaps::Step swapped;
  };

  Side& side(int device) { return *sides_.at(device); }
  // Where the kernel is called, and counted.
  Side& SideFor(const DeviceKernel& kernel);
  // Of a tensor of this device that is out; of one that another has, in its memory or out.
  Result<Tensor> BroughtBack(Side& at, const Tensor& value);
  Result<Tensor> BroughtAcross(Side& from, Side& to, const Tensor& value);
  // An input as the kernel is to have it.
  Result<Tensor> Given(Side& at, const DeviceKernel& kernel, size_t i, const Tensor& input);
  // Outputs of a kernel that takes what was pushed.
  void NoteTaken(Side& at, const DeviceKernel& kernel, const Tensor& output);
  void LaunchHostKernel(Side& at, DeviceCall call);
  void After(DeviceStream& stream, std::function<void(Status error)> what);

  StepFaults::Count num_may_fail_ = 0;          // kernels that may fail, on all devices
  std::map<int, std::unique_ptr<Side>> sides_;  // by device
  std::mutex mutex_;
  std::condition_variable all_called_;
  int64_t pending_ = 0;  // calls of After to come; guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_STREAM_STEP_H_
