// What sets, changes or reads rows of a variable: ScatterUpdate, ResourceScatterAdd,
// ResourceGather, ….
// Tested by conformance/ops/scatter_variable.ops.

#include "optimized/kernels/variable_rows.h"

#include <algorithm>
#include <string>

#include "optimized/kernels/change.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/gather.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/variable_access.h"

namespace tagflow::optimized {
Status CheckRowUpdates(DimsView params, DimsView indices, DimsView updates) {
  if (params.empty()) return InvalidArgument("params must be at least 1-D, got shape []");
  const DimsView row = params.subspan(1);
  if (updates.empty() || (updates.size() == indices.size() + row.size() &&
                          std::ranges::equal(updates.first(indices.size()), indices) &&
                          std::ranges::equal(updates.subspan(indices.size()), row))) {
    return Status();
  }
  return InvalidArgument(
      "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
      "updates.shape " +
      DimsString(updates) + ", indices.shape " + DimsString(indices) + ", params.shape " +
      DimsString(params));
}

Status CheckUpdatedRows(const Tensor& indices, int64_t rows) {
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(indices));
  for (int64_t i = 0; i < view.size(); ++i) {
    if (view[i] >= 0 && view[i] < rows) continue;
    return InvalidArgument("indices[" + std::to_string(i) + "] = " + std::to_string(view[i]) +
                           " is not in [0, " + std::to_string(rows) + ")");
  }
  return Status();
}

Status CheckDivisors(const Tensor& updates) {
  if (!HasZero(updates)) return Status();
  return InvalidArgument("updates must not hold 0, as rows are divided by them");
}

namespace {

struct RowChange {
  ChangeFunction run;
  int64_t element_size;
  bool needs_no_zero;  // among the updates, as they divide

  // Changes rows of `value`, one after the other; nothing where there is an error.
  Status Apply(Tensor& value, const Tensor& indices_input, const Tensor& updates) const {
    if (value.dtype() != updates.dtype()) {
      return WrongDType("update", value.dtype(), updates.dtype());
    }
    TAGFLOW_RETURN_IF_ERROR(CheckRowUpdates(value.dims(), indices_input.dims(), updates.dims()));
    if (needs_no_zero) TAGFLOW_RETURN_IF_ERROR(CheckDivisors(updates));
    TAGFLOW_RETURN_IF_ERROR(CheckUpdatedRows(indices_input, value.dim(0)));
    TAGFLOW_ASSIGN_OR_RETURN(const IntView indices, IntView::Of(indices_input));
    TAGFLOW_RETURN_IF_ERROR(MakeUnique(value));
    const int64_t width = ProductOf(value.dims(), 1, value.dims().size());
    const int64_t step = updates.rank() == 0 ? 0 : 1;
    auto* to = static_cast<char*>(value.mutable_raw_data());
    const auto* from = static_cast<const char*>(updates.raw_data());
    for (int64_t i = 0; i < indices.size(); ++i) {
      run(to + indices[i] * width * element_size, from + step * i * width * element_size, width,
          step);
    }
    return Status();
  }
};

// Whether a change of this kind is for the dtype: all can be set, only numbers be computed with.
bool CanChange(Change change, DType dtype) {
  return (change == Change::kSet || IsNumber(dtype)) && FindChange(change, dtype) != nullptr;
}

//   the value of a variable, of rank 1 or more; indices: integers; updates: a row per index, or a
//   scalar
//   Errors: INVALID_ARGUMENT for shapes, an index outside, a divisor of zero where it is an integer
//   or the variable is known by its handle
Binder Rows(Change change, By by) {
  return [=](const Binding& binding) -> Result<BoundKernel> {
    const DType dtype = binding.input_dtype(2);
    if (!CanChange(change, dtype)) return NoKernelFor(binding, dtype);
    const RowChange rows = {FindChange(change, dtype), static_cast<int64_t>(DTypeSize(dtype)),
                            change == Change::kDivide && (by == By::kHandle || IsInteger(dtype))};
    return BoundKernel([rows, by](KernelContext& context) {
      return ChangeVariable(context, by, [&](Variable::Contents& contents) {
        return rows.Apply(contents.value, context.input(1), context.input(2));
      });
    });
  };
}

// As GatherV2 along the dimension after batch_dims.
Result<BoundKernel> BindGather(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dims, IntAttr(binding.node, "batch_dims"));
  return BoundKernel([batch_dims,
                      wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor params, ValueOfHandle(context, wanted));
    const Tensor& indices = context.input(1);
    TAGFLOW_ASSIGN_OR_RETURN(const size_t axis,
                             BatchOfRows(params.dims(), indices.dims(), batch_dims));
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), GatherAlong(context, params, indices, axis, axis));
    return Status();
  });
}

}  // namespace

Status RegisterVariableRowKernels(KernelRegistry& registry) {
  const std::pair<std::string, Change> changes[] = {
      {"Update", Change::kSet},   {"Add", Change::kAdd},    {"Sub", Change::kSubtract},
      {"Mul", Change::kMultiply}, {"Div", Change::kDivide}, {"Min", Change::kLower},
      {"Max", Change::kRaise}};
  for (const auto& [name, change] : changes) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register("Scatter" + name, Rows(change, By::kReference)));
    TAGFLOW_RETURN_IF_ERROR(registry.Register("ResourceScatter" + name, Rows(change, By::kHandle)));
  }
  return registry.Register("ResourceGather", BindGather);
}

}  // namespace tagflow::optimized
