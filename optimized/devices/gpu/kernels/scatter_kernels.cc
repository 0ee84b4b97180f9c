// Updates by coordinates, and reductions of segments: by indices on the device.
//
// Tested by conformance/ops/scatter.ops and segment.ops, over a fake of CUDA.

#include <memory>
#include <string>
#include <utility>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/link_room.h"
#include "optimized/devices/gpu/kernels/scatter_plan.h"
#include "optimized/devices/views.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/nd_slices.h"
#include "optimized/kernels/segments.h"

namespace tagflow::optimized {
namespace {

// What both kinds of kernels are given besides their launch.
struct FoldedNode {
  std::string name;
  bool passes_over = false;
};

// ---- By coordinates ----

using ScatterLaunch = cudaError_t (*)(const ScatterArgs&, cudaStream_t);

// Which inputs are what. ScatterNd has no tensor, and its shape on the host.
struct ScatterInputs {
  int tensor, indices, updates;
  Result<ScatterPlan> (*plan)(const KernelContext& context, bool passes_over);
};
constexpr int kNoInput = -1;
constexpr ScatterInputs kOfScatterNd = {kNoInput, 0, 1, PlanOfScatterNd};
constexpr ScatterInputs kOfTensorScatter = {0, 1, 2, PlanOfTensorScatter};

// The error of coordinates that are outside, as the host finds it.
Status CoordinatesOutside(DimsView dims, const Tensor& indices) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, indices.OnHost());
  return NdSlicesAt(dims, on_host, false).status();
}

Status RunScatter(ScatterLaunch launch, const ScatterInputs& inputs, const FoldedNode& node,
                  KernelContext& context) {
  const Tensor& indices = context.input(inputs.indices);
  const Tensor& updates = context.input(inputs.updates);
  TAGFLOW_ASSIGN_OR_RETURN(ScatterPlan plan, inputs.plan(context, node.passes_over));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, updates.dtype(), plan.output));
  if (out->num_elements() == 0) return Status();  // the shapes have let no index through
  ScatterArgs& args = plan.args;
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor room, GiveRoom(args.links, context));
  Coordinates& coordinates = args.links.coordinates;
  TAGFLOW_ASSIGN_OR_RETURN(
      const auto fault, NewFaultPlace(context, node.name, [indices, dims = plan.output](int64_t) {
        return CoordinatesOutside(dims, indices);
      }));
  coordinates.fault = *fault;
  coordinates.names = CudaMemory::Address(indices);
  if (inputs.tensor != kNoInput) args.tensor = CudaMemory::Address(context.input(inputs.tensor));
  args.updates = CudaMemory::Address(updates);
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, launch, args);
}

Binder BinderOf(ScatterLaunch launch, const ScatterInputs& inputs) {
  return [launch, &inputs](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    if (!IsIndexDType(binding.input_dtype(static_cast<size_t>(inputs.indices)))) return on_host;
    TAGFLOW_ASSIGN_OR_RETURN(const bool passes_over, PassesOverBadIndices(binding.node));
    return BoundKernel([=, &inputs, node = FoldedNode{binding.node.name, passes_over}](
                           KernelContext& context) -> Status {
      if (AllAreOnHost(context)) return on_host(context);
      return RunScatter(launch, inputs, node, context);
    });
  };
}

// ---- By segment ----

using SegmentLaunch = cudaError_t (*)(const SegmentArgs&, cudaStream_t);

// The error of ids that are too high, as the host finds it.
Status IdsOutside(const Tensor& ids, int64_t segments) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, ids.OnHost());
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(on_host));
  return CheckSegmentIds(view, segments);
}

Status RunSegments(SegmentLaunch launch, const std::string& node, KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(SegmentPlan plan, PlanOfSegments(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, data.dtype(), plan.output));
  SegmentArgs& args = plan.args;
  if (args.links.count == 0 && out->num_elements() == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor room, GiveRoom(args.links, context));
  Coordinates& coordinates = args.links.coordinates;
  TAGFLOW_ASSIGN_OR_RETURN(const auto fault,
                           NewFaultPlace(context, node, [ids, segments = args.links.rows](int64_t) {
                             return IdsOutside(ids, segments);
                           }));
  coordinates.fault = *fault;
  coordinates.names = PlaceOf(ids, coordinates.scalar);
  args.data = PlaceOf(data, args.scalar);
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, launch, args);
}

Binder BinderOf(SegmentLaunch launch) {
  return [launch](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    if (!IsIndexDType(binding.input_dtype(1))) return on_host;
    return BoundKernel([=, node = binding.node.name](KernelContext& context) -> Status {
      if (AllAreOnHost(context)) return on_host(context);
      return RunSegments(launch, node, context);
    });
  };
}

}  // namespace

void RegisterGpuScatterKernels(KernelRegistry& registry) {
  for (const auto& each : Cuda().scatter_launches()) {
    if (each.op == "ScatterNd") {
      RegisterForGpu(each.op, each.dtype,
                     {.bind = BinderOf(each.launch, kOfScatterNd),
                      .host_inputs = {"shape"},
                      .is_for_host = HasIndicesForHost<0>},
                     registry);
    } else {
      RegisterForGpu(
          each.op, each.dtype,
          {.bind = BinderOf(each.launch, kOfTensorScatter), .is_for_host = HasIndicesForHost<1>},
          registry);
    }
  }
  for (const auto& each : Cuda().segment_launches()) {
    RegisterForGpu(each.op, each.dtype,
                   {.bind = BinderOf(each.launch),
                    .host_inputs = {"num_segments"},
                    .is_for_host = HasIndicesForHost<1>},
                   registry);
  }
}

}  // namespace tagflow::optimized
