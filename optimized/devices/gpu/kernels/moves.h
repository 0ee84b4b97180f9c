#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVES_H_

// The kernels that move elements as nvcc has compiled them.

#include <cuda_runtime.h>

#include <cstddef>

#include "optimized/devices/gpu/kernels/gather_body.h"
#include "optimized/devices/gpu/kernels/move_bodies.h"

namespace tagflow::optimized {

// Of elements of 1, 2, 4 or 8 bytes; cudaErrorInvalidValue of others.
cudaError_t LaunchBox(size_t element_bytes, const BoxArgs& args, cudaStream_t stream);
cudaError_t LaunchSelect(size_t element_bytes, const SelectArgs& args, cudaStream_t stream);
// Of indices of 4 or 8 bytes.
cudaError_t LaunchGather(size_t element_bytes, size_t index_bytes, const GatherArgs& args,
                         cudaStream_t stream);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVES_H_
