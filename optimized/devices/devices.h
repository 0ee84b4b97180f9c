#ifndef TAGFLOW_OPTIMIZED_DEVICES_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_DEVICES_H_

// The devices of a session, by name: "/device:CPU:0", "/job:worker/task:1/device:SIM:0".
//
//   SIM        a simulated accelerator: a memory of its own that host code cannot touch, with a
//              limit; streams of kernels and of copies, in order and beside each other; a virtual
//              clock. Its kernels are the CPU's, run behind that wall (sim_memory.h, sim_step.h).
//   any other  a place for nodes on the host: they run on the session's threads, in its memory.
//
// Thread safety: const access from any thread. Tested by devices_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/device_catalog.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/devices/device_step.h"
#include "optimized/devices/sim_memory.h"

namespace tagflow::optimized {

// Of every SIM device of a session.
struct SimOptions {
  int64_t memory_bytes = 0;         // the limit of each; 0: none
  int64_t kernel_ns = 1000;         // of virtual time that every kernel takes,
  double kernel_ns_per_byte = 0;    // and for each byte of its inputs and outputs
  int64_t transfer_ns = 0;          // that every copy into or out of its memory takes,
  double transfer_ns_per_byte = 0;  // and for each byte
  double jitter = 0;                // each time is longer by up to this share of it, by the seed
  uint64_t seed = 0;                // of the jitter; with that of a step's schedule
  bool swaps = true;                // whether histories go to the host when memory runs low:
  double swap_above = 0.75;         // when more than this share of it is taken
};

// What devices did in a step, in virtual time.
struct DeviceStats {
  std::string device;
  int64_t kernels = 0;
  int64_t busy_ns = 0;  // of its stream of kernels
  int64_t swapped_out = 0;
  int64_t swapped_in = 0;
  SimMemoryStats memory;
};
struct DeviceReport {
  int64_t virtual_ns = 0;  // that the step took
  std::vector<DeviceStats> devices;
};

class Devices {
 public:
  // names: all different
  //   Errors: INVALID_ARGUMENT for a name that is none, or options that make no sense;
  //   RESOURCE_EXHAUSTED when the host has no addresses for a memory
  static Result<std::unique_ptr<Devices>> Create(const std::vector<std::string>& names,
                                                 const SimOptions& options = {});

  const std::vector<std::string>& names() const { return names_; }
  // -1 when there is none of that name.
  int Find(std::string_view name) const;
  // Whether what is there is in the host's memory.
  bool IsHost(int device) const { return memory(device) == nullptr; }
  bool AllAreHost() const;
  // Null for a host device.
  SimMemory* memory(int device) const {
    return device < 0 ? nullptr : memories_[static_cast<size_t>(device)].get();
  }
  const SimOptions& options() const { return options_; }

  // As placement knows them: every kind runs what the host has a kernel for.
  //   Errors: INVALID_ARGUMENT for a device without a kind
  Result<DeviceCatalog> Catalog(const KernelRegistry& kernels) const;
  // A bound kernel of a node on a device that is not the host's.
  static DeviceKernel KernelOf(int device, const Node& node, const Signature& signature,
                               BoundKernel kernel);
  // For one step. seed: of its schedule; report: filled in as the step goes on, null: nobody asks.
  std::unique_ptr<DeviceStep> NewStep(uint64_t seed, DeviceReport* report) const;

  // A value that is fed to, or fetched from, a device: outside of steps and of virtual time.
  //   Errors: RESOURCE_EXHAUSTED
  Result<Tensor> CopyIn(int device, const Tensor& value) const;
  Result<Tensor> CopyOut(const Tensor& value) const;

 private:
  explicit Devices(const SimOptions& options) : options_(options) {}

  const SimOptions options_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<SimMemory>> memories_;  // by device; null: the host's
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_DEVICES_H_
