// Tested by conformance/ops/slicing.ops, array.ops, diagonal.ops and math.ops, over a fake of CUDA,
// and by conformance/gpu/host_indexed_test.cc and host_scan_test.cc.

#include "optimized/devices/gpu/kernels/indexed_plan.h"

#include <string>

#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/diagonals.h"
#include "optimized/kernels/gather.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {

Result<PlanOf<GatherNdArgs>> PlanOfGatherNd(DimsView params, const Tensor& coordinates,
                                            bool passes_over) {
  const DimsView indices = coordinates.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims output, GatheredSlices(params, indices));
  const auto depth = static_cast<size_t>(indices.back());
  if (depth > Coordinates::kDepthMax) {
    return Unimplemented("coordinates of " + std::to_string(depth) +
                         " dimensions, of which no GPU kernel here has more than " +
                         std::to_string(Coordinates::kDepthMax));
  }
  PlanOf<GatherNdArgs> plan = {output, {}};
  plan.args.names = ProductOf(indices.first(indices.size() - 1));
  plan.args.size = ProductOf(params, depth, params.size());
  plan.args.coordinates = CoordinatesIn(params, coordinates);
  plan.args.coordinates.passes_over_all = passes_over;
  return plan;
}

Result<PlanOf<OneHotArgs>> PlanOfOneHot(const KernelContext& context, int64_t axis_attr) {
  TAGFLOW_ASSIGN_OR_RETURN(const HotDims hot, HotDimsOf(context, axis_attr));
  PlanOf<OneHotArgs> plan = {hot.dims, {}};
  plan.args.are_wide = context.input(0).dtype() == DType::kInt64;
  plan.args.depth = hot.depth;
  plan.args.inner = hot.inner;
  plan.args.elements = ProductOf(hot.dims);
  return plan;
}

Result<PlanOf<ReverseSequenceArgs>> PlanOfReverseSequence(const KernelContext& context,
                                                          SequenceDims at) {
  const DimsView dims = context.input(0).dims();
  TAGFLOW_RETURN_IF_ERROR(CheckSequences(dims, context.input(1).dims(), at));
  const auto seq = static_cast<size_t>(at.seq), batch = static_cast<size_t>(at.batch);
  PlanOf<ReverseSequenceArgs> plan = {SmallDims(dims), {}};
  plan.args.are_wide = context.input(1).dtype() == DType::kInt64;
  plan.args.step = ProductOf(dims, seq + 1, dims.size());
  plan.args.longest = dims[seq];
  plan.args.batch_step = ProductOf(dims, batch + 1, dims.size());
  plan.args.batch = dims[batch];
  plan.args.elements = ProductOf(dims);
  return plan;
}

Result<PlanOf<BandArgs>> PlanOfBand(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, BandThatStays(context));
  const DimsView dims = context.input(0).dims();
  PlanOf<BandArgs> plan = {SmallDims(dims), {}};
  plan.args.rows = dims[dims.size() - 2];
  plan.args.columns = dims.back();
  plan.args.lowest = band.lowest;
  plan.args.highest = band.highest;
  plan.args.elements = ProductOf(dims);
  return plan;
}

Result<PlanOf<ScanArgs>> PlanOfScan(const KernelContext& context, bool exclusive, bool reverse) {
  const DimsView dims = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, ScalarInt(context.input(1), "axis"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(given, static_cast<int64_t>(dims.size()), "axis"));
  const auto at = static_cast<size_t>(axis);
  PlanOf<ScanArgs> plan = {SmallDims(dims), {}};
  plan.args.outer = ProductOf(dims, 0, at);
  plan.args.length = dims[at];
  plan.args.inner = ProductOf(dims, at + 1, dims.size());
  plan.args.exclusive = exclusive;
  plan.args.reverse = reverse;
  return plan;
}

}  // namespace tagflow::optimized
