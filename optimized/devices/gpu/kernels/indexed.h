#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_H_

// The kernels of indexed_bodies.h as nvcc has compiled them.

#include <cuda_runtime.h>

#include <cstddef>

#include "optimized/devices/gpu/kernels/indexed_bodies.h"

namespace tagflow::optimized {

// Each of elements of 1, 2, 4 or 8 bytes; cudaErrorInvalidValue of others.
struct IndexedLaunches {
  cudaError_t (*gather_nd)(size_t element_bytes, const GatherNdArgs& args, cudaStream_t stream);
  cudaError_t (*one_hot)(size_t element_bytes, const OneHotArgs& args, cudaStream_t stream);
  cudaError_t (*reverse_sequence)(size_t element_bytes, const ReverseSequenceArgs& args,
                                  cudaStream_t stream);
  cudaError_t (*band)(size_t element_bytes, const BandArgs& args, cudaStream_t stream);
};

const IndexedLaunches& IndexedKernels();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_H_
