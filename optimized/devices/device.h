#ifndef TAGFLOW_OPTIMIZED_DEVICES_DEVICE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_DEVICE_H_

// What a device is to the engine. A kind of device ("CUDA") is a folder that implements these:
//
//   DeviceKind    says what the kind is called, reads its options, and opens devices of it.
//   DeviceGroup   the devices of one kind in one session, with their memories.
//   DeviceStep    the same devices in one step: starts kernels, and copies from and to the host.
//   DeviceMemory  allocates, and is copied from and to outside of steps.
//
// A device with streams and events need not write a DeviceStep: it implements DeviceStream and
// DeviceEvent, and stream_step.h does the rest. A device whose time is virtual writes its own.
//
// The host's memory is no DeviceMemory: a kind whose devices are on the host (CPU) has groups
// without memories, and the session's threads run their kernels. docs/adding_a_device.md has the
// files of a kind, one by one.
//
// Devices are numbered as in the session's list, over all kinds. Values of dtypes that are not
// plain (strings, handles, lists) are on the host; the tensors in a list may be on any device. So
// are scalars that fit into a Tensor itself, which the executor reads: predicates and indices.
//
// Thread safety: any thread, but for Advance and Finish, by one at a time.
// Tested by stream_step_test.cc, the tests of each kind, and third_device_test.cc.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/async_kernel.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/devices/fault_place.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

class DeviceProgram;
class ElementKernel;
struct ElementProgram;

struct DeviceMemoryStats {
  int64_t bytes_limit = 0;  // 0: none
  int64_t bytes_resident = 0;
  int64_t bytes_resident_max = 0;
  int64_t bytes_state = 0;  // of bytes_resident: what variables and arrays keep
  int64_t bytes_out = 0;    // swapped out
  int64_t allocations = 0;
  int64_t failures = 0;
};

// What a device did in a step.
struct DeviceStats {
  std::string device;
  int64_t kernels = 0;
  int64_t busy_ns = 0;  // of its stream of kernels
  int64_t swapped_out = 0;
  int64_t swapped_in = 0;
  DeviceMemoryStats memory;
};
struct DeviceReport {
  int64_t virtual_ns = kRealTime;    // that the step took, where there are devices of virtual time
  std::vector<DeviceStats> devices;  // but for the host's
  std::string about;                 // Callable::about
  std::vector<std::string> notes;    // Callable::Notes, as the step left them
  std::vector<std::string> missing;  // a line for each device that the session does without
  static constexpr int64_t kRealTime = -1;
};

// The memory of one device. As an Allocator it gives null when there is no room.
//
// Deallocate may come while work that was enqueued still uses the memory, as the tensor's last
// owner was the call that enqueued it. What is given back may be used again by what is enqueued on
// the device's stream of kernels from then on, and by nothing before.
class DeviceMemory : public Allocator {
 public:
  MemoryKind memory_kind() const override { return MemoryKind::kDevice; }
  virtual DeviceMemoryStats stats() const { return {}; }
  // Whether histories that cannot be swapped may take so many bytes of what is free.
  virtual bool HasRoomToStay(int64_t /*bytes*/) const { return true; }
  // Whether the elements of a tensor are in this memory.
  virtual bool Holds(const Tensor& tensor) const = 0;
  // Where host code may use what the tensor holds, once the device has made it; null where the host
  // cannot reach it.
  virtual char* HostAddress(const Tensor& tensor) const = 0;
  // Where variables and arrays keep what the host's kernels give them; the host reads it. A device
  // that counts it against the limit has an allocator of its own for it.
  virtual Allocator& state() { return HostAllocator(); }

  // Copy all elements, to the host and from it, and wait. Write is to memory that was just
  // allocated; Read is of what is made: behind the end of its step. By default by HostAddress.
  // REQUIRES: Holds(tensor)
  virtual Status Read(const Tensor& tensor, void* to) const;
  virtual Status Write(const void* from, const Tensor& tensor);

 protected:
  // Where the elements of a tensor are, in the memory of whichever device.
  static char* AddressOf(const Tensor& tensor);
};

