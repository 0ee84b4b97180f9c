#ifndef TAGFLOW_OPTIMIZED_DEVICES_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_DEVICES_H_

// The devices of a session, by name: "/device:CPU:0", "/job:worker/task:1/device:SIM:0". Each is
// opened by its kind; a device of a kind that is not among those given is a place for nodes on the
// host, as those of kind CPU are.
//
// Thread safety: const access from any thread. Tested by devices_test.cc.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/device_catalog.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/devices/device.h"

namespace tagflow::optimized {

class Devices {
 public:
  // A kernel and whether it is one of the kind's own; null: there is none.
  struct Found {
    const KernelEntry* entry = nullptr;
    bool is_own = false;
  };

  // One that is not there, as its kind says (FAILED_PRECONDITION).
  struct Missing {
    std::string name;
    Status why;
  };
  // names: all different; does_without: whether the others will do where some are not there, or
  // the host, where none is
  //   Errors: INVALID_ARGUMENT for a name that is none; those of DeviceKind::Open
  static Result<std::unique_ptr<Devices>> Create(const std::vector<std::string>& names,
                                                 const DeviceKinds& kinds,
                                                 bool does_without = false);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Missing>& missing() const { return missing_; }
  size_t size() const { return names_.size(); }
  // -1 when there is none of that name.
  int Find(std::string_view name) const;
  // Whether what is there is in the host's memory.
  bool IsHost(int device) const { return memory(device) == nullptr; }
  bool AllAreHost() const;
  // Why one thread cannot run a step over them in order: one of them is not the host's, and has no
  // streams, or kernels of the host's. Empty: it can.
  std::string WhyNotInOrder() const;
  // Null for a host device.
  DeviceMemory* memory(int device) const {
    return device < 0 ? nullptr : all_[static_cast<size_t>(device)].memory;
  }
  const std::vector<std::unique_ptr<DeviceGroup>>& groups() const { return groups_; }
  // Which of the groups it is in; kNoGroup: it is of a kind that was not given.
  static constexpr size_t kNoGroup = ~size_t{0};
  size_t GroupOf(int device) const { return all_[static_cast<size_t>(device)].group; }

  Found FindKernel(int device, const Node& node, const KernelRegistry& kernels) const;
  // Whether each device runs all that the host has a kernel for.
  bool RunAllKernels() const;
  // As placement knows the devices.
  //   Errors: INVALID_ARGUMENT for a device without a kind
  Result<DeviceCatalog> Catalog(const KernelRegistry& kernels) const;

  // UNAVAILABLE once a device is lost.
  Status CheckAlive() const;
  // A value that is fed to, or fetched from, a device: outside of steps and of virtual time.
  //   Errors: RESOURCE_EXHAUSTED, UNAVAILABLE
  Result<Tensor> CopyIn(int device, const Tensor& value) const;
  Result<Tensor> CopyOut(const Tensor& value) const;

 private:
  struct Opened {
    std::optional<std::string> kind;          // as its name has it
    const KernelRegistry* kernels = nullptr;  // that come with the kind; null: none
    bool runs_host_kernels = true;
    size_t group = kNoGroup;
    DeviceMemory* memory = nullptr;  // null: the host's
  };

  Devices() = default;
  static Result<std::unique_ptr<Devices>> CreateAll(const std::vector<std::string>& names,
                                                    const DeviceKinds& kinds);
  Status Open(const DeviceKind& kind);

  std::vector<std::string> names_;
  std::vector<Missing> missing_;
  std::vector<Opened> all_;
  std::vector<std::unique_ptr<DeviceGroup>> groups_;
};

// The kernel of a node where it is placed; null devices: on the host.
Devices::Found FindKernel(const Devices* devices, const Node& node, const KernelRegistry& kernels);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_DEVICES_H_
