#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_TRAINING_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_TRAINING_H_

// The training steps as nvcc has compiled them.

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"

namespace tagflow::optimized {

template <typename Args>
struct TrainingLaunchOf {
  std::string name;
  DType dtype;
  training::Form form;
  bool refuses_scalars;                              // some; then it notes faults
  const char* (*refusal)(const TrainingArgs& args);  // of scalars that the host has; or null
  cudaError_t (*launch)(const Args& args, cudaStream_t stream);
};
// Of the ops ApplyNAME, where there is one, and ResourceApplyNAME.
using TrainingLaunch = TrainingLaunchOf<TrainingArgs>;

const std::vector<TrainingLaunch>& TrainingLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_TRAINING_H_
