// Sparse tensors in another form: SparseToDense, SparseReshape, SparseReorder.
//
// Their places must be inside of their shape, in any order unless said otherwise.

#include <algorithm>
#include <numeric>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

// indices as a matrix: a vector holds places of one dimension, a scalar one of them.
Result<Tensor> IndexMatrix(const Tensor& indices) {
  if (indices.rank() > 2) {
    return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape " +
                           DimsString(indices.dims()));
  }
  if (indices.rank() == 2) return indices;
  return indices.Reshaped(Dims{indices.num_elements(), 1});
}

//   sparse_indices: [n, rank], or [n] or [] for rank 1; output_shape: [rank]; sparse_values: T [n],
//   or one for all; default_value: T scalar
//   dense: T; of several values for one place the last
//   Errors: INVALID_ARGUMENT, with validate_indices also for places that are not in ascending
//   order; RESOURCE_EXHAUSTED
Status SparseToDense(KernelContext& context) {
  const Tensor& values = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, values.dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor indices, IndexMatrix(context.inputs[0]));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> places, ReadPlaces(indices));
  if (context.inputs[1].rank() != 1 || context.inputs[1].dim(0) != indices.dim(1)) {
    return InvalidArgument("output_shape has incorrect number of elements: " +
                           std::to_string(context.inputs[1].num_elements()) +
                           " should be: " + std::to_string(indices.dim(1)));
  }
  if (values.rank() != 0 && (values.rank() != 1 || values.dim(0) != indices.dim(0))) {
    return InvalidArgument("sparse_values has incorrect shape " + DimsString(values.dims()) +
                           ", should be [] or [" + std::to_string(indices.dim(0)) + "]");
  }
  if (context.inputs[3].rank() != 0) {
    return InvalidArgument("default_value should be a scalar.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_RETURN_IF_ERROR(RequireInside(places, dims));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_order, BoolAttr(context.node, "validate_indices"));
  if (in_order) TAGFLOW_RETURN_IF_ERROR(RequireInOrder(places));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor dense,
                           Rearrange(context.inputs[3], dims, [](const Dims&) { return 0; }));
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t from = values.rank() == 0 ? 0 : static_cast<int64_t>(i);
    CopyElements(values, from, dense, NumberOf(places[i], dims), 1);
  }
  context.outputs[0] = dense;
  return Status();
}

// The new shape, with what -1 stands for.
//   Errors: INVALID_ARGUMENT where it has not `size` elements
Result<Dims> NewShape(const Tensor& sizes, int64_t size) {
  if (sizes.rank() != 1) {
    return InvalidArgument("Target shape should be a vector but received shape " +
                           DimsString(sizes.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, IndexValues(sizes));
  const auto open = std::ranges::find(dims, -1);
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
  if (new_size == size) return dims;
  return InvalidArgument("Input to reshape is a tensor with " + std::to_string(size) +
                         " dense values, but the requested shape has " + std::to_string(new_size));
}

//   input_indices: int64 [n, rank]; input_shape: int64 [rank]; new_shape: int64 [new rank]
//   output_indices: int64 [n, new rank], where the places come to lie
Status SparseReshape(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Dims> places, ReadPlaces(context.inputs[0]));
  const Tensor& shape = context.inputs[1];
  if (shape.rank() != 1 || shape.dim(0) != context.inputs[0].dim(1)) {
    return InvalidArgument("Input tensor rank must match input shape length.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(shape));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims new_dims, NewShape(context.inputs[2], size));
  TAGFLOW_RETURN_IF_ERROR(RequireInside(places, dims));
  for (Dims& place : places) place = PlaceOf(NumberOf(place, dims), new_dims);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], PlacesTensor(places, new_dims.size()));
  context.outputs[1] = ShapeTensor(new_dims);
  return Status();
}

//   outputs: the places in ascending order, equal ones as they came, and their values
Status SparseReorder(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
  std::vector<int64_t> order(sparse.places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return sparse.places[static_cast<size_t>(a)] < sparse.places[static_cast<size_t>(b)];
  });
  return SetElements(context, 0, 1, sparse, order);
}

}  // namespace

Status RegisterSparseLayoutKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseToDense", SparseToDense},
                                {"SparseReshape", SparseReshape},
                                {"SparseReorder", SparseReorder}});
}

}  // namespace tagflow::reference
