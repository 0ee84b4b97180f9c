#include "optimized/devices/device.h"

#include <cstring>

#include "graph/device_access.h"

namespace tagflow::optimized {

char* DeviceMemory::AddressOf(const Tensor& tensor) {
  const DeviceAccess access;
  return static_cast<char*>(const_cast<void*>(tensor.raw_data()));
}

Status DeviceMemory::Read(const Tensor& tensor, void* to) const {
  std::memcpy(to, HostAddress(tensor), tensor.byte_size());
  return Status();
}

Status DeviceMemory::Write(const void* from, const Tensor& tensor) {
  std::memcpy(HostAddress(tensor), from, tensor.byte_size());
  return Status();
}

}  // namespace tagflow::optimized
