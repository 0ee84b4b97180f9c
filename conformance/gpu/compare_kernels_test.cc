// Tests: compare_elementwise.cc, compare_indexing.cc, compare_lists.cc, compare_random.cc,
// compare_reducing.cc, compare_rows.cc, compare_state.cc, state_call.cc

#include "conformance/gpu/compare_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/kernels/move_plans.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

bool MovesBytes(const std::string& op) {
  const std::set<std::string> others = {
      "Gather",   "GatherV2", "Select",         "SelectV2",       "TensorScatterUpdate",
      "GatherNd", "OneHot",   "MatrixBandPart", "ReverseSequence"};
  return others.contains(op) || std::ranges::find(MoveOps(), op, &MoveOp::op) != MoveOps().end();
}

TEST(CompareKernels, FindNothingOverTheFake) {
  SetCuda(fake_cuda::Api());
  for (const SuiteCounts& counts :
       {CompareElementwiseKernels(), CompareIndexingKernels(), CompareLists(),
        CompareRandomKernels(), CompareReducingKernels(), CompareVariableKernels()}) {
    EXPECT_EQ(counts.failed, 0);
    EXPECT_GT(counts.passed, 30);
  }
}

// Whether the op has been run for the dtype, or, of those that move elements as so many bytes, for
// one of its size.
bool IsCompared(const KernelTarget& target) {
  if (RunOnGpu().contains(target)) return true;
  return MovesBytes(target.op) && std::ranges::any_of(RunOnGpu(), [&](const KernelTarget& other) {
           return other.op == target.op && DTypeSize(other.dtype) == DTypeSize(target.dtype);
         });
}

// Those whose kernel is the host's, which hands its input on and looks at no element, are called by
// op scripts (fake_gpu_ops_test.cc), as are those of ops that are for any dtype.
TEST(CompareKernels, LeaveNoKernelOfADTypeOut) {
  const std::set<std::string> hand_on = {"EnsureShape", "Identity", "PreventGradient", "Snapshot",
                                         "StopGradient"};
  int compared = 0, handed_on = 0;
  std::set<std::string> ops, any_dtype;
  for (const KernelTarget& target : GpuDevices()->kernels()->Targets()) {
    ops.insert(target.op);
    if (target.dtype == DType::kInvalid) {
      any_dtype.insert(target.op);
    } else if (hand_on.contains(target.op)) {
      ++handed_on;
    } else {
      EXPECT_TRUE(IsCompared(target)) << target.op << " of " << DTypeName(target.dtype);
      ++compared;
    }
  }
  std::printf(
      "%zu ops have GPU kernels: %d by op and dtype, each compared; %d that hand an input "
      "on; %zu for any dtype\n",
      ops.size(), compared, handed_on, any_dtype.size());
}

}  // namespace
}  // namespace tagflow::conformance
