#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_VARIABLE_ON_GPU_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_VARIABLE_ON_GPU_H_

// Variables by handle whose values the GPU keeps.
//
// Tested by conformance/ops/variable.ops, over a fake of CUDA.

#include <memory>
#include <string>
#include <utility>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/kept_value.h"
#include "optimized/kernel.h"
#include "optimized/kernels/variable_access.h"

namespace tagflow::optimized {

// The value of the variable that input 0 is the handle of, on the firing's GPU. No value: there is
// none of this dtype, and the host's kernel says why.
inline Result<Tensor> ValueOnGpu(KernelContext& context, DType wanted) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, VariableOf(context));
  return variable->WithAnywhere([&](Variable::Contents& contents) -> Result<Tensor> {
    if (!contents.value.has_value() || contents.dtype != wanted) return Tensor();
    TAGFLOW_RETURN_IF_ERROR(BringTo(*context.stream(), contents));
    return contents.value;
  });
}

// Makes the value one in the GPU's memory that nobody else has, to be changed there.
//   Errors: RESOURCE_EXHAUSTED; of the GPU
// REQUIRES: a value; the variable is locked
inline Status MakeUniqueOn(KernelContext& context, Variable::Contents& contents) {
  TAGFLOW_RETURN_IF_ERROR(BringTo(*context.stream(), contents, HostScalars::kMove));
  Tensor& value = contents.value;
  if (value.unique()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor copy, Tensor::AllocateUninitialized(value.dtype(), value.dims(),
                                                                      context.stream()->memory()));
  TAGFLOW_RETURN_IF_ERROR(LaunchOn(context, Cuda().memcpy_async, CudaMemory::Address(copy),
                                   CudaMemory::Address(value), value.byte_size(),
                                   cudaMemcpyDeviceToDevice));
  value = std::move(copy);
  return Status();
}

// Registers the host's kernel for nodes that are placed on the GPU: its inputs, and the value of
// the variable, come to the host.
inline void RegisterAsHosts(const std::string& op, KernelRegistry& registry) {
  RegisterForGpu(op, DType::kInvalid,
                 {.bind = HostKernel(op).bind, .is_for_host = [](const Binding&) { return true; }},
                 registry);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_VARIABLE_ON_GPU_H_
