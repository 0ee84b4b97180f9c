// Sparse tensors joined along a dimension, and parts of them: SparseConcat, SparseSplit,
// SparseSlice and its gradient.

#include <algorithm>
#include <numeric>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

// Inputs of a list of sparse tensors: all indices, all values, all shapes.
Result<std::vector<SparseInput>> ReadList(const KernelContext& context) {
  const size_t count = context.inputs.size() / 3;
  std::vector<SparseInput> list;
  for (size_t i = 0; i < count; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(
        SparseInput one,
        ReadSparse(context.inputs[i], context.inputs[count + i], context.inputs[2 * count + i]));
    list.push_back(std::move(one));
  }
  return list;
}

// OK if all have one shape, but along the axis.
Status RequireEqualBut(size_t axis, const std::vector<SparseInput>& list) {
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i].rank() != list[0].rank()) {
      return InvalidArgument("Ranks of all input tensors must match: expected " +
                             std::to_string(list[0].rank()) + " but got " +
                             std::to_string(list[i].rank()) + " at position " + std::to_string(i));
    }
    for (size_t d = 0; d < list[0].rank(); ++d) {
      if (d == axis || list[i].dims[d] == list[0].dims[d]) continue;
      return InvalidArgument("Input shapes must match: expected " +
                             std::to_string(list[0].dims[d]) + " for dimension " +
                             std::to_string(d) + " but got " + std::to_string(list[i].dims[d]) +
                             " at position " + std::to_string(i));
    }
  }
  return Status();
}

//   outputs: the elements of all in ascending order of their places in the whole
//   Errors: INVALID_ARGUMENT, also where the whole is too large for a tensor
Status SparseConcat(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<SparseInput> list, ReadList(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, IntAttr(context.node, "concat_dim"));
  const int64_t rank = static_cast<int64_t>(list[0].rank());
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t canonical,
      CanonicalAxis(given, rank,
                    "Concat dimension must be in range [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + "), got " + std::to_string(given)));
  const size_t axis = static_cast<size_t>(canonical);
  TAGFLOW_RETURN_IF_ERROR(RequireEqualBut(axis, list));
  Dims dims = list[0].dims;
  dims[axis] = 0;
  std::vector<Dims> places;
  std::vector<std::pair<const Tensor*, int64_t>> values;  // element of tensor
  for (const SparseInput& sparse : list) {
    const int64_t begin = dims[axis];
    if (__builtin_add_overflow(begin, sparse.dims[axis], &dims[axis])) {
      return InvalidArgument("the dimensions along the axis do not add up to an int64");
    }
    for (size_t i = 0; i < sparse.places.size(); ++i) {
      places.push_back(sparse.places[i]);
      places.back()[axis] += begin;
      values.emplace_back(&sparse.values, static_cast<int64_t>(i));
    }
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return places[a] < places[b]; });
  std::vector<Dims> sorted;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined,
                           Tensor::Allocate(context.signature.outputs[1].dtype,
                                            Dims{static_cast<int64_t>(places.size())}));
  for (size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(places[order[i]]);
    const auto& [tensor, element] = values[order[i]];
    CopyElements(*tensor, element, joined, static_cast<int64_t>(i), 1);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], PlacesTensor(sorted, dims.size()));
  context.outputs[1] = joined;
  context.outputs[2] = ShapeTensor(dims);
  return Status();
}

//   split_dim: int64 scalar; the first parts are one longer, where the parts do not come out even
//   outputs: all indices, all values, all shapes of the parts; elements in the order they came
Status SparseSplit(KernelContext& context) {
  const Tensor& axis_input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(axis_input, "Input axis"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(axis_input, "Input axis"));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 1));
  const int64_t rank = static_cast<int64_t>(sparse.rank());
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t canonical,
      CanonicalAxis(given, rank,
                    "Input axis should be in range [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + "), got " + std::to_string(given)));
  const size_t axis = static_cast<size_t>(canonical);
  const size_t parts = context.outputs.size() / 3;
  const int64_t count = static_cast<int64_t>(parts);
  const int64_t size = sparse.dims[axis];
  if (count > size) {
    return InvalidArgument(
        "Input num_split should be between 1 and the splitting dimension size (" +
        std::to_string(size) + "), got " + std::to_string(count));
  }
  int64_t begin = 0;
  for (size_t part = 0; part < parts; ++part) {
    const int64_t part_size = size / count + (static_cast<int64_t>(part) < size % count ? 1 : 0);
    SparseInput shifted = sparse;
    std::vector<int64_t> elements;
    for (size_t i = 0; i < sparse.places.size(); ++i) {
      int64_t& place = shifted.places[i][axis];
      place -= begin;
      if (place >= 0 && place < part_size) elements.push_back(static_cast<int64_t>(i));
    }
    TAGFLOW_RETURN_IF_ERROR(SetElements(context, part, parts + part, shifted, elements));
    Dims dims = sparse.dims;
    dims[axis] = part_size;
    context.outputs[2 * parts + part] = ShapeTensor(dims);
    begin += part_size;
  }
  return Status();
}