// A moment in a stream: all that was enqueued before is done.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  // Blocks. An error of the device up to that moment, of kernels that failed after they had been
  // enqueued, or UNAVAILABLE where the device is lost.
  virtual Status Await() = 0;
  // Whether Await would not block. Who cannot tell says that it may, as by default.
  virtual bool HasCome() { return false; }
};

// What a device does in order. Each call enqueues and returns at once, so that what is enqueued
// between two events can be captured and enqueued again as a whole. After an error the rest is
// passed over.
//
// A kernel for a kind of device (KernelRegistry::RegisterFor) does all of its work so, on
// KernelContext::stream(): it allocates its outputs in memory(), enqueues what fills them, and
// returns. It never waits, and reads on the host only its host inputs.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  virtual DeviceMemory& memory() = 0;
  // All elements. The stream keeps both tensors until that is done; neither is inline.
  virtual void CopyIn(Tensor host, Tensor there) = 0;
  virtual void CopyOut(Tensor there, Tensor host) = 0;
  // All elements of a tensor that is in the memory `of` of another device of the kind, and has
  // some. The stream keeps that tensor until it is done. Who calls keeps `there` until the device's
  // kernels wait for it.
  // REQUIRES: it is the StreamSide::across of a side (stream_step.h)
  virtual void CopyAcross(Tensor from, const DeviceMemory& of, Tensor there);
  // The same from and to memory that the kind has for it (history_swaps.h). The stream keeps
  // neither side: who calls does, until an event behind it has come.
  // REQUIRES: its steps have HistorySwaps
  virtual void SwapIn(const void* home, const Tensor& there);
  virtual void SwapOut(const Tensor& there, void* home);
  // Calls what(the error so far) on some thread of the host when its turn comes; also after errors.
  virtual void Then(std::function<void(Status error)> what) = 0;
  virtual std::shared_ptr<DeviceEvent> Record() = 0;
  // What is enqueued from now on begins after the event, of this or another stream.
  virtual void Wait(std::shared_ptr<DeviceEvent> event) = 0;
  // Blocks until all calls of Then so far are over and no tensor of a copy so far is kept. An event
  // tells less: the device is done, and the stream may not have let the tensors go. By default
  // nothing, for streams that keep nothing when a call returns.
  virtual void Settle() {}
  // Null where the device cannot (device_program.h), as by default.
  virtual std::unique_ptr<DeviceProgram> NewProgram();
  // Whether what is enqueued is recorded for a program, which copies nothing from the host.
  virtual bool records() const { return false; }
  // A kernel that computes some values of a program, which have elements (element_kernel.h); it
  // takes milliseconds to make.
  //   outputs: numbers of values
  //   Errors: why the device has none; by default, that it has none at all
  virtual Result<std::shared_ptr<const ElementKernel>> NewElementKernel(
      const ElementProgram& program, const std::vector<int>& outputs);
};

// Where kernels that can fail on the device, after the host has gone on, are to note it
// ([device.1]). KernelContext::faults() has those of a firing.
class DeviceFaults {
 public:
  // The error of a kernel that noted this index, with its node and tag.
  using Tell = std::function<Status(int64_t index)>;

  virtual ~DeviceFaults() = default;
  // For one kernel, which keeps the place until it has been enqueued.
  //   Errors: RESOURCE_EXHAUSTED; of kernels that have failed before
  virtual Result<std::shared_ptr<const FaultPlace>> Add(Tell tell) = 0;
};

struct DeviceInput {
  Tensor token;
  bool may_change = false;  // nobody else reads it
};

// One firing of a kernel on a device.
struct DeviceCall {
  const DeviceKernel* kernel;  // outlives the step
  std::vector<DeviceInput> inputs;
  StepServices services;
  std::string tag;
  std::shared_ptr<AsyncCall> call;
};

class DeviceStep {
 public:
  using Then = std::function<void(Result<Tensor> value)>;

