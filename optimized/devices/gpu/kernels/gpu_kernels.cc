#include "optimized/devices/gpu/kernels/gpu_kernels.h"

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/short_floats.h"

namespace tagflow::optimized {

const KernelRegistry& GpuKernels() {
  static const KernelRegistry& kernels = *[] {
    auto* const made = new KernelRegistry;
    RegisterGpuAddingKernels(*made);
    RegisterGpuArrayKernels(*made);
    RegisterGpuCastKernels(*made);
    RegisterGpuElementwiseKernels(*made);
    RegisterGpuGatherKernels(*made);
    RegisterGpuHandingKernels(*made);
    RegisterGpuIndexedKernels(*made);
    RegisterGpuMoveKernels(*made);
    RegisterGpuProductKernels(*made);
    RegisterGpuRandomKernels(*made);
    RegisterGpuReductionKernels(*made);
    RegisterGpuRowTrainingKernels(*made);
    RegisterGpuRowUpdateKernels(*made);
    RegisterGpuScanKernels(*made);
    RegisterGpuScatterKernels(*made);
    RegisterGpuSelectKernels(*made);
    RegisterGpuSoftmaxKernels(*made);
    RegisterGpuTrainingKernels(*made);
    RegisterGpuVariableKernels(*made);
    RegisterGpuShortFloatKernels(*made);
    return made;
  }();
  return kernels;
}

}  // namespace tagflow::optimized
