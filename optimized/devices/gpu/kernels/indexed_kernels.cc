// GatherNd, ResourceGatherNd, OneHot, ReverseSequence and MatrixBandPart, which move elements by
// where they are and by indices.
//
// Tested by conformance/ops/slicing.ops, array.ops, rearranging.ops and diagonal.ops, over a fake
// of CUDA, and by gpu_variable_test.cc.

#include <string>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/devices/gpu/kernels/indexed_plan.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/variable_on_gpu.h"
#include "optimized/devices/views.h"
#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/gather.h"
#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {
namespace {

// ---- GatherNd ----

// The error of coordinates that are outside, as the host finds it.
Status CoordinatesOutside(const Dims& params, const Tensor& indices) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, indices.OnHost());
  return CheckSliceCoordinates(params, on_host);
}

Status RunGatherNd(const std::string& node, const Tensor& params, bool passes_over,
                   KernelContext& context) {
  const Tensor& indices = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(auto plan, PlanOfGatherNd(params.dims(), indices, passes_over));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, params.dtype(), plan.output));
  if (plan.args.names == 0) return Status();
  const Dims dims(params.dims().begin(), params.dims().end());
  TAGFLOW_ASSIGN_OR_RETURN(const auto fault, NewFaultPlace(context, node, [indices, dims](int64_t) {
                             return CoordinatesOutside(dims, indices);
                           }));
  GatherNdArgs& args = plan.args;
  args.coordinates.fault = *fault;
  args.coordinates.names = CudaMemory::Address(indices);
  args.from = CudaMemory::Address(params);
  args.to = CudaMemory::Address(*out);
  return LaunchOn(context, Cuda().indexed_kernels().gather_nd, DTypeSize(params.dtype()), args);
}

Result<BoundKernel> BindGatherNd(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  if (!IsIndexDType(binding.input_dtype(1))) return on_host;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string policy,
                           StringAttr(binding.node, "bad_indices_policy"));
  return BoundKernel(
      [passes_over = policy == "IGNORE", node = binding.node.name](KernelContext& context) {
        return RunGatherNd(node, context.input(0), passes_over, context);
      });
}

// Of the slices of a variable.
Result<BoundKernel> BindResourceGatherNd(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  return BoundKernel([on_host, wanted = binding.output_dtype(0),
                      node = binding.node.name](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor params, ValueOnGpu(context, wanted));
    if (!params.has_value()) return on_host(context);
    return RunGatherNd(node, params, false, context);
  });
}

// ---- OneHot ----

Result<BoundKernel> BindOneHot(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  if (!IsIndexDType(binding.input_dtype(0))) return on_host;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "axis"));
  return BoundKernel([axis, dtype = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(auto plan, PlanOfOneHot(context, axis));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, dtype, plan.output));
    if (out->num_elements() == 0) return Status();
    OneHotArgs& args = plan.args;
    args.indices = PlaceOf(context.input(0), args.index_scalar);
    args.on = PlaceOf(context.input(2), args.on_scalar);
    args.off = PlaceOf(context.input(3), args.off_scalar);
    args.to = CudaMemory::Address(*out);
    return LaunchOn(context, Cuda().indexed_kernels().one_hot, DTypeSize(dtype), args);
  });
}

// ---- ReverseSequence ----

// The error of lengths that are outside, as the host finds it.
Status LengthsOutside(const Tensor& lengths, int64_t longest) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, lengths.OnHost());
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims values, IndexValues(on_host));
  return CheckSequenceLengths(values, longest);
}

Status RunReverseSequence(const std::string& node, SequenceDims at, KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& lengths = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(auto plan, PlanOfReverseSequence(context, at));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, input.dtype(), plan.output));
  ReverseSequenceArgs& args = plan.args;
  TAGFLOW_ASSIGN_OR_RETURN(const auto fault,
                           NewFaultPlace(context, node, [lengths, longest = args.longest](int64_t) {
                             return LengthsOutside(lengths, longest);
                           }));
  args.fault = *fault;
  args.lengths = CudaMemory::Address(lengths);
  args.from = CudaMemory::Address(input);
  args.to = CudaMemory::Address(*out);
  return LaunchOn(context, Cuda().indexed_kernels().reverse_sequence, DTypeSize(input.dtype()),
                  args);
}

Result<BoundKernel> BindReverseSequence(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  TAGFLOW_ASSIGN_OR_RETURN(const SequenceDims at, SequenceDimsOf(binding.node));
  return BoundKernel([on_host, at, node = binding.node.name](KernelContext& context) {
    return AllAreOnHost(context) ? on_host(context) : RunReverseSequence(node, at, context);
  });
}

// ---- MatrixBandPart ----

Status RunBand(KernelContext& context) {
  const Tensor& matrices = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(auto plan, PlanOfBand(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, matrices.dtype(), plan.output));
  if (out->num_elements() == 0) return Status();
  plan.args.from = CudaMemory::Address(matrices);
  plan.args.to = CudaMemory::Address(*out);
  return LaunchOn(context, Cuda().indexed_kernels().band, DTypeSize(matrices.dtype()), plan.args);
}

Result<BoundKernel> BindBand(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  return BoundKernel([on_host](KernelContext& context) {
    return AllAreOnHost(context) ? on_host(context) : RunBand(context);
  });
}

}  // namespace

void RegisterGpuIndexedKernels(KernelRegistry& registry) {
  for (const DType dtype : kMovedDTypes) {
    RegisterForGpu("GatherNd", dtype, {.bind = BindGatherNd, .is_for_host = HasIndicesForHost<1>},
                   registry);
    RegisterForGpu("ResourceGatherNd", dtype, {.bind = BindResourceGatherNd}, registry);
    RegisterForGpu(
        "OneHot", dtype,
        {.bind = BindOneHot, .host_inputs = {"depth"}, .is_for_host = HasIndicesForHost<0>},
        registry);
    RegisterForGpu("ReverseSequence", dtype, {.bind = BindReverseSequence}, registry);
    RegisterForGpu("MatrixBandPart", dtype,
                   {.bind = BindBand, .host_inputs = {"num_lower", "num_upper"}}, registry);
  }
  RegisterAsHosts("ResourceGatherNd", registry);  // of other dtypes
}

}  // namespace tagflow::optimized
