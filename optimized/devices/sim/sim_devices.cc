#include "optimized/devices/sim/sim_devices.h"

#include <map>
#include <utility>

#include "optimized/devices/sim/sim_memory.h"
#include "optimized/devices/sim/sim_step.h"

namespace tagflow::optimized {
namespace {

constexpr const char* kHelp =
    R"(/device:SIM:0, or SIM, is a simulated accelerator, whose time is virtual. Its options:
memory_bytes=N (0, no limit), kernel_ns=1000, transfer_ns=0, kernel_ns_per_byte=0,
transfer_ns_per_byte=0, jitter=0 (a share of each time, at random), swaps=1,
swap_above=0.75 (of the memory)
)";

class SimGroup : public DeviceGroup {
 public:
  explicit SimGroup(const SimOptions& options) : options_(options) {}

  Status Add(const DeviceSite& site) {
    TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<SimMemory> memory,
                             SimMemory::Create(site.index, options_.memory_bytes));
    devices_.emplace(site.index, SimPlace{site.name, std::move(memory)});
    return Status();
  }
  DeviceMemory* memory(int device) const override { return devices_.at(device).memory.get(); }
  std::unique_ptr<DeviceStep> NewStep(uint64_t seed) const override {
    return std::make_unique<SimStep>(devices_, options_, seed);
  }
  std::optional<DeviceTimes> times() const override {
    return DeviceTimes{static_cast<double>(options_.kernel_ns), options_.kernel_ns_per_byte,
                       static_cast<double>(options_.transfer_ns), options_.transfer_ns_per_byte};
  }

 private:
  const SimOptions options_;
  std::map<int, SimPlace> devices_;
};

class SimKind : public DeviceKind {
 public:
  explicit SimKind(const SimOptions& options) : options_(options) {}

  std::string name() const override { return "SIM"; }
  std::string help() const override { return kHelp; }
  Result<std::shared_ptr<const DeviceKind>> WithOptions(std::string_view text) const override {
    TAGFLOW_ASSIGN_OR_RETURN(const SimOptions options, ParseSimOptions(text));
    TAGFLOW_RETURN_IF_ERROR(CheckSimOptions(options));
    return SimDevices(options);
  }
  bool runs_host_kernels() const override { return true; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    TAGFLOW_RETURN_IF_ERROR(CheckSimOptions(options_));
    auto group = std::make_unique<SimGroup>(options_);
    for (const DeviceSite& site : sites) TAGFLOW_RETURN_IF_ERROR(group->Add(site));
    return std::unique_ptr<DeviceGroup>(std::move(group));
  }

 private:
  const SimOptions options_;
};

}  // namespace

std::shared_ptr<const DeviceKind> SimDevices(const SimOptions& options) {
  return std::make_shared<const SimKind>(options);
}

}  // namespace tagflow::optimized
