#include "optimized/observer.h"

#include <new>
#include <utility>

#include "graph/out_of_memory.h"

namespace tagflow::optimized {
namespace {

struct ObservedKernel {
  const Node& node;
  const BoundKernel kernel;
  Observer& observer;
};

Status RunObserved(const void* state, KernelContext& context) {
  const auto& observed = *static_cast<const ObservedKernel*>(state);
  observed.observer.KernelBegins(observed.node, context);
  try {
    Status status = observed.kernel(context);
    observed.observer.KernelEnds(observed.node, context, status);
    return status;
  } catch (const std::bad_alloc&) {
    observed.observer.KernelEnds(observed.node, context, OutOfMemory());
    throw;
  }
}

Binder ObservedBinder(const KernelEntry& entry, Observer& observer) {
  return [&entry, &observer](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(BoundKernel kernel, entry.bind(binding));
    return BoundKernel(RunObserved, std::make_shared<const ObservedKernel>(
                                        ObservedKernel{binding.node, std::move(kernel), observer}));
  };
}

}  // namespace

void ObserverList::StepBegins() {
  for (Observer* each : observers_) each->StepBegins();
}

void ObserverList::KernelBegins(const Node& node, KernelContext& context) {
  for (Observer* each : observers_) each->KernelBegins(node, context);
}

void ObserverList::KernelEnds(const Node& node, KernelContext& context, const Status& status) {
  for (size_t i = observers_.size(); i-- > 0;) observers_[i]->KernelEnds(node, context, status);
}

void ObserverList::StepEnds(const Status& status) {
  for (size_t i = observers_.size(); i-- > 0;) observers_[i]->StepEnds(status);
}

std::unique_ptr<KernelRegistry> Observed(const KernelRegistry& kernels, Observer& observer) {
  return kernels.WithBinders([&observer](const std::string&, const KernelEntry& entry) {
    return ObservedBinder(entry, observer);
  });
}

}  // namespace tagflow::optimized
