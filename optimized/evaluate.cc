#include "optimized/evaluate.h"

#include <utility>
#include <vector>

#include "optimized/async_kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {
namespace {

Result<std::vector<Tensor>> RunOnce(const KernelRegistry& kernels, const Node& node,
                                    std::span<const Tensor> inputs) {
  const KernelEntry* kernel = kernels.Find(node.op);
  if (kernel == nullptr) return Unimplemented("op " + node.op + " has no CPU kernel");
  // A plan cannot be cancelled, so it runs nothing that might wait or go on for ever.
  if (IsAsync(*kernel)) return Unimplemented("op " + node.op + " completes by itself");
  if (OpRegistry::Standard().Find(node.op) == nullptr) return Unimplemented("a user's op");
  TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(node));
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel bound, kernel->bind(Binding{node, signature}));
  std::vector<Tensor> slots(inputs.begin(), inputs.end());
  slots.resize(inputs.size() + signature.outputs.size());
  std::vector<Arg> args;
  std::vector<uint32_t> outputs;
  for (uint32_t i = 0; i < slots.size(); ++i) {
    if (i < inputs.size()) {
      args.push_back(Arg{.slot = i, .is_last = 0});
    } else {
      outputs.push_back(i);
    }
  }
  // Nothing that a stateless kernel would use; a kernel that does so all the same does no harm.
  SessionState session;
  StepState step;
  const StepServices services{&session, &step, nullptr, nullptr};
  KernelContext context(slots.data(), services);
  context.Point(args.data(), outputs.data(), static_cast<int>(args.size()));
  TAGFLOW_RETURN_IF_ERROR(bound(context));
  slots.erase(slots.begin(), slots.begin() + static_cast<ptrdiff_t>(inputs.size()));
  return slots;
}

}  // namespace

Evaluate EvaluateWith(const KernelRegistry& kernels) {
  return [&kernels](const Node& node, std::span<const Tensor> inputs) {
    return RunOnce(kernels, node, inputs);
  };
}

}  // namespace tagflow::optimized
