#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LAUNCHING_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LAUNCHING_H_

// What the kernels of the GPU are registered and launched with.
//
// Tested by gpu_kernels_test.cc and gpu_families_test.cc.

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/kernel.h"
#include "optimized/kernels/part.h"

namespace tagflow::optimized {

// ---- Registering ----

// Of dtype kInvalid: for all.
inline void RegisterForGpu(const std::string& op, DType dtype, KernelEntry entry,
                           KernelRegistry& registry) {
  TAGFLOW_CHECK(registry.RegisterFor({op, "GPU", dtype}, std::move(entry)).ok());
}

// The host's kernel, which computes what is of scalars alone, and knows what is refused.
inline const KernelEntry& HostKernel(const std::string& op) {
  const KernelEntry* const entry = KernelRegistry::Standard().Find(op);
  TAGFLOW_CHECK(entry != nullptr);
  return *entry;
}

// A kernel that computes what the host's does, which may say what that is (kernels/part.h).
//   callable: it keeps on_host
template <typename F>
BoundKernel BindAs(const BoundKernel& on_host, F callable) {
  const KernelPart* const part = PartOf(on_host);
  if (part == nullptr) return BoundKernel(std::move(callable));
  return BindPart(*part, std::move(callable));
}

// ---- Inputs and outputs ----

// Whether all inputs are on the host: scalars, and what the kernel reads there. What is of such
// stays there, where the host's kernel computes it; so a loop counts without its GPU.
inline bool AllAreOnHost(const KernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input(i).memory_kind() == MemoryKind::kDevice) return false;
  }
  return true;
}

// Output i, in the stream's memory; a scalar too.   Errors: RESOURCE_EXHAUSTED
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

// The dims of an input for PlacesOf, which takes one without dimensions for one that the host has.
inline Dims DimsInMemory(const Tensor& input) {
  if (input.rank() == 0 && !input.is_inline()) return {1};
  return Dims(input.dims().begin(), input.dims().end());
}

// Where the kernel finds an input: in the GPU's memory, or, of a scalar that the host has, in
// `scalar`; then it is null.
inline const void* PlaceOf(const Tensor& input, char* scalar) {
  if (!input.is_inline()) return CudaMemory::Address(input);
  std::memcpy(scalar, input.raw_data(), DTypeSize(input.dtype()));
  return nullptr;
}

// ---- Launching ----

// For a kernel that may fail on the GPU; to be kept until it is launched.
//   node: its name; tell: its error, of the index that it notes
inline Result<std::shared_ptr<const FaultPlace>> NewFaultPlace(KernelContext& context,
                                                               const std::string& node,
                                                               DeviceFaults::Tell tell) {
  return context.faults()->Add([node, tag = context.tag(), tell = std::move(tell)](int64_t index) {
    return tell(index).WithNode(node).WithTag(tag);
  });
}

// The stream of a firing, with its GPU as the one that calls of CUDA are for.
inline CudaStream& SelectedStream(const KernelContext& context) {
  auto& stream = static_cast<CudaStream&>(*context.stream());
  stream.Select();
  return stream;
}

// Calls launch(args…, the stream's handle).
template <typename Launch, typename... Args>
Status LaunchOn(KernelContext& context, Launch launch, const Args&... args) {
  return CudaStatus(launch(args..., SelectedStream(context).handle()), "launching a kernel");
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LAUNCHING_H_
