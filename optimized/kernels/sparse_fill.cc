// SparseFillEmptyRows, which gives each row of a sparse tensor an element at least, and the
// gradient of it. Elements are put into rows by counting: one pass to count, one to move.
// Tested by conformance/ops/sparse.ops.

#include <algorithm>
#include <string>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

//   default_value: T scalar
//   output_indices, output_values: row after row the elements of the row in the order they came, or
//   the default value in the row's first place; empty_row_indicator: bool [rows];
//   reverse_index_map: int64 [n], which output each input became
Status SparseFillEmptyRows(KernelContext& context) {
  if (context.input(3).rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: " +
                           DimsString(context.input(3).dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  const Places& places = sparse.places;
  const int64_t rank = places.rank();
  if (rank == 0) return InvalidArgument("Dense shape cannot be empty.");
  const int64_t rows = sparse.dims[0];
  TAGFLOW_ASSIGN_OR_RETURN(Tensor next, Tensor::Allocate(DType::kInt64, SmallDims(1, rows)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * indicator,
                           context.Allocate(2, DType::kBool, SmallDims(1, rows)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * reverse,
                           context.Allocate(3, DType::kInt64, SmallDims(1, places.size())));
  // First how many there are of each row, then where the row's next element goes.
  int64_t* const place_of_row = next.mutable_data<int64_t>();
  bool* const is_empty = indicator->mutable_data<bool>();
  for (int64_t i = 0; i < places.size(); ++i) ++place_of_row[places.at(i, 0)];
  int64_t count = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t elements = place_of_row[row];
    is_empty[row] = elements == 0;
    place_of_row[row] = count;
    count += elements + (is_empty[row] ? 1 : 0);
  }
  TAGFLOW_ASSIGN_OR_RETURN(int64_t* const out, SetMatrix(context, 0, count, rank));
  const Tensor& values = sparse.values;
  const Mover& mover = MoverOf(values.dtype());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * filled,
                           context.Allocate(1, values.dtype(), SmallDims(1, count)));
  for (int64_t i = 0; i < places.size(); ++i) {
    const int64_t to = place_of_row[places.at(i, 0)]++;
    for (int64_t d = 0; d < rank; ++d) out[to * rank + d] = places.at(i, d);
    mover.run(mover.At(values.raw_data(), i), mover.At(filled->mutable_raw_data(), to), 1);
    reverse->mutable_data<int64_t>()[i] = to;
  }
  for (int64_t row = 0; row < rows; ++row) {
    if (!is_empty[row]) continue;
    const int64_t to = place_of_row[row];
    std::fill_n(out + to * rank, rank, 0);
    out[to * rank] = row;
    mover.run(context.input(3).raw_data(), mover.At(filled->mutable_raw_data(), to), 1);
  }
  return Status();
}

//   reverse_index_map: int64 [n], places in grad_values; grad_values: T [full]
//   d_values: T [n], what the map names; d_default_value: the sum of what it does not name
template <typename W>
Status SparseFillEmptyRowsGrad(KernelContext& context) {
  const Tensor& map_input = context.input(0);
  const Tensor& grads = context.input(1);
  if (map_input.rank() != 1 || grads.rank() != 1) {
    return InvalidArgument("reverse_index_map and grad_values must be vectors, saw: " +
                           DimsString(map_input.dims()) + " and " + DimsString(grads.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView map, IntView::Of(map_input));
  std::vector<bool> is_named(static_cast<size_t>(grads.dim(0)), false);
  for (int64_t i = 0; i < map.size(); ++i) {
    if (map[i] < 0 || map[i] >= grads.dim(0)) {
      return InvalidArgument("Elements in reverse index must be in [0, " +
                             std::to_string(grads.dim(0)) + ") but got " + std::to_string(map[i]));
    }
    is_named[static_cast<size_t>(map[i])] = true;
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto wide, ElementsAs<W>::OfWidest(grads));
  W sum = W(0);
  for (int64_t i = 0; i < wide.size(); ++i) {
    if (!is_named[static_cast<size_t>(i)]) sum = Plus(sum, wide[i]);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(0, grads.dtype(), map_input.dims()));
  const Mover& mover = MoverOf(grads.dtype());
  for (int64_t i = 0; i < map.size(); ++i) {
    mover.run(mover.At(grads.raw_data(), map[i]), mover.At(values->mutable_raw_data(), i), 1);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * rest, context.Allocate(1, grads.dtype(), {}));
  TAGFLOW_ASSIGN_OR_RETURN(auto out, ElementsFor<W>::OfWidest(*rest));
  out[0] = sum;
  out.Finish();
  return Status();
}

Result<BoundKernel> BindGrad(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers));
  return ForWidestType(dtype, []<typename W>(Computing<W>) {
    return BoundKernel([](KernelContext& context) { return SparseFillEmptyRowsGrad<W>(context); });
  });
}

}  // namespace

Status RegisterSparseFillKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseFillEmptyRows", Bind<SparseFillEmptyRows>},
                                {"SparseFillEmptyRowsGrad", BindGrad}});
}

}  // namespace tagflow::optimized
