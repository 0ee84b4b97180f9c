// Training steps of rows of variables that the GPU keeps: ResourceSparseApplyAdagrad and its like.
//
// Tested by gpu_variable_test.cc.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/link_room.h"
#include "optimized/devices/gpu/kernels/variable_on_gpu.h"
#include "optimized/kernels/trained_variables.h"

namespace tagflow::optimized {
namespace {

// A node's.
struct GpuRowTrainer {
  const RowTrainingLaunch* launch;  // a table's
  bool flag;
  std::string node;

  Status operator()(KernelContext& context) const {
    TAGFLOW_ASSIGN_OR_RETURN(
        TrainedVariables variables,
        TrainedVariables::Find(context, launch->form, Extent::kRows, By::kHandle));
    return variables.WithAnywhere([&]() -> Status {
      TAGFLOW_RETURN_IF_ERROR(variables.Check(context));
      return Train(context, variables.contents());
    });
  }

 private:
  // What a step is given, by the numbers of the inputs in the form for whole variables.
  struct Inputs {
    std::vector<std::pair<int, Tensor>> scalars;
    Tensor rows;
    int64_t limit;  // of the rows
  };

  Status Train(KernelContext& context, const std::vector<Variable::Contents*>& slots) const {
    Inputs inputs = {{}, context.input(launch->form.gradient + 1), slots[0]->value.dim(0)};
    for (int i = launch->form.slots; true; ++i) {
      const int place = PlaceOf(i, launch->form, Extent::kRows);
      if (place >= context.num_inputs()) break;
      if (i != launch->form.gradient) inputs.scalars.emplace_back(i, context.input(place));
    }
    RowTrainingArgs args = {};
    args.training = ArgsOf(inputs.scalars);
    args.knows_scalars = std::ranges::all_of(
        inputs.scalars, [](const auto& scalar) { return scalar.second.is_inline(); });
    // The error is that of the rows, if there is one, for which the host waits here.
    const bool refuses = args.knows_scalars && launch->refusal(args.training) != nullptr;
    if (refuses) return RefusalOf(inputs);
    TAGFLOW_ASSIGN_OR_RETURN(
        const auto fault,
        NewFaultPlace(context, node, [*this, inputs](int64_t) { return RefusalOf(inputs); }));
    for (size_t k = 0; k < slots.size(); ++k) {
      TAGFLOW_RETURN_IF_ERROR(MakeUniqueOn(context, *slots[k]));
      args.training.slots[k] = CudaMemory::Address(slots[k]->value);
    }
    const Tensor& gradient = context.input(launch->form.gradient);
    args.training.gradient = CudaMemory::Address(gradient);
    args.training.fault = *fault;
    args.links = LinksByIndex(inputs.limit, inputs.rows);
    args.size = args.links.count == 0 ? 0 : gradient.num_elements() / args.links.count;
    args.links.coordinates.fault = *fault;
    args.links.coordinates.names = CudaMemory::Address(inputs.rows);
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor room, GiveRoom(args.links, context));
    return LaunchOn(context, launch->launch, args);
  }

  // With the scalars alone.
  TrainingArgs ArgsOf(const std::vector<std::pair<int, Tensor>>& scalars) const {
    TrainingArgs args = {};
    args.flag = flag;
    for (const auto& [i, scalar] : scalars) {
      args.scalars[i] = PlaceOf(scalar, args.scalar_values[i]);
    }
    return args;
  }

  // The error of what the kernel notes, as the host finds it.
  Status RefusalOf(Inputs inputs) const {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor rows, inputs.rows.OnHost());
    TAGFLOW_RETURN_IF_ERROR(CheckTrainedRows(rows, inputs.limit));
    for (auto& [i, scalar] : inputs.scalars) {
      TAGFLOW_ASSIGN_OR_RETURN(scalar, scalar.OnHost());
    }
    const char* const refusal = launch->refusal(ArgsOf(inputs.scalars));
    return refusal == nullptr ? Status() : InvalidArgument(refusal);
  }
};

}  // namespace

void RegisterGpuRowTrainingKernels(KernelRegistry& registry) {
  for (const RowTrainingLaunch& launch : Cuda().row_training_launches()) {
    const Binder bind = [&launch](const Binding& binding) -> Result<BoundKernel> {
      bool flag = false;
      if (*launch.form.flag != '\0') {
        TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(binding.node, launch.form.flag));
      }
      TAGFLOW_RETURN_IF_ERROR(HostKernel(binding.node.op).bind(binding).status());
      return BoundKernel(GpuRowTrainer{&launch, flag, binding.node.name});
    };
    RegisterForGpu("ResourceSparseApply" + launch.name, launch.dtype, {.bind = bind}, registry);
  }
  // Of other dtypes.
  for (const std::string& op : KernelRegistry::Standard().Ops()) {
    if (op.starts_with("ResourceSparseApply")) RegisterAsHosts(op, registry);
  }
}

}  // namespace tagflow::optimized
