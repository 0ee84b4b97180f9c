#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::optimized {

Result<std::unique_ptr<DeviceGroup>> OpenGpus(const std::vector<DeviceSite>& sites,
                                              const GpuOptions&) {
  return Status(Code::kFailedPrecondition,
                "'" + sites.front().name + "' is a GPU, and this was built without a CUDA toolkit");
}

int CountGpus() { return 0; }

}  // namespace tagflow::optimized
