#ifndef TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_KERNEL_H_
#define TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_KERNEL_H_

#include "reference/kernel.h"

namespace polyval {

// Registers what the reference computes Examples>Polyval by.
tagflow::Status RegisterReferenceKernels(tagflow::reference::KernelRegistry& registry);

}  // namespace polyval

#endif  // TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_KERNEL_H_
