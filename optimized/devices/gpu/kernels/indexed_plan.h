#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_PLAN_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_PLAN_H_

// What GatherNd, OneHot, ReverseSequence, MatrixBandPart and the running totals do, as their shapes
// and what they read on the host have it: all but memory and faults.
//
// Tested by conformance/gpu/host_indexed_test.cc and host_scan_test.cc.

#include "graph/status.h"
#include "optimized/devices/gpu/kernels/indexed_bodies.h"
#include "optimized/devices/gpu/kernels/scan_body.h"
#include "optimized/kernel.h"
#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

template <typename Args>
struct PlanOf {
  SmallDims output;
  Args args;
};

//   Errors: INVALID_ARGUMENT, by the shapes; UNIMPLEMENTED for coordinates of many dimensions
Result<PlanOf<GatherNdArgs>> PlanOfGatherNd(DimsView params, const Tensor& coordinates,
                                            bool passes_over);
//   Errors of these: INVALID_ARGUMENT
Result<PlanOf<OneHotArgs>> PlanOfOneHot(const KernelContext& context, int64_t axis_attr);
Result<PlanOf<ReverseSequenceArgs>> PlanOfReverseSequence(const KernelContext& context,
                                                          SequenceDims at);
Result<PlanOf<BandArgs>> PlanOfBand(const KernelContext& context);
Result<PlanOf<ScanArgs>> PlanOfScan(const KernelContext& context, bool exclusive, bool reverse);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_PLAN_H_