// How long the part of a dimension is that `size` from `start` on asks for: all of it, or as much
// as there is behind the start.
//   Errors: INVALID_ARGUMENT
Result<int64_t> PartSize(int64_t dim, int64_t start, int64_t size) {
  if (size < 0) {
    return InvalidArgument("Expected a non-negative size, got " + std::to_string(size));
  }
  if (start < dim - size) return size;
  return std::max<int64_t>(dim - start, 0);  // at most size
}

bool IsInRange(int64_t place, int64_t start, int64_t size) {
  return place >= start &&
         static_cast<uint64_t>(place) - static_cast<uint64_t>(start) < static_cast<uint64_t>(size);
}

//   start, size: int64 [rank]; a start may be negative
//   outputs: the elements in the range, in the order they came, by their places from the start on
Status SparseSlice(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(SparseInput sparse, ReadSparse(context, 0));
  std::vector<Dims> ranges;
  for (const size_t input : {3, 4}) {
    const Tensor& tensor = context.inputs[input];
    if (tensor.rank() != 1 || tensor.dim(0) != static_cast<int64_t>(sparse.rank())) {
      return InvalidArgument("Expected start and size to be vectors of length " +
                             std::to_string(sparse.rank()) + " but got shape " +
                             DimsString(tensor.dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(Dims values, IndexValues(tensor));
    ranges.push_back(std::move(values));
  }
  const Dims& start = ranges[0];
  const Dims& size = ranges[1];
  Dims dims;
  for (size_t d = 0; d < sparse.rank(); ++d) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t dim, PartSize(sparse.dims[d], start[d], size[d]));
    dims.push_back(dim);
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  std::vector<int64_t> elements;
  for (size_t i = 0; i < sparse.places.size(); ++i) {
    bool is_in = true;
    for (size_t d = 0; d < sparse.rank(); ++d) {
      int64_t& place = sparse.places[i][d];
      is_in = is_in && IsInRange(place, start[d], size[d]);
      if (is_in) place -= start[d];
    }
    if (is_in) elements.push_back(static_cast<int64_t>(i));
  }
  TAGFLOW_RETURN_IF_ERROR(SetElements(context, 0, 1, sparse, elements));
  context.outputs[2] = ShapeTensor(dims);
  return Status();
}

// Whether place + start = shifted.
bool IsShifted(const Dims& place, const Dims& start, const Dims& shifted) {
  for (size_t d = 0; d < place.size(); ++d) {
    int64_t sum = 0;
    if (__builtin_add_overflow(place[d], start[d], &sum) || sum != shifted[d]) return false;
  }
  return true;
}

//   backprop_val_grad: T [m]; input_indices: int64 [n, rank]; input_start: int64 [rank];
//   output_indices: int64 [m, rank]
//   val_grad: T [n], for each input that came into the slice the gradient of the output it became;
//   both are gone through in order
//   Errors: INVALID_ARGUMENT, also where an output is none of the inputs
Status SparseSliceGrad(KernelContext& context) {
  const Tensor& grads = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grads.dtype(), kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> places, ReadPlaces(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> outputs, ReadPlaces(context.inputs[3]));
  const Tensor& start_input = context.inputs[2];
  const int64_t rank = context.inputs[1].dim(1);
  if (start_input.rank() != 1 || start_input.dim(0) != rank || context.inputs[3].dim(1) != rank) {
    return InvalidArgument(
        "The input and output should have the same ndims: " + DimsString(context.inputs[1].dims()) +
        ", " + DimsString(start_input.dims()) + " and " + DimsString(context.inputs[3].dims()) +
        " have not");
  }
  if (grads.rank() != 1 || grads.dim(0) != context.inputs[3].dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of output_indices should "
        "match (#nnz of sum): got " +
        DimsString(grads.dims()) + " and " + std::to_string(outputs.size()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> start, IndexValues(start_input));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out,
                           Tensor::Allocate(grads.dtype(), Dims{context.inputs[1].dim(0)}));
  size_t used = 0;
  for (size_t i = 0; i < places.size() && used < outputs.size(); ++i) {
    if (!IsShifted(outputs[used], start, places[i])) continue;
    CopyElements(grads, static_cast<int64_t>(used), out, static_cast<int64_t>(i), 1);
    ++used;
  }
  if (used < outputs.size()) {
    return InvalidArgument("Elements of backprop_val_grad aren't all propagated. Num elements: " +
                           std::to_string(outputs.size()) + ", used: " + std::to_string(used));
  }
  context.outputs[0] = out;
  return Status();
}

}  // namespace

Status RegisterSparsePartKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseConcat", SparseConcat},
                                {"SparseSplit", SparseSplit},
                                {"SparseSlice", SparseSlice},
                                {"SparseSliceGrad", SparseSliceGrad}});
}

}  // namespace tagflow::reference
