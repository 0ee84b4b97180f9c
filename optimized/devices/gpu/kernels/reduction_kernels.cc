// Reductions: over the dimensions that an input names, of all but the channels, of everything; and
// ArgMax and ArgMin, along one dimension.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/kernels/channels.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/reduced_shapes.h"

namespace tagflow::optimized {
namespace {

using Launch = cudaError_t (*)(const ReductionArgs&, cudaStream_t);

// What is reduced, by a flag of the node.
struct Extent {
  Result<bool> (*flag)(const Node& node);
  Result<ReducedShapes> (*shapes)(const KernelContext& context, bool flag);
  std::vector<std::string> host_inputs;
};

Result<bool> KeepsDims(const Node& node) { return BoolAttr(node, "keep_dims"); }
Result<ReducedShapes> OfNamedDims(const KernelContext& context, bool keep_dims) {
  return ReducedShapesOf(context.input(0).dims(), context.input(1), keep_dims);
}

Result<ReducedShapes> OfAllButChannels(const KernelContext& context, bool second) {
  TAGFLOW_ASSIGN_OR_RETURN(Dims channels, ChannelDims(context.input(0).dims(), second));
  const Dims output = {second ? channels[1] : channels.back()};
  return ReducedShapes{std::move(channels), output};
}

Result<bool> NoFlag(const Node&) { return false; }
Result<ReducedShapes> OfEverything(const KernelContext& context, bool) {
  return ReducedShapes{Dims(context.input(0).dims().size(), 1), {}};
}

const Extent& ExtentOf(const std::string& op) {
  static const Extent kNamed = {KeepsDims, OfNamedDims, {"reduction_indices"}};
  static const std::map<std::string, Extent> kOthers = {
      {"BiasAddGrad", {ChannelsComeSecond, OfAllButChannels, {}}},
      {"L2Loss", {NoFlag, OfEverything, {}}},
  };
  const auto found = kOthers.find(op);
  return found == kOthers.end() ? kNamed : found->second;
}

// The rooms between passes, in one.
Result<Tensor> GiveRooms(KernelContext& context, ReductionArgs& args) {
  const RoomSizes sizes = RoomsFor(args.places);
  if (sizes.first == 0) return Tensor();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor rooms,
                           NewRoom(context, (sizes.first + sizes.second) * kTotalBytesMax));
  args.rooms[0] = CudaMemory::Address(rooms);
  args.rooms[1] = CudaMemory::Address(rooms) + sizes.first * kTotalBytesMax;
  return rooms;
}

// The output is of `dtype`.
Status RunReduction(Launch launch, DType dtype, const ReducedShapes& shapes,
                    KernelContext& context) {
  const Tensor& x = context.input(0);
  ReductionArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.places, ReductionPlacesOf(x.dims(), shapes.kept));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, dtype, shapes.output));
  if (args.places.outputs == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor rooms, GiveRooms(context, args));
  args.x = CudaMemory::Address(x);
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, launch, args);
}

Binder BinderOf(const std::string& op, Launch launch) {
  const Extent& extent = ExtentOf(op);
  const Binder& bind_on_host = HostKernel(op).bind;
  return [&extent, &bind_on_host, launch](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(BoundKernel on_host, bind_on_host(binding));
    TAGFLOW_ASSIGN_OR_RETURN(const bool flag, extent.flag(binding.node));
    return BoundKernel([=, &extent](KernelContext& context) -> Status {
      if (context.input(0).is_inline()) return on_host(context);
      TAGFLOW_ASSIGN_OR_RETURN(const ReducedShapes shapes, extent.shapes(context, flag));
      return RunReduction(launch, context.input(0).dtype(), shapes, context);
    });
  };
}

// ---- ArgMax and ArgMin ----

Result<ReducedShapes> OfOneDim(const KernelContext& context) {
  const DimsView dims = context.input(0).dims();
  const auto rank = static_cast<int64_t>(dims.size());
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, ScalarInt(context.input(1), "dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, CanonicalAxis(given, rank, "dim"));
  ReducedShapes shapes = {Dims(dims.begin(), dims.end()), Dims(dims.begin(), dims.end())};
  if (shapes.kept[axis] == 0) {
    return InvalidArgument("Reduction axis " + std::to_string(axis) + " is empty in shape " +
                           DimsString(dims));
  }
  shapes.kept[axis] = 1;
  shapes.output.erase(shapes.output.begin() + axis);
  return shapes;
}

// Null where the index is of a dtype that only the host has.
const ArgBestLaunch* FindArgBest(const Binding& binding) {
  const DType dtype = binding.input_dtype(0), index = binding.output_dtype(0);
  const auto& launches = Cuda().arg_best_launches();
  const auto found = std::ranges::find_if(launches, [&](const ArgBestLaunch& given) {
    return given.launch.op == binding.node.op && given.launch.dtype == dtype &&
           given.index == index;
  });
  return found == launches.end() ? nullptr : &*found;
}
bool IsForHost(const Binding& binding) { return FindArgBest(binding) == nullptr; }

Result<BoundKernel> BindArgBest(const Binding& binding) {
  const DType index = binding.output_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  const ArgBestLaunch* const found = FindArgBest(binding);
  if (found == nullptr) return on_host;
  return BoundKernel([=, launch = found->launch.launch](KernelContext& context) -> Status {
    if (context.input(0).is_inline()) return on_host(context);
    TAGFLOW_ASSIGN_OR_RETURN(const ReducedShapes shapes, OfOneDim(context));
    return RunReduction(launch, index, shapes, context);
  });
}

}  // namespace

void RegisterGpuReductionKernels(KernelRegistry& registry) {
  for (const auto& each : Cuda().reduction_launches()) {
    RegisterForGpu(
        each.op, each.dtype,
        {.bind = BinderOf(each.op, each.launch), .host_inputs = ExtentOf(each.op).host_inputs},
        registry);
  }
  for (const auto& [index, kernel] : Cuda().arg_best_launches()) {
    if (index != DType::kInt64) continue;  // one kernel finds both
    RegisterForGpu(kernel.op, kernel.dtype,
                   {.bind = BindArgBest, .host_inputs = {"dimension"}, .is_for_host = IsForHost},
                   registry);
  }
}

}  // namespace tagflow::optimized
