// The ops that only move elements, by their plans.

#include <algorithm>
#include <string>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/move_plans.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"

namespace tagflow::optimized {
namespace {

Status RunMove(const BoxMove& move, DType dtype, KernelContext& context) {
  BoxArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.walk, move.walk());
  if (args.walk.count == 0) return Status();
  if (move.input == BoxMove::kConstant) {
    std::ranges::copy(move.constant, args.scalar);
  } else {
    args.from = PlaceOf(context.input(move.input), args.scalar);
  }
  args.to = CudaMemory::Address(context.output(move.output));
  args.from_first = move.from_first;
  args.to_first = move.to_first;
  return LaunchOn(context, Cuda().launch_box, DTypeSize(dtype), args);
}

Status RunPlan(const MovePlan& plan, DType dtype, KernelContext& context) {
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(
        NewOutput(context, static_cast<int>(i), dtype, plan.outputs[i]).status());
  }
  for (const BoxMove& move : plan.moves) {
    TAGFLOW_RETURN_IF_ERROR(RunMove(move, dtype, context));
  }
  return Status();
}

bool GivesScalars(const MovePlan& plan) {
  return std::ranges::all_of(plan.outputs, [](const SmallDims& dims) { return dims.empty(); });
}

// What the op moves: the dtype of its outputs, and of the inputs that it does not read on the host.
bool IsMoved(DType dtype) {
  return std::ranges::find(kMovedDTypes, dtype) != std::end(kMovedDTypes);
}

Result<BoundKernel> BindMoves(const MoveOp& op, const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(op.op).bind(binding));
  if (binding.signature.outputs.empty()) return on_host;  // it only looks at the shape
  const DType dtype = binding.output_dtype(0);
  if (!IsMoved(dtype)) {
    return Unimplemented("op " + op.op + " of node '" + binding.node.name +
                         "' has no GPU kernel for " + DTypeName(dtype))
        .WithNode(binding.node.name);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Planner plan_of, op.bind(binding));
  return BindAs(on_host,
                [on_host, plan_of, dtype, spreads = op.spreads](KernelContext& context) -> Status {
                  const bool is_on_host = AllAreOnHost(context);
                  if (is_on_host && !spreads) return on_host(context);
                  TAGFLOW_ASSIGN_OR_RETURN(const MovePlan plan, plan_of(context));
                  if (is_on_host && GivesScalars(plan)) return on_host(context);
                  return RunPlan(plan, dtype, context);
                });
}

// The first attr of ReverseV2 that is a dtype is that of the axes: its kernel is for any.
bool NamesItsDTypeFirst(const MoveOp& op) { return op.op != "ReverseV2"; }

}  // namespace

void RegisterGpuMoveKernels(KernelRegistry& registry) {
  for (const MoveOp& op : MoveOps()) {
    const KernelEntry entry = {
        .bind = [&op](const Binding& binding) { return BindMoves(op, binding); },
        .host_inputs = op.host_inputs};
    if (!NamesItsDTypeFirst(op)) {
      RegisterForGpu(op.op, DType::kInvalid, entry, registry);
      continue;
    }
    for (const DType dtype : kMovedDTypes) RegisterForGpu(op.op, dtype, entry, registry);
  }
}

}  // namespace tagflow::optimized
