#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LAUNCHING_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LAUNCHING_H_

// What families of GPU kernels are registered with: their memory, their stream, and the host's
// kernels that stand behind them.
//
// Tested by gpu_families_test.cc.

#include <cstring>
#include <string>
#include <utility>

#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/kernel.h"

namespace tagflow::optimized::launching {

// The stream of a firing, with its GPU as the one that calls of CUDA are for.
inline CudaStream& SelectedStream(const KernelContext& context) {
  auto& stream = static_cast<CudaStream&>(*context.stream());
  stream.Select();
  return stream;
}

// An output in the stream's memory; a scalar too.
//   Errors: RESOURCE_EXHAUSTED
inline Result<Tensor*> NewOutput(KernelContext& context, int i, DType dtype, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(context.output(i),
                           Tensor::AllocateUninitialized(dtype, dims, context.stream()->memory()));
  return &context.output(i);
}

// Memory between the passes of a kernel. When the tensor goes, what was enqueued may still use it.
//   Errors: RESOURCE_EXHAUSTED
inline Result<Tensor> NewRoom(KernelContext& context, int64_t bytes) {
  return Tensor::AllocateUninitialized(DType::kUInt8, Dims{bytes}, context.stream()->memory());
}

// Where the kernel finds an input: in the GPU's memory, or, of a scalar that the host has, in
// `scalar`, of 8 bytes.
inline const void* PlaceOf(const Tensor& input, char* scalar) {
  if (!input.is_inline()) return CudaMemory::Address(input);
  std::memcpy(scalar, input.raw_data(), DTypeSize(input.dtype()));
  return nullptr;
}

inline Status Launched(cudaError_t error) { return CudaStatus(error, "launching a kernel"); }

// The host's kernel, which computes what is of scalars alone.
inline const KernelEntry& HostKernel(const std::string& op) {
  const KernelEntry* const entry = KernelRegistry::Standard().Find(op);
  TAGFLOW_CHECK(entry != nullptr);
  return *entry;
}

inline void Register(const std::string& op, DType dtype, KernelEntry entry,
                     KernelRegistry& registry) {
  TAGFLOW_CHECK(registry.RegisterFor({op, "GPU", dtype}, std::move(entry)).ok());
}

}  // namespace tagflow::optimized::launching

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LAUNCHING_H_
