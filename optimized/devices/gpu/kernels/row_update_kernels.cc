// ResourceScatterAdd and its like, and ResourceScatterNdAdd and its like: rows and slices of
// variables that the GPU keeps, changed by indices on the device.
//
// Tested by gpu_variable_test.cc.

#include <memory>
#include <string>
#include <utility>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/link_room.h"
#include "optimized/devices/gpu/kernels/scatter_plan.h"
#include "optimized/devices/gpu/kernels/variable_on_gpu.h"
#include "optimized/kernels/nd_slices.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/kernels/variable_rows.h"

namespace tagflow::optimized {
namespace {

// A node's.
struct RowUpdater {
  const GpuLaunch<RowUpdateArgs>* launch;  // a table's
  std::string node;
  bool by_coordinates;  // slices, of which coordinates outside may be passed over
  bool passes_over;

  // REQUIRES: a value; the variable is locked
  Status operator()(KernelContext& context, Variable::Contents& contents) const {
    const Tensor& indices = context.input(1);
    const Tensor& updates = context.input(2);
    if (contents.value.dtype() != updates.dtype()) {
      return WrongDType("update", contents.value.dtype(), updates.dtype());
    }
    const Dims dims(contents.value.dims().begin(), contents.value.dims().end());
    TAGFLOW_ASSIGN_OR_RETURN(RowUpdateArgs args, PlanOf(dims, indices, updates));
    if (args.elements() == 0 && by_coordinates) return Status();  // there is no index either
    TAGFLOW_RETURN_IF_ERROR(MakeUniqueOn(context, contents));
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor room, GiveRoom(args.links, context));
    const Tensor divisors = launch->op == "Div" ? updates : Tensor();
    TAGFLOW_ASSIGN_OR_RETURN(
        const auto fault, NewFaultPlace(context, node, [*this, dims, indices, divisors](int64_t) {
          return RefusalOf(dims, indices, divisors);
        }));
    Coordinates& coordinates = args.links.coordinates;
    coordinates.fault = *fault;
    coordinates.names = PlaceOf(indices, coordinates.scalar);
    args.variable = CudaMemory::Address(contents.value);
    args.updates = PlaceOf(updates, args.scalar);
    return LaunchOn(context, launch->launch, args);
  }

 private:
  Result<RowUpdateArgs> PlanOf(DimsView dims, const Tensor& indices, const Tensor& updates) const {
    return by_coordinates ? PlanOfSliceUpdates(dims, indices, updates, passes_over)
                          : PlanOfRowUpdates(dims, indices, updates);
  }

  // The error of what the kernel notes, as the host finds it.
  //   divisors: no value where nothing is divided
  Status RefusalOf(const Dims& dims, const Tensor& indices, const Tensor& divisors) const {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor at, indices.OnHost());
    if (by_coordinates) return NdSlicesAt(dims, at, passes_over).status();
    if (divisors.has_value()) {
      TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, divisors.OnHost());
      TAGFLOW_RETURN_IF_ERROR(CheckDivisors(on_host));
    }
    return CheckUpdatedRows(at, dims[0]);
  }
};

BoundKernel UpdatesVariable(const BoundKernel& on_host, RowUpdater update) {
  return BoundKernel([on_host, update = std::move(update)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
    bool has_value = false;  // else the host's kernel says what is wrong
    TAGFLOW_RETURN_IF_ERROR(variable->WithAnywhere([&](Variable::Contents& contents) -> Status {
      has_value = contents.value.has_value();
      return has_value ? update(context, contents) : Status();
    }));
    return has_value ? Status() : on_host(context);
  });
}

void RegisterUpdate(const std::string& op, const GpuLaunch<RowUpdateArgs>& launch,
                    bool by_coordinates, KernelRegistry& registry) {
  const Binder bind = [&launch, by_coordinates](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    RowUpdater update = {&launch, binding.node.name, by_coordinates, false};
    if (by_coordinates) {
      TAGFLOW_ASSIGN_OR_RETURN(update.passes_over, PassesOverBadIndices(binding.node));
    }
    return UpdatesVariable(on_host, std::move(update));
  };
  RegisterForGpu(op, launch.dtype, {.bind = bind}, registry);
}

}  // namespace

void RegisterGpuRowUpdateKernels(KernelRegistry& registry) {
  for (const auto& launch : Cuda().row_update_launches()) {
    RegisterUpdate("ResourceScatter" + std::string(launch.op), launch, false, registry);
    const std::string by_coordinates = "ResourceScatterNd" + std::string(launch.op);
    if (KernelRegistry::Standard().Find(by_coordinates) == nullptr) continue;
    RegisterUpdate(by_coordinates, launch, true, registry);
  }
  // Of other dtypes.
  for (const std::string& op : KernelRegistry::Standard().Ops()) {
    if (op.starts_with("ResourceScatter")) RegisterAsHosts(op, registry);
  }
}

}  // namespace tagflow::optimized
