#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GPU_FAMILIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GPU_FAMILIES_H_

// One function per family of GPU kernels that has a file of its own; each registers its ops.

#include "optimized/kernel.h"

namespace tagflow::optimized {

void RegisterGpuProducts(KernelRegistry& registry);
void RegisterGpuReductions(KernelRegistry& registry);
void RegisterGpuSoftmax(KernelRegistry& registry);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GPU_FAMILIES_H_
