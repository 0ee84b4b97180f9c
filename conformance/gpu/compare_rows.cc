// Tested by compare_kernels_test.cc.

#include "conformance/gpu/compare_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/gpu/compare_ops.h"
#include "conformance/gpu/training_state_call.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/row_training_bodies.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

constexpr int64_t kUpdates = 3001, kRows = 523, kSize = 19;

// Which rows: many are the same; then one of these is outside, on either side.
std::vector<Tensor> RowNumbers() {
  const Tensor narrow = Scrambled<int32_t>(kUpdates, kRows);
  const Tensor wide = Scrambled<int64_t>(kUpdates, kRows);
  Tensor above = Scrambled<int64_t>(kUpdates, kRows), below = Scrambled<int32_t>(kUpdates, kRows);
  above.mutable_data<int64_t>()[kUpdates / 2] = kRows;
  below.mutable_data<int32_t>()[kUpdates - 1] = -1;
  return {narrow, below, wide, above};
}
std::string Indices(const Tensor& rows) { return " Tindices=" + DTypeName(rows.dtype()); }
Tensor AsCoordinates(const Tensor& rows) { return rows.Reshaped(Dims{kUpdates, 1}); }

void CompareChange(const std::string& change, const Tensor& variable, const Tensor& updates,
                   SuiteCounts& counts) {
  const std::string dtype = DTypeName(variable.dtype());
  const std::string by_row = "ResourceScatter" + change, by_place = "ResourceScatterNd" + change;
  const bool has_slices = OpRegistry::Standard().Find(by_place) != nullptr;
  for (const Tensor& rows : RowNumbers()) {
    CompareState(
        {by_row, variable.dtype(), " dtype=" + dtype + Indices(rows), {variable}, {rows, updates}},
        counts);
    if (!has_slices || updates.rank() == 0) continue;
    for (const char* policy : {"", " bad_indices_policy=IGNORE"}) {
      CompareState({by_place,
                    variable.dtype(),
                    " T=" + dtype + Indices(rows) + policy,
                    {variable},
                    {AsCoordinates(rows), updates}},
                   counts);
    }
  }
}

template <typename T>
void CompareChanges(SuiteCounts& counts) {
  const Tensor variable = NumbersOf<T>({kRows, kSize}), updates = NumbersOf<T>({kUpdates, kSize});
  for (const char* change : {"Add", "Sub", "Mul", "Div", "Min", "Max"}) {
    CompareChange(change, variable, updates, counts);  // no row is divided by these
    CompareChange(change, variable, Tensor::Scalar<T>(3), counts);
  }
  Tensor divisors = updates;
  std::ranges::replace(divisors.mutable_flat<T>(), T(0), T(3));
  CompareChange("Div", variable, divisors, counts);
}

void CompareMoves(DType dtype, SuiteCounts& counts) {
  const Tensor variable = ElementsOf(dtype, {kRows, kSize});
  CompareChange("Update", variable, ElementsOf(dtype, {kUpdates, kSize}), counts);
  for (const Tensor& rows : RowNumbers()) {
    CompareState({"ResourceGatherNd",
                  dtype,
                  " dtype=" + DTypeName(dtype) + Indices(rows),
                  {variable},
                  {AsCoordinates(rows)}},
                 counts);
  }
}

struct ComparesRowTraining {
  template <typename Formula, typename C>
  void operator()(const std::string& name, DType) const {
    const std::string op = "ResourceSparseApply" + name;
    for (const Tensor& rows : RowNumbers()) {
      const Dims variables = {kRows, kSize}, gradient = {kUpdates, kSize};
      CompareState(TrainingStateCall<C>(op, Formula::kForm, variables, gradient, rows), counts);
    }
  }
  SuiteCounts& counts;
};

}  // namespace

void CompareRowKernels(SuiteCounts& counts) {
  CompareChanges<float>(counts);
  CompareChanges<double>(counts);
  CompareChanges<int32_t>(counts);
  CompareChanges<int64_t>(counts);
  for (const DType dtype : kMovedDTypes) CompareMoves(dtype, counts);
  ForEachRowTraining(ComparesRowTraining{counts});
}

}  // namespace tagflow::conformance
