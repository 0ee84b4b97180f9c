#ifndef TAGFLOW_OPTIMIZED_KERNELS_REGISTRATION_H_
#define TAGFLOW_OPTIMIZED_KERNELS_REGISTRATION_H_

// A family's kernels as a table.

#include <initializer_list>
#include <string_view>

#include "optimized/kernel.h"

namespace tagflow::optimized {

struct NamedBinder {
  std::string_view op;
  Binder bind;
  Cost cost = Cost::kCheap;
};

// Binds a kernel that looks at nothing of its node.
template <Status (*kKernel)(KernelContext&)>
Result<BoundKernel> Bind(const Binding&) {
  return BoundKernel([](KernelContext& context) { return kKernel(context); });
}

// ALREADY_EXISTS for an op that has a kernel.
inline Status RegisterAll(KernelRegistry& registry, std::initializer_list<NamedBinder> kernels) {
  for (const NamedBinder& kernel : kernels) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(kernel.op, kernel.bind, kernel.cost));
  }
  return Status();
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_REGISTRATION_H_
