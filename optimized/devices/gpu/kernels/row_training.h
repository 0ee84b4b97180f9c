#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_TRAINING_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_TRAINING_H_

// The training steps of rows as nvcc has compiled them.

#include <vector>

#include "optimized/devices/gpu/kernels/row_training_bodies.h"
#include "optimized/devices/gpu/kernels/training.h"

namespace tagflow::optimized {

// Of the ops ResourceSparseApplyNAME. `refusal` is for scalars all of which the host has.
using RowTrainingLaunch = TrainingLaunchOf<RowTrainingArgs>;

const std::vector<RowTrainingLaunch>& RowTrainingLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_TRAINING_H_
