#include "optimized/devices/device.h"

#include <cstring>

#include "graph/device_access.h"
#include "optimized/devices/device_program.h"

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

void DeviceStream::CopyAcross(Tensor, const DeviceMemory&, Tensor) { TAGFLOW_CHECK(false); }
void DeviceStream::SwapIn(const void*, const Tensor&) { TAGFLOW_CHECK(false); }
void DeviceStream::SwapOut(const Tensor&, void*) { TAGFLOW_CHECK(false); }
std::unique_ptr<DeviceProgram> DeviceStream::NewProgram() { return nullptr; }
Result<std::shared_ptr<const ElementKernel>> DeviceStream::NewElementKernel(
    const ElementProgram&, const std::vector<int>&) {
  return Unimplemented("the device has no kernels but its own");
}

}  // namespace tagflow::optimized
