#include "fuzz/engines/own_kernels.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "graph/op_def.h"

namespace tagflow::fuzz {
namespace {

using optimized::AsyncCall;
using optimized::AsyncFunction;
using optimized::Binding;
using optimized::BoundKernel;
using optimized::KernelContext;
using optimized::KernelEntry;

using Outputs = Result<std::vector<Tensor>>;
using Complete = std::function<void(std::shared_ptr<AsyncCall>, Outputs)>;

bool IsHandle(const ArgDef& arg) { return arg.is_ref || arg.dtype == DType::kResource; }

// Of what has no effects, and is no variable's, every other op.
bool CompletesByItself(const std::string& name) {
  const OpDef* const op = OpRegistry::Standard().Find(name);
  return op != nullptr && !op->is_stateful && name.size() % 2 == 0 &&
         std::ranges::none_of(op->inputs, IsHandle) && std::ranges::none_of(op->outputs, IsHandle);
}

Outputs Compute(const BoundKernel& kernel, size_t num_outputs, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(kernel(context));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < num_outputs; ++i) {
    outputs.push_back(std::move(context.output(static_cast<int>(i))));
  }
  return outputs;
}

// count: null: nobody counts
optimized::Binder ByItself(const KernelEntry& entry, std::atomic<int64_t>* count,
                           Complete complete) {
  return optimized::AsyncKernel([&entry, count, complete = std::move(complete)](
                                    const Binding& binding) -> Result<AsyncFunction> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel kernel, entry.bind(binding));
    return AsyncFunction([kernel, count, complete, n = binding.signature.outputs.size()](
                             KernelContext& context, std::shared_ptr<AsyncCall> call) {
      if (count != nullptr) ++*count;
      complete(std::move(call), Compute(kernel, n, context));
    });
  });
}

optimized::Binder Counting(const KernelEntry& entry, std::atomic<int64_t>& count) {
  return [&entry, &count](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel kernel, entry.bind(binding));
    return BoundKernel([kernel, &count](KernelContext& context) {
      ++count;
      return kernel(context);
    });
  };
}

}  // namespace

std::map<std::string, int64_t> CallCounts::Read() const {
  std::map<std::string, int64_t> read;
  for (const auto& [op, count] : counts_) read[op] = count;
  return read;
}

reference::KernelRegistry CountingKernels(CallCounts& counts) {
  const reference::KernelRegistry& standard = reference::KernelRegistry::Standard();
  reference::KernelRegistry kernels;
  for (const std::string& op : standard.Ops()) {
    const reference::Kernel& kernel = *standard.Find(op);
    (void)kernels.Register(op,
                           [&kernel, &count = counts.of(op)](reference::KernelContext& context) {
                             ++count;
                             return kernel(context);
                           });
  }
  return kernels;
}

CountingEngineKernels::CountingEngineKernels(CallCounts& counts) {
  const optimized::KernelRegistry& standard = optimized::KernelRegistry::Standard();
  for (const std::string& op : standard.Ops()) {
    const KernelEntry& entry = *standard.Find(op);
    std::atomic<int64_t>& count = counts.of(op);
    const Complete later = [this](std::shared_ptr<AsyncCall> call, Outputs outputs) {
      DoneLater(std::move(call), std::move(outputs));
    };
    (void)registry_.Register(
        op, CompletesByItself(op) ? ByItself(entry, &count, later) : Counting(entry, count),
        entry.cost);
  }
}

void CountingEngineKernels::DoneLater(std::shared_ptr<AsyncCall> call, Outputs outputs) {
  std::lock_guard lock(mutex_);
  completing_.emplace_back([call = std::move(call), outputs = std::move(outputs)]() mutable {
    call->Done(std::move(outputs));
  });
}

const optimized::KernelRegistry& AsyncKernels() {
  static const optimized::KernelRegistry& kernels = *new optimized::KernelRegistry([] {
    const optimized::KernelRegistry& standard = optimized::KernelRegistry::Standard();
    const Complete at_once = [](const std::shared_ptr<AsyncCall>& call, Outputs outputs) {
      call->Done(std::move(outputs));
    };
    optimized::KernelRegistry made;
    for (const std::string& op : standard.Ops()) {
      const KernelEntry& entry = *standard.Find(op);
      (void)made.Register(
          op, CompletesByItself(op) ? ByItself(entry, nullptr, at_once) : entry.bind, entry.cost);
    }
    return made;
  }());
  return kernels;
}

}  // namespace tagflow::fuzz
