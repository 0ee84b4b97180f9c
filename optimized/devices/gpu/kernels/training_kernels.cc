// Training steps of variables that the GPU keeps: ResourceApplyAdam and its like.
//
// Tested by conformance/ops/training.ops, over a fake of CUDA.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/variable_on_gpu.h"
#include "optimized/kernels/trained_variables.h"

namespace tagflow::optimized {
namespace {

// A node's.
struct GpuTrainer {
  const TrainingLaunch* launch;  // a table's
  bool flag;
  std::string node;

  Status operator()(KernelContext& context) const {
    TAGFLOW_ASSIGN_OR_RETURN(
        TrainedVariables variables,
        TrainedVariables::Find(context, launch->form, Extent::kAll, By::kHandle));
    return variables.WithAnywhere([&]() -> Status {
      TAGFLOW_RETURN_IF_ERROR(variables.Check(context));
      return Train(context, variables.contents());
    });
  }

 private:
  Status Train(KernelContext& context, const std::vector<Variable::Contents*>& slots) const {
    TrainingArgs args = {};
    args.flag = flag;
    args.count = context.input(launch->form.gradient).num_elements();
    bool are_known = true;  // the scalars, to the host
    for (int i = launch->form.slots; i < context.num_inputs(); ++i) {
      const bool is_gradient = i == launch->form.gradient;
      const void*& place = is_gradient ? args.gradient : args.scalars[i];
      place = PlaceOf(context.input(i), is_gradient ? args.gradient_value : args.scalar_values[i]);
      are_known = are_known && (is_gradient || place == nullptr);
    }
    if (const char* const refusal = launch->refusal(args)) return InvalidArgument(refusal);
    std::shared_ptr<const FaultPlace> fault;
    if (launch->refuses_scalars && !are_known) {
      TAGFLOW_ASSIGN_OR_RETURN(fault, FaultOfScalars(context, args));
      args.fault = *fault;
    }
    for (size_t k = 0; k < slots.size(); ++k) {
      TAGFLOW_RETURN_IF_ERROR(MakeUniqueOn(context, *slots[k]));
      args.slots[k] = CudaMemory::Address(slots[k]->value);
    }
    return args.count == 0 ? Status() : LaunchOn(context, launch->launch, args);
  }

  // Says what the formula refuses of scalars, with those that are on the GPU.
  Result<std::shared_ptr<const FaultPlace>> FaultOfScalars(KernelContext& context,
                                                           const TrainingArgs& args) const {
    std::vector<std::pair<int, Tensor>> there;
    for (int i = launch->form.slots; i < context.num_inputs(); ++i) {
      if (args.scalars[i] != nullptr) there.emplace_back(i, context.input(i));
    }
    return NewFaultPlace(context, node, [launch = launch, args, there](int64_t) -> Status {
      TrainingArgs known = args;
      for (const auto& [i, scalar] : there) {
        TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, scalar.OnHost());
        known.scalars[i] = PlaceOf(on_host, known.scalar_values[i]);
      }
      const char* const refusal = launch->refusal(known);
      return refusal == nullptr ? Status() : InvalidArgument(refusal);
    });
  }
};

}  // namespace

void RegisterGpuTrainingKernels(KernelRegistry& registry) {
  for (const TrainingLaunch& launch : Cuda().training_launches()) {
    const std::string op = "ResourceApply" + launch.name;
    const Binder bind = [&launch](const Binding& binding) -> Result<BoundKernel> {
      bool flag = false;
      if (*launch.form.flag != '\0') {
        TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(binding.node, launch.form.flag));
      }
      TAGFLOW_RETURN_IF_ERROR(HostKernel(binding.node.op).bind(binding).status());
      return BoundKernel(GpuTrainer{&launch, flag, binding.node.name});
    };
    RegisterForGpu(op, launch.dtype, {.bind = bind}, registry);
  }
  // Of other dtypes.
  for (const std::string& op : KernelRegistry::Standard().Ops()) {
    if (op.starts_with("ResourceApply")) RegisterAsHosts(op, registry);
  }
}

}  // namespace tagflow::optimized
