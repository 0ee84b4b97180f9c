#include "optimized/devices/kinds.h"

#include <algorithm>
#include <utility>

#include "optimized/devices/cpu/cpu_devices.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/devices/sim/sim_devices.h"

namespace tagflow::optimized {

const DeviceKinds& StandardDeviceKinds() {
  static const DeviceKinds& kinds = *new DeviceKinds{CpuDevices(), GpuDevices(), SimDevices()};
  return kinds;
}

DeviceKinds WithKind(DeviceKinds kinds, std::shared_ptr<const DeviceKind> kind) {
  const auto found =
      std::ranges::find_if(kinds, [&](const auto& each) { return each->name() == kind->name(); });
  if (found == kinds.end()) {
    kinds.push_back(std::move(kind));
  } else {
    *found = std::move(kind);
  }
  return kinds;
}

Result<DeviceKinds> WithKindOptions(const DeviceKinds& kinds, std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  std::string names;
  for (const auto& kind : kinds) {
    names += " " + kind->name();
    if (kind->name() != name || colon == text.size()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(auto changed, kind->WithOptions(text.substr(colon + 1)));
    return WithKind(kinds, std::move(changed));
  }
  return InvalidArgument("'" + std::string(text) +
                         "' is no options of devices: write KIND:NAME=VALUE,..., of" + names);
}

}  // namespace tagflow::optimized