  virtual ~DeviceStep() = default;
  // Starts a kernel. call->Done may come from any thread: when the outputs are made, or as soon as
  // what makes them is enqueued; then what takes them is enqueued behind it.
  virtual void Launch(DeviceCall call) = 0;
  // Copies of a value to the device, from the host; to the host; and between two devices of this
  // kind, through the host where there is no other way. then() comes when the copy may be used, as
  // in Launch.
  virtual void CopyIn(int device, Tensor value, Then then) = 0;
  virtual void CopyOut(int device, Tensor value, Then then) = 0;
  virtual void CopyAcross(int from, int to, Tensor value, Then then) {
    CopyOut(from, std::move(value), [this, to, then = std::move(then)](Result<Tensor> copy) {
      if (!copy.ok()) return then(std::move(copy));
      CopyIn(to, *std::move(copy), then);
    });
  }
  // For an executor that runs a step on one thread: calls an own kernel, behind copies of the
  // inputs that it reads and that are on the host. REQUIRES: the group has streams
  virtual Status RunInOrder(const DeviceKernel&, KernelContext&) {
    return Internal("a device without streams");
  }
  // The stream that these are enqueued on; null: there is none.
  virtual DeviceStream* KernelStream(int) { return nullptr; }
  // Whether a tensor of the device's is in the host's memory (history_swaps.h): a kernel
  // that reads it finds it brought back.
  virtual bool IsOut(int /*device*/, const Tensor&) const { return false; }
  // The same elements, where the device's kernels from now on may read them: of a tensor that is
  // out, or on another device of the kind. Any other value as it is.
  //   Errors: RESOURCE_EXHAUSTED; those of the other device
  virtual Result<Tensor> BringTo(int /*device*/, const Tensor& value) { return value; }
  // Waits until it is known that no kernel that was enqueued has failed ([device.1]): before the
  // host does what others see.   Errors: of the first that has
  virtual Status CheckFaults() { return Status(); }
  // For a step that has nothing else to do: lets virtual time go on. False when nothing is left
  // that could happen.
  virtual bool Advance() { return false; }
  // Nothing is started any more, but for what then() starts: waits for all that was. An error of
  // the device that no call has told.
  virtual Status Finish() { return Status(); }
  virtual void AddTo(DeviceReport& report) const = 0;
};

// What things take on a device, for estimates.
struct DeviceTimes {
  double kernel_ns = 0;
  double kernel_ns_per_byte = 0;  // of inputs and outputs
  double transfer_ns = 0;         // of a copy into or out of its memory
  double transfer_ns_per_byte = 0;
};

class DeviceGroup {
 public:
  virtual ~DeviceGroup() = default;
  // Null: the host's.
  virtual DeviceMemory* memory(int device) const = 0;
  // seed: of the step's schedule.  REQUIRES: its devices have memories
  virtual std::unique_ptr<DeviceStep> NewStep(uint64_t seed) const = 0;
  // Whether its steps are StreamSteps, so that one thread can enqueue all of a step in order.
  virtual bool has_streams() const { return false; }
  // Nothing: transform/placement/cost_model.h has a guess.
  virtual std::optional<DeviceTimes> times() const { return std::nullopt; }
  // UNAVAILABLE once a device is lost: then no step begins, and what was in its memory is gone.
  virtual Status CheckAlive() const { return Status(); }
};

// A device of a session.
struct DeviceSite {
  int index = 0;
  std::string name;  // "/device:SIM:0"
};

class DeviceKind {
 public:
  virtual ~DeviceKind() = default;
  virtual std::string name() const = 0;  // as device names have it: upper case
  // What the kind is, and its options; lines for people, or "".
  virtual std::string help() const { return ""; }
  // The same kind with options of a command line, "memory_bytes=1048576,swaps=0".
  //   Errors: INVALID_ARGUMENT naming what is wrong
  virtual Result<std::shared_ptr<const DeviceKind>> WithOptions(std::string_view text) const {
    return InvalidArgument("devices of kind " + name() + " have no option '" + std::string(text) +
                           "'");
  }
  // The kernels that come with the kind, beside those that a program registers for it; null: none.
  virtual const KernelRegistry* kernels() const { return nullptr; }
  // Whether the host's kernels run on it too, where it has none of its own: on a device that is the
  // host, or is simulated on it.
  virtual bool runs_host_kernels() const { return false; }
  //   Errors: INVALID_ARGUMENT for options that make no sense; FAILED_PRECONDITION where there are
  //   no such devices; RESOURCE_EXHAUSTED, UNAVAILABLE
  virtual Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const = 0;
};
using DeviceKinds = std::vector<std::shared_ptr<const DeviceKind>>;

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_DEVICE_H_
