#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_VARIABLE_ON_GPU_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_VARIABLE_ON_GPU_H_

// Variables by handle whose values the GPU keeps.
//
// Tested by conformance/ops/variable.ops, over a fake of CUDA.

#include <memory>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"
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

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_VARIABLE_ON_GPU_H_
