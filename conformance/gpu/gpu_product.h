#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_PRODUCT_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_PRODUCT_H_

// A loop of products of large square matrices.
//
// Tested by gpu_programs_test.cc.

#include "conformance/gpu/gpu_programs.h"

namespace tagflow::conformance {

// y = y w, so many times; both are size by size.
Result<GpuProgram> ProductProgram(int64_t size, int64_t times);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_PRODUCT_H_
