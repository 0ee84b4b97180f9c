// nvcc takes an assignment to a [[nodiscard]] type for a value that nobody looks at.
#pragma nv_diag_suppress 2810

#include "conformance/gpu/bad_write.h"

#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"

namespace tagflow::conformance {
namespace {

__global__ void WriteTo(int* address) { *address = 1; }

}  // namespace

Status WriteBadly(optimized::DeviceStream& stream) {
  constexpr uintptr_t kNowhere = 256;  // aligned, so that it is nothing but out of reach
  auto& on_gpu = static_cast<optimized::CudaStream&>(stream);
  on_gpu.Select();
  WriteTo<<<1, 1, 0, on_gpu.handle()>>>(reinterpret_cast<int*>(kNowhere));
  return optimized::CudaStatus(cudaGetLastError(), "launching a kernel");
}

}  // namespace tagflow::conformance
