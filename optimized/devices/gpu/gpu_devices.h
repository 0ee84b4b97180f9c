#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_DEVICES_H_

// Devices of kind GPU: /device:GPU:0 is the first GPU that CUDA shows this process.
//
// A program that holds this runs on machines without a driver, too: opening a GPU there is an error
// that says what is missing (cuda_status.h), or, where it was built without a CUDA toolkit, that.
//
// Tested by gpu_devices_test.cc and gpu_device_test.cc.

#include <memory>

#include "optimized/devices/device.h"
#include "optimized/devices/gpu/gpu_options.h"

namespace tagflow::optimized {

std::shared_ptr<const DeviceKind> GpuDevices(const GpuOptions& options = {});

// The devices of kind GPU there are, in a session of their own numbering.
//   Errors: FAILED_PRECONDITION without a toolkit, a driver or that many GPUs; RESOURCE_EXHAUSTED
Result<std::unique_ptr<DeviceGroup>> OpenGpus(const std::vector<DeviceSite>& sites,
                                              const GpuOptions& options);

// How many GPUs there are to be used: 0 without a toolkit or a driver.
int CountGpus();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_DEVICES_H_
