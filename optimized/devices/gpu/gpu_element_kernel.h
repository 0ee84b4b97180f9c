#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_ELEMENT_KERNEL_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_ELEMENT_KERNEL_H_

// Elementwise kernels that LLVM makes while a program runs.
//
// Tested by gpu_device_test.cc, over a fake of CUDA.

#include <memory>
#include <vector>

#include "graph/status.h"
#include "optimized/devices/element_kernel.h"
#include "optimized/native/element_program.h"

namespace tagflow::optimized {

// DeviceStream::NewElementKernel.
Result<std::shared_ptr<const ElementKernel>> NewGpuElementKernel(const ElementProgram& program,
                                                                 const std::vector<int>& outputs);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_ELEMENT_KERNEL_H_
