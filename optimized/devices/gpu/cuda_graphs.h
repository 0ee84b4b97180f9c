#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_GRAPHS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_GRAPHS_H_

// CUDA's own graphs.
//
// Tested by conformance/gpu/gpu_suite.cc, on a GPU.

#include "optimized/devices/gpu/cuda_api.h"

namespace tagflow::optimized {

// Null where the toolkit has no loops in graphs as they are used here (before CUDA 13).
const CudaGraphApi* CudaGraphs();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_GRAPHS_H_
