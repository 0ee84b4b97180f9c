#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_FAMILIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_FAMILIES_H_

// The families of kernels of the GPU; gpu_kernels.cc registers them all.

#include "optimized/kernel.h"

namespace tagflow::optimized {

void RegisterGpuAddingKernels(KernelRegistry& registry);
void RegisterGpuArrayKernels(KernelRegistry& registry);
void RegisterGpuCastKernels(KernelRegistry& registry);
void RegisterGpuElementwiseKernels(KernelRegistry& registry);
void RegisterGpuGatherKernels(KernelRegistry& registry);
void RegisterGpuHandingKernels(KernelRegistry& registry);
void RegisterGpuIndexedKernels(KernelRegistry& registry);
void RegisterGpuMoveKernels(KernelRegistry& registry);
void RegisterGpuProductKernels(KernelRegistry& registry);
void RegisterGpuRandomKernels(KernelRegistry& registry);
void RegisterGpuReductionKernels(KernelRegistry& registry);
void RegisterGpuRowTrainingKernels(KernelRegistry& registry);
void RegisterGpuRowUpdateKernels(KernelRegistry& registry);
void RegisterGpuScanKernels(KernelRegistry& registry);
void RegisterGpuScatterKernels(KernelRegistry& registry);
void RegisterGpuSelectKernels(KernelRegistry& registry);
void RegisterGpuSoftmaxKernels(KernelRegistry& registry);
void RegisterGpuTrainingKernels(KernelRegistry& registry);
void RegisterGpuVariableKernels(KernelRegistry& registry);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_FAMILIES_H_
