#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_BRANCH_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_BRANCH_H_

// A loop with a branch whose predicate is on the GPU, and its gradients, for which each way keeps
// what it computes.
//
// Tested by gpu_programs_test.cc.

#include "conformance/gpu/gpu_programs.h"

namespace tagflow::conformance {

// elements: of the vector that goes round
Result<GpuProgram> BranchProgram(int64_t iterations, int64_t elements);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_BRANCH_H_
