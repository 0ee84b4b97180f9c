#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_STATUS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_STATUS_H_

// What CUDA's error codes mean to a step.

#include <cuda_runtime.h>

#include <string_view>

#include "graph/status.h"

namespace tagflow::optimized {

// The status of a CUDA call; what: what was tried, as in "copying to '/device:GPU:0'".
//   Errors: RESOURCE_EXHAUSTED where memory is short, which a later step may not be;
//   FAILED_PRECONDITION without a driver, or with one that is too old; UNAVAILABLE where the
//   process has lost its GPU, for good; INTERNAL for a call that makes no sense
Status CudaStatus(cudaError_t error, std::string_view what);

// Whether no call of this process can use a GPU after that error. Kernels that read where they must
// not, and hardware that fails, leave CUDA so.
bool LosesGpu(cudaError_t error);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_STATUS_H_
