#ifndef TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_ENGINE_KERNEL_H_
#define TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_ENGINE_KERNEL_H_

#include "optimized/kernel.h"

namespace polyval {

// Registers what the engine computes Examples>Polyval by.
tagflow::Status RegisterEngineKernels(tagflow::optimized::KernelRegistry& registry);

}  // namespace polyval

#endif  // TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_ENGINE_KERNEL_H_
