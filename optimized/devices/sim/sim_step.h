#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_STEP_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_STEP_H_

// The simulated devices of one step: their streams, on one virtual clock.
//
//   kernels  one after another, each for as long as SimOptions says. A kernel is the CPU's, run on
//            views of what is in the device's memory; what it makes is put there.
//   handles  what takes no time: pushing onto a list, popping from a stack. Tensors are handed on
//            as they are, and not read.
//   out, in  copies between the device's memory and the host's, beside the kernels: tensors that
//            cross to another device, and histories that are swapped (swapper.h)
//
// A kernel begins when its inputs are in the memory, and has ended when there is room for its
// outputs; until then its stream waits. When nothing can happen any more, the first that waits
// fails with RESOURCE_EXHAUSTED.
//
// What resources keep (variables, arrays) lies beside the device's memory, and is counted as a part
// of it (../state.h): ops that keep state are given copies, and give copies. A step that fails
// because there is no room for it has written it.
//
// Thread safety: any thread; one lock. Tested by sim_session_test.cc.

#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>

#include "optimized/devices/device.h"
#include "optimized/devices/sim/sim_memory.h"
#include "optimized/devices/sim/sim_options.h"
#include "optimized/devices/sim/stream.h"
#include "optimized/devices/sim/swapper.h"
#include "optimized/devices/sim/virtual_clock.h"

namespace tagflow::optimized {

// One simulated device in a step.
struct SimSide {
  SimSide(std::string device_name, SimMemory& device_memory, VirtualClock& clock,
          const Swapper::CopyTime& copy_time, const SimOptions& options)
      : name(std::move(device_name)),
        memory(device_memory),
        kernels(clock),
        handles(clock),
        out(clock),
        in(clock),
        swapper(memory, out, in, copy_time, options.swaps, options.swap_above) {}

  // The error of who finds no room for so many bytes of `what`.
  Status NoRoom(const std::string& what, size_t bytes) const;

  const std::string name;
  SimMemory& memory;
  Stream kernels, handles, out, in;
  Swapper swapper;
  int64_t num_kernels = 0;
};

// One simulated device of a session.
struct SimPlace {
  std::string name;
  std::unique_ptr<SimMemory> memory;
};

class SimStep : public DeviceStep {
 public:
  // devices, options: outlive it. seed: of the step's schedule
  SimStep(const std::map<int, SimPlace>& devices, const SimOptions& options, uint64_t seed);

  void Launch(DeviceCall call) override;
  void CopyIn(int device, Tensor value, Then then) override;
  void CopyOut(int device, Tensor value, Then then) override;
  // Crosses once: the second half takes no time.
  void CopyAcross(int from, int to, Tensor value, Then then) override;
  bool Advance() override;
  void AddTo(DeviceReport& report) const override;

  // For jobs, with the lock held:
  int64_t KernelTime(size_t bytes);
  int64_t CopyTime(size_t bytes);

 private:
  SimSide& side(int device) { return *sides_.at(device); }
  void AddCopyIn(int device, Tensor value, bool takes_time, Then then);
  bool Pump();
  bool GiveUp();
  int64_t WithJitter(double ns);

  const SimOptions& options_;
  std::recursive_mutex mutex_;  // what a job is done with may start another
  // Guarded by mutex_:
  VirtualClock clock_;
  std::mt19937_64 random_;
  std::map<int, std::unique_ptr<SimSide>> sides_;  // by device
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_STEP_H_
