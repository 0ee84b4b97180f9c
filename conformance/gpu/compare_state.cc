#include <string>

#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"
#include "conformance/gpu/compare_rows.h"
#include "conformance/gpu/training_state_call.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

constexpr int64_t kCount = 10'007;

struct ComparesTraining {
  template <typename Formula, typename C>
  void operator()(const std::string& name, DType) const {
    const Dims dims = {kCount};
    StateCall call = TrainingStateCall<C>("ResourceApply" + name, Formula::kForm, dims, dims);
    // exp is the library's.
    if (name == "PowerSign") call.bounds = {.magnitude_relative = 1e-12, .magnitude = 10};
    CompareState(call, counts);
  }
  SuiteCounts& counts;
};

}  // namespace

SuiteCounts CompareVariableKernels() {
  SuiteCounts counts;
  ForEachTraining(ComparesTraining{counts});
  const Tensor rows = Tensor::Vector<int32_t>({5, 0, 10'006, 5});
  for (const DType dtype : kMovedDTypes) {
    CompareState({"ResourceGather",
                  dtype,
                  " Tindices=int32 dtype=" + DTypeName(dtype),
                  {ElementsOf(dtype, {kCount, 3})},
                  {rows}},
                 counts);
  }
  const Tensor floats = Numbers<float>(kCount), doubles = Numbers<double>(kCount);
  const Tensor ints = Numbers<int32_t>(kCount), longs = Numbers<int64_t>(kCount);
  for (const Tensor& values : {floats, doubles, ints, longs}) {
    for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp"}) {
      CompareState({op, values.dtype(), " dtype=" + DTypeName(values.dtype()), {values}, {values}},
                   counts);
    }
  }
  CompareRowKernels(counts);
  return counts;
}

}  // namespace tagflow::conformance
