// What sets or changes rows of a variable: ScatterUpdate, ResourceScatterAdd, ….

#include <algorithm>
#include <string>
#include <utility>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

Status CheckScatterShapes(const Tensor& params, const Tensor& indices, const Tensor& updates) {
  if (params.rank() == 0) return InvalidArgument("params must be at least 1-D, got shape []");
  Dims wanted = ToDims(indices.dims());
  wanted.insert(wanted.end(), params.dims().begin() + 1, params.dims().end());
  if (updates.rank() == 0 || ToDims(updates.dims()) == wanted) return Status();
  return InvalidArgument(
      "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
      "updates.shape " +
      DimsString(updates.dims()) + ", indices.shape " + DimsString(indices.dims()) +
      ", params.shape " + DimsString(params.dims()));
}

// The elements of the rows that indices names, row after row.
Result<std::vector<int64_t>> ElementsOfRows(const Tensor& params, const Tensor& indices) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto rows, IndexValues(indices));
  const int64_t width = ProductOf(params.dims(), 1, params.dims().size());
  std::vector<int64_t> places;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= params.dim(0)) {
      return InvalidArgument("indices[" + std::to_string(i) + "] = " + std::to_string(rows[i]) +
                             " is not in [0, " + std::to_string(params.dim(0)) + ")");
    }
    for (int64_t w = 0; w < width; ++w) places.push_back(rows[i] * width + w);
  }
  return places;
}

bool HasZero(const Tensor& tensor) {
  return WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) {
    const std::vector<C> values = Load<C>(tensor);
    return std::find(values.begin(), values.end(), C()) != values.end();
  });
}

//   the value of a variable, of rank 1 or more; indices: integers; updates: a row per index, or a
//   scalar; output: the value with these rows changed, one after the other
//   Errors: INVALID_ARGUMENT for shapes, an index outside, a divisor of zero where it is an integer
//   or the variable is known by its handle
Kernel Rows(Change change, By by) {
  return [=](KernelContext& context) -> Status {
    const Tensor& value = context.inputs[0];
    const Tensor& updates = context.inputs[2];
    if (value.dtype() != updates.dtype()) {
      return WrongDType("update", value.dtype(), updates.dtype());
    }
    TAGFLOW_RETURN_IF_ERROR(CheckScatterShapes(value, context.inputs[1], updates));
    if (change == Change::kDivide && kNumbers.contains(value.dtype()) &&
        (by == By::kHandle || kIntegers.contains(value.dtype())) && HasZero(updates)) {
      return InvalidArgument("updates must not hold 0, as rows are divided by them");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const auto places, ElementsOfRows(value, context.inputs[1]));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                             Changed(context.node.op, value, places, updates, change));
    return Status();
  };
}

}  // namespace

Status RegisterScatterRowsKernels(KernelRegistry& registry) {
  const std::pair<std::string, Change> changes[] = {
      {"Update", Change::kSet},   {"Add", Change::kAdd},    {"Sub", Change::kSubtract},
      {"Mul", Change::kMultiply}, {"Div", Change::kDivide}, {"Min", Change::kLower},
      {"Max", Change::kRaise}};
  for (const auto& [name, change] : changes) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(
        "Scatter" + name, Replacing(By::kReference, Rows(change, By::kReference))));
    TAGFLOW_RETURN_IF_ERROR(registry.Register("ResourceScatter" + name,
                                              Replacing(By::kHandle, Rows(change, By::kHandle))));
  }
  return Status();
}

}  // namespace tagflow::reference
