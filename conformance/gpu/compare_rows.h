#ifndef TAGFLOW_CONFORMANCE_GPU_COMPARE_ROWS_H_
#define TAGFLOW_CONFORMANCE_GPU_COMPARE_ROWS_H_

// Ops that read and change rows of variables, on the GPU and on the CPU: bit for bit.

#include "conformance/gpu/suite_counts.h"

namespace tagflow::conformance {

void CompareRowKernels(SuiteCounts& counts);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_COMPARE_ROWS_H_
