// Sparse tensors in another form: SparseToDense, SparseReshape, SparseReorder.
// Tested by conformance/ops/sparse.ops.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kValues = kNumbers | SetOf(DType::kBool, DType::kString);

// ---- SparseToDense ----

// INVALID_ARGUMENT unless the shapes of all inputs belong together; `count` places of `rank`.
Status CheckToDense(const KernelContext& context, int64_t count, int64_t rank) {
  const Tensor& shape = context.input(1);
  const Tensor& values = context.input(2);
  if (shape.rank() != 1 || shape.dim(0) != rank) {
    return InvalidArgument(
        "output_shape has incorrect number of elements: " + std::to_string(shape.num_elements()) +
        " should be: " + std::to_string(rank));
  }
  if (values.rank() != 0 && (values.rank() != 1 || values.dim(0) != count)) {
    return InvalidArgument("sparse_values has incorrect shape " + DimsString(values.dims()) +
                           ", should be [] or [" + std::to_string(count) + "]");
  }
  if (context.input(3).rank() == 0) return Status();
  return InvalidArgument("default_value should be a scalar.");
}

// indices as a matrix: a vector holds places of one dimension, a scalar one of them.
Result<Tensor> IndexMatrix(const Tensor& indices) {
  if (indices.rank() == 2) return indices;
  if (indices.rank() < 2) {
    SmallDims dims(1, indices.num_elements());
    dims.push_back(1);
    return indices.Reshaped(dims);
  }
  return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape " +
                         DimsString(indices.dims()));
}

//   sparse_indices: [n, rank], or [n] or [] for rank 1; output_shape: [rank]; sparse_values: T [n],
//   or one for all; default_value: T scalar
//   dense: T; of several values for one place the last
Status SparseToDense(KernelContext& context, bool in_order) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor indices, IndexMatrix(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const Places places, Places::Of(indices));
  TAGFLOW_RETURN_IF_ERROR(CheckToDense(context, places.size(), places.rank()));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(context.input(1)));
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_RETURN_IF_ERROR(places.RequireInside(dims));
  if (in_order) TAGFLOW_RETURN_IF_ERROR(places.RequireInOrder());
  const Tensor& values = context.input(2);
  const Mover& mover = MoverOf(values.dtype());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * dense, context.Allocate(0, values.dtype(), dims));
  void* out = dense->mutable_raw_data();
  mover.fill(context.input(3).raw_data(), out, dense->num_elements());
  const int64_t step = values.rank() == 0 ? 0 : 1;
  for (int64_t i = 0; i < places.size(); ++i) {
    mover.run(mover.At(values.raw_data(), i * step), mover.At(out, places.NumberOf(i, dims)), 1);
  }
  return Status();
}

Result<BoundKernel> BindToDense(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.output_dtype(0), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_order, BoolAttr(binding.node, "validate_indices"));
  return BoundKernel(
      [in_order](KernelContext& context) { return SparseToDense(context, in_order); });
}

// ---- SparseReshape ----

// Puts what is left in the place of -1.
//   Errors: INVALID_ARGUMENT unless `dims` then have `size` elements
Status CompleteShape(SmallDims& dims, int64_t size) {
  int64_t* open = std::ranges::find(dims, -1);
  if (open != dims.end()) {
    if (std::find(open + 1, dims.end(), -1) != dims.end()) {
      return InvalidArgument("only one output dimension may be -1");
    }
    *open = 1;
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t rest, NumElements(dims));
    if (rest == 0) {
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified "
          "input sizes are non-zero");
    }
    *open = size / rest;
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t new_size, NumElements(dims));
  if (new_size == size) return Status();
  return InvalidArgument("Input to reshape is a tensor with " + std::to_string(size) +
                         " dense values, but the requested shape has " + std::to_string(new_size));
}

//   input_indices: int64 [n, rank]; input_shape: int64 [rank]; new_shape: int64 [new rank]
//   output_indices: int64 [n, new rank], where the places come to lie
Status SparseReshape(KernelContext& context) {
  const Tensor& shape = context.input(1);
  const Tensor& new_shape = context.input(2);
  TAGFLOW_ASSIGN_OR_RETURN(const Places places, Places::Of(context.input(0)));
  if (shape.rank() != 1 || shape.dim(0) != places.rank()) {
    return InvalidArgument("Input tensor rank must match input shape length.");
  }
  if (new_shape.rank() != 1) {
    return InvalidArgument("Target shape should be a vector but received shape " +
                           DimsString(new_shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(shape));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(dims));
  TAGFLOW_ASSIGN_OR_RETURN(SmallDims new_dims, IndexValues(new_shape));
  TAGFLOW_RETURN_IF_ERROR(CompleteShape(new_dims, size));
  TAGFLOW_RETURN_IF_ERROR(places.RequireInside(dims));
  const auto rank = static_cast<int64_t>(new_dims.size());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * place, SetMatrix(context, 0, places.size(), rank));
  for (int64_t i = 0; rank > 0 && i < places.size(); ++i, place += rank) {
    PutPlace(places.NumberOf(i, dims), new_dims, place);
  }
  return SetShape(context, 1, new_dims);
}

// ---- SparseReorder ----

//   outputs: the places in ascending order, equal ones as they came, and their values; those that
//   are in order are only looked at
Status SparseReorder(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  const Places& places = sparse.places;
  int64_t ascending = 1;
  while (ascending < places.size() && places.CompareWithNext(ascending - 1) <= 0) ++ascending;
  if (ascending >= places.size()) {
    Tensor indices = context.input(0), values = context.input(1);
    context.output(0) = std::move(indices);
    context.output(1) = std::move(values);
    return Status();
  }
  std::vector<int64_t> order(static_cast<size_t>(places.size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order,
                           [&](int64_t a, int64_t b) { return places.Compare(a, places, b) < 0; });
  return SetElements(context, 0, 1, sparse, order);
}

}  // namespace

Status RegisterSparseLayoutKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseReorder", Bind<SparseReorder>, Cost::kHeavy},
                                {"SparseReshape", Bind<SparseReshape>},
                                {"SparseToDense", BindToDense}});
}

}  // namespace tagflow::optimized
