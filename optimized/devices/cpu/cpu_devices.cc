#include "optimized/devices/cpu/cpu_devices.h"

namespace tagflow::optimized {
namespace {

class CpuGroup : public DeviceGroup {
 public:
  DeviceMemory* memory(int) const override { return nullptr; }
  std::unique_ptr<DeviceStep> NewStep(uint64_t) const override { return nullptr; }
};

class CpuKind : public DeviceKind {
 public:
  std::string name() const override { return "CPU"; }
  std::string help() const override {
    return "/device:CPU:1, or CPU:1, shares the threads and the memory of the host.\n";
  }
  bool runs_host_kernels() const override { return true; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>&) const override {
    return std::unique_ptr<DeviceGroup>(std::make_unique<CpuGroup>());
  }
};

}  // namespace

std::shared_ptr<const DeviceKind> CpuDevices() { return std::make_shared<const CpuKind>(); }

}  // namespace tagflow::optimized
