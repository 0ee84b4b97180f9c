#ifndef TAGFLOW_CONFORMANCE_OP_LIBRARY_H_
#define TAGFLOW_CONFORMANCE_OP_LIBRARY_H_

// The ops a program knows, what each engine computes them by, and their gradients; and the kinds of
// devices that the engine runs them on.

#include "graph/op_def.h"
#include "optimized/devices/kinds.h"
#include "optimized/kernel.h"
#include "reference/kernel.h"
#include "transform/gradients/gradient_function.h"

namespace tagflow {

// By default the standard ops. A program with ops of its own fills registries of its own, with the
// standard ops first (RegisterStandardOps, RegisterStandardKernels), and hands them to the commands
// and engines in one of these. The registries outlive whatever is made with them, and nothing is
// registered any more once something is; they may then be shared between threads.
//
// An op without a kernel or gradient here can be in a graph; running it, or going back through it,
// is UNIMPLEMENTED.
struct OpLibrary {
  const OpRegistry* ops = &OpRegistry::Standard();
  const reference::KernelRegistry* reference_kernels = &reference::KernelRegistry::Standard();
  const optimized::KernelRegistry* kernels = &optimized::KernelRegistry::Standard();
  const GradientRegistry* gradients = &GradientRegistry::Standard();
  const optimized::DeviceKinds* device_kinds = &optimized::StandardDeviceKinds();
};

}  // namespace tagflow

#endif  // TAGFLOW_CONFORMANCE_OP_LIBRARY_H_
