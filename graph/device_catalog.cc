#include "graph/device_catalog.h"

#include <algorithm>
#include <utility>

namespace tagflow {

bool DeviceCatalog::AddDevice(DeviceInfo device) {
  if (Find(device.name) != nullptr) return false;
  devices_.push_back(std::move(device));
  return true;
}

const DeviceInfo* DeviceCatalog::Find(std::string_view name) const {
  for (const DeviceInfo& device : devices_) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

void DeviceCatalog::AddKernel(std::string_view op, std::string_view kind, DType dtype) {
  kernels_.emplace(op, kind, dtype);
}

bool DeviceCatalog::HasKernel(std::string_view op, std::string_view kind, DType dtype) const {
  // clang 14 cannot compare tuples of strings with tuples of views of them.
  const auto has = [&](DType of) {
    return kernels_.contains(std::tuple(std::string(op), std::string(kind), of));
  };
  return has(dtype) || has(DType::kInvalid);
}

std::vector<std::string> DeviceCatalog::KindsFor(std::string_view op, DType dtype) const {
  std::vector<std::string> kinds;
  for (const DeviceInfo& device : devices_) {
    const bool seen = std::find(kinds.begin(), kinds.end(), device.kind) != kinds.end();
    if (!seen && HasKernel(op, device.kind, dtype)) kinds.push_back(device.kind);
  }
  return kinds;
}

}  // namespace tagflow
