#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_CODE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_CODE_H_

// Kernels that CUDA is given as PTX; the driver makes code of them for its GPU.

#include "optimized/devices/gpu/cuda_api.h"

namespace tagflow::optimized {

// Null for a CUDA before version 13.
const CudaCodeApi* CodeOfCuda();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_CODE_H_
