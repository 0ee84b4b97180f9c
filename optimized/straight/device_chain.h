#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CHAIN_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CHAIN_H_

// Elementwise calls, Splits and Concats of one device that follow each other, done by few kernels
// that are made for them (devices/element_kernel.h), for the shapes that the calls see.
//
//     m = Mul(x, y)      x, y, z, s: [64,256]; m and t are never in memory
//     t = Tanh(m)        one kernel: x, y, z -> s
//     s = AddV2(t, z)
//
// chain_plan.h says which kernels there are. What the calls make of scalars that the host has, the
// host computes, by the calls themselves.
//
// Thread safety: any thread. Tested by device_chains_test.cc.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/device_kernel.h"
#include "optimized/devices/element_kernel.h"
#include "optimized/kernel.h"
#include "optimized/native/element_program.h"
#include "optimized/native_options.h"

namespace tagflow::optimized {

// The calls, without the types of what they are given.
struct DeviceCalls {
  // A call itself; it outlives the chain.
  struct Kernel {
    BoundKernel::Function function = nullptr;
    const void* state = nullptr;
  };

  int device = 0;
  int num_inputs = 0;
  std::vector<ElementStep> steps;
  std::vector<Kernel> kernels;  // by step
  std::vector<int> outputs;     // values (element_program.h), in the order of the calls' outputs
};

class DeviceChain {
 public:
  DeviceChain(DeviceCalls calls, const NativeOptions& options);
  ~DeviceChain();

  enum class Outcome {
    kDone,
    kNotNow,     // nothing has happened: there is no kernel yet
    kNotSuited,  // and there will be none for what was given
  };
  // What is to happen where there are no kernels for what is given.
  enum class Unknown {
    kMakeIfItPays,  // they are made, where the calls have run often enough
    kLeave,
    kWant,  // MakeWanted makes them: while a device records, nothing is to be loaded on it
  };
  // Does the calls' work: the context has their inputs and outputs.
  Outcome Try(KernelContext& context, Unknown unknown);
  // Whether there were some to make.
  bool MakeWanted(DeviceStream& stream);

  // Whether it has kernels from the first on, whether they pay or not.
  bool is_made_early() const { return options_.choice == NativeChoice::kAlways; }
  int64_t num_calls() const { return static_cast<int64_t>(calls_.steps.size()); }
  // For people: "12 calls as 2 kernels", or "12 calls: " and why they are done one by one.
  std::string HowItRuns() const;

 private:
  struct Work;

  // Of what the context gives; null, or one that says why not, where `outcome` is not kDone.
  std::shared_ptr<const Work> Find(KernelContext& context, Unknown unknown, Outcome& outcome);
  std::shared_ptr<const Work> Make(std::vector<ElementInput> given, DeviceStream& stream) const;
  bool IsDue();

  const DeviceCalls calls_;
  const NativeOptions options_;
  const DeviceKernel shape_;  // of the kernel as its device sees it
  mutable std::mutex mutex_;
  int64_t num_tries_ = 0;                           // guarded by mutex_, as the next
  std::vector<std::shared_ptr<const Work>> works_;  // by what is given
  std::vector<std::vector<ElementInput>> wanted_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CHAIN_H_
