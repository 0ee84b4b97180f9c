// SparseFillEmptyRows, which gives each row of a sparse tensor an element at least, and the
// gradient of it.

#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

//   default_value: T scalar
//   output_indices, output_values: row after row the elements of the row in the order they came, or
//   the default value in the row's first place; empty_row_indicator: bool [rows];
//   reverse_index_map: int64 [n], which output each input became
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED (many rows)
Status SparseFillEmptyRows(KernelContext& context) {
  if (context.inputs[3].rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: " +
                           DimsString(context.inputs[3].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
  if (sparse.rank() == 0) return InvalidArgument("Dense shape cannot be empty.");
  const Dims rows = {sparse.dims[0]};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor is_empty, Tensor::Allocate(DType::kBool, rows));
  // As much as a row without elements takes of the output.
  TAGFLOW_RETURN_IF_ERROR(
      Tensor::Allocate(DType::kInt64, Dims{rows[0], static_cast<int64_t>(sparse.rank())}).status());
  std::vector<std::vector<int64_t>> elements(static_cast<size_t>(rows[0]));
  for (size_t i = 0; i < sparse.places.size(); ++i) {
    elements[static_cast<size_t>(sparse.places[i][0])].push_back(static_cast<int64_t>(i));
  }
  std::vector<Dims> places;
  std::vector<int64_t> from;
  std::vector<int64_t> reverse(sparse.places.size());
  for (int64_t row = 0; row < rows[0]; ++row) {
    const auto& of_row = elements[static_cast<size_t>(row)];
    is_empty.mutable_data<bool>()[row] = of_row.empty();
    for (int64_t i : of_row) {
      reverse[static_cast<size_t>(i)] = static_cast<int64_t>(places.size());
      places.push_back(sparse.places[static_cast<size_t>(i)]);
      from.push_back(i);
    }
    if (!of_row.empty()) continue;
    places.emplace_back(sparse.rank());
    places.back()[0] = row;
    from.push_back(kOtherwise);
  }
  const int64_t count = static_cast<int64_t>(places.size());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], PlacesTensor(places, sparse.rank()));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[1],
      RearrangeOr(sparse.values, context.inputs[3], Dims{count},
                  [&](const Dims& at) { return from[static_cast<size_t>(at[0])]; }));
  context.outputs[2] = is_empty;
  context.outputs[3] = Tensor::Vector<int64_t>(reverse);
  return Status();
}

//   reverse_index_map: int64 [n], places in grad_values; grad_values: T [full]
//   d_values: T [n], what the map names; d_default_value: the sum of what it does not name
Status SparseFillEmptyRowsGrad(KernelContext& context) {
  const Tensor& map = context.inputs[0];
  const Tensor& grads = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grads.dtype(), kNumbers));
  if (map.rank() != 1 || grads.rank() != 1) {
    return InvalidArgument("reverse_index_map and grad_values must be vectors, saw: " +
                           DimsString(map.dims()) + " and " + DimsString(grads.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> from, IndexValues(map));
  std::vector<bool> is_named(static_cast<size_t>(grads.dim(0)), false);
  for (int64_t i : from) {
    if (i < 0 || i >= grads.dim(0)) {
      return InvalidArgument("Elements in reverse index must be in [0, " +
                             std::to_string(grads.dim(0)) + ") but got " + std::to_string(i));
    }
    is_named[static_cast<size_t>(i)] = true;
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(grads, map.dims(), [&](const Dims& at) {
                             return from[static_cast<size_t>(at[0])];
                           }));
  return WithComputingType(grads.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (NumberElement<C>) {
      const std::vector<C> values = Load<C>(grads);
      Accumulator<C> sum = Accumulator<C>(0);
      for (size_t i = 0; i < values.size(); ++i) {
        if (!is_named[i]) sum = Plus(sum, static_cast<Accumulator<C>>(values[i]));
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                               Store<C>(grads.dtype(), {}, {static_cast<C>(sum)}));
    }
    return Status();
  });
}

}  // namespace

Status RegisterSparseFillKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseFillEmptyRows", SparseFillEmptyRows},
                                {"SparseFillEmptyRowsGrad", SparseFillEmptyRowsGrad}});
}

}  // namespace tagflow::reference
