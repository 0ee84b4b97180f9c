// Sparse tensors joined along a dimension, and parts of them: SparseConcat, SparseSplit,
// SparseSlice and its gradient.
// Tested by conformance/ops/sparse.ops.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

// ---- SparseConcat ----

// The inputs, and what is added to their places along the axis.
struct Joined {
  std::vector<SparseInput> inputs;
  std::vector<int64_t> offsets;
  size_t axis = 0;
  SmallDims dims;
};

// Element `element` of input `input`, and the number of its place in the whole.
struct Source {
  size_t input;
  int64_t element;
  int64_t number;
};

Status RequireEqualBut(size_t axis, DimsView first, DimsView dims, int64_t position) {
  const std::string at = " at position " + std::to_string(position);
  if (dims.size() != first.size()) {
    return InvalidArgument("Ranks of all input tensors must match: expected " +
                           std::to_string(first.size()) + " but got " +
                           std::to_string(dims.size()) + at);
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d == axis || dims[d] == first[d]) continue;
    return InvalidArgument("Input shapes must match: expected " + std::to_string(first[d]) +
                           " for dimension " + std::to_string(d) + " but got " +
                           std::to_string(dims[d]) + at);
  }
  return Status();
}

// Inputs: all indices, all values, all shapes.
Result<Joined> JoinedInputs(const KernelContext& context, int64_t axis) {
  const int count = context.num_inputs() / 3;
  Joined joined;
  for (int i = 0; i < count; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(
        SparseInput sparse,
        SparseInputOf(context.input(i), context.input(count + i), context.input(2 * count + i)));
    joined.inputs.push_back(std::move(sparse));
  }
  joined.dims = joined.inputs[0].dims;
  TAGFLOW_ASSIGN_OR_RETURN(
      axis, CanonicalAxis(axis, static_cast<int64_t>(joined.dims.size()), "Concat dimension"));
  joined.axis = static_cast<size_t>(axis);
  int64_t end = 0;
  for (const SparseInput& sparse : joined.inputs) {
    const auto position = static_cast<int64_t>(joined.offsets.size());
    TAGFLOW_RETURN_IF_ERROR(RequireEqualBut(joined.axis, joined.dims, sparse.dims, position));
    joined.offsets.push_back(end);
    if (__builtin_add_overflow(end, sparse.dims[joined.axis], &end)) return DimensionOverflows();
  }
  joined.dims[joined.axis] = end;
  TAGFLOW_RETURN_IF_ERROR(NumElements(joined.dims).status());
  return joined;
}

// All elements in ascending order of their places.
std::vector<Source> SortedSources(const Joined& joined) {
  const int64_t stride = ProductOf(joined.dims, joined.axis + 1, joined.dims.size());
  std::vector<Source> sources;
  for (size_t i = 0; i < joined.inputs.size(); ++i) {
    const Places& places = joined.inputs[i].places;
    for (int64_t k = 0; k < places.size(); ++k) {
      const int64_t number = places.NumberOf(k, joined.dims) + joined.offsets[i] * stride;
      sources.push_back({i, k, number});
    }
  }
  std::ranges::stable_sort(sources, {}, &Source::number);
  return sources;
}

//   outputs: the elements of all in ascending order of their places in the whole
Status SparseConcat(KernelContext& context, int64_t axis) {
  TAGFLOW_ASSIGN_OR_RETURN(const Joined joined, JoinedInputs(context, axis));
  const std::vector<Source> sources = SortedSources(joined);
  const auto count = static_cast<int64_t>(sources.size());
  const auto rank = static_cast<int64_t>(joined.dims.size());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * place, SetMatrix(context, 0, count, rank));
  const DType dtype = joined.inputs[0].values.dtype();
  const Mover& mover = MoverOf(dtype);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(1, dtype, SmallDims(1, count)));
  for (int64_t i = 0; i < count; ++i, place += rank) {
    const Source& source = sources[static_cast<size_t>(i)];
    const SparseInput& from = joined.inputs[source.input];
    for (int64_t d = 0; d < rank; ++d) place[d] = from.places.at(source.element, d);
    place[joined.axis] += joined.offsets[source.input];
    mover.run(mover.At(from.values.raw_data(), source.element),
              mover.At(values->mutable_raw_data(), i), 1);
  }
  return SetShape(context, 2, joined.dims);
}

Result<BoundKernel> BindConcat(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "concat_dim"));
  return BoundKernel([axis](KernelContext& context) { return SparseConcat(context, axis); });
}

// ---- SparseSplit ----

// A dimension in parts, of which the first `longer` have one more than `size`.
struct Division {
  int64_t size, longer;

  int64_t SizeOf(int64_t part) const { return size + (part < longer ? 1 : 0); }
  int64_t BeginOf(int64_t part) const { return part * size + std::min(part, longer); }
  int64_t PartOf(int64_t place) const {
    const int64_t boundary = longer * (size + 1);
    return place < boundary ? place / (size + 1) : longer + (place - boundary) / size;
  }
};

//   split_dim: int64 scalar
//   outputs: all indices, all values, all shapes of the parts; elements in the order they came
Status SparseSplit(KernelContext& context, int parts) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, ScalarInt(context.input(0), "Input axis"));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 1));
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t axis,
      CanonicalAxis(given, static_cast<int64_t>(sparse.dims.size()), "Input axis"));
  SmallDims dims = sparse.dims;
  int64_t& dim = dims[static_cast<size_t>(axis)];
  if (parts > dim) {
    return InvalidArgument(
        "Input num_split should be between 1 and the splitting dimension size (" +
        std::to_string(dim) + "), got " + std::to_string(parts));
  }
  const Division division{dim / parts, dim % parts};
  std::vector<std::vector<int64_t>> elements(static_cast<size_t>(parts));
  for (int64_t i = 0; i < sparse.places.size(); ++i) {
    elements[static_cast<size_t>(division.PartOf(sparse.places.at(i, axis)))].push_back(i);
  }
  for (int part = 0; part < parts; ++part) {
    const std::vector<int64_t>& of_part = elements[static_cast<size_t>(part)];
    TAGFLOW_RETURN_IF_ERROR(SetElements(context, part, parts + part, sparse, of_part));
    int64_t* places = context.output(part).mutable_data<int64_t>();
    const int64_t rank = sparse.places.rank();
    for (size_t i = 0; i < of_part.size(); ++i, places += rank) {
      places[axis] -= division.BeginOf(part);
    }
    dim = division.SizeOf(part);
    TAGFLOW_RETURN_IF_ERROR(SetShape(context, 2 * parts + part, dims));
  }
  return Status();
}

Result<BoundKernel> BindSplit(const Binding& binding) {
  const int parts = static_cast<int>(binding.signature.outputs.size() / 3);
  return BoundKernel([parts](KernelContext& context) { return SparseSplit(context, parts); });
}

// ---- SparseSlice ----

// How long the part of a dimension is that `size` from `start` on asks for: all of it, or as much
// as there is behind the start.
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

// An int64 vector of `size` elements.
Result<SmallDims> VectorOf(const Tensor& input, size_t size) {
  if (input.rank() == 1 && input.dim(0) == static_cast<int64_t>(size)) return IndexValues(input);
  return InvalidArgument("Expected start and size to be vectors of length " + std::to_string(size) +
                         " but got shape " + DimsString(input.dims()));
}

//   start, size: int64 [rank]; a start may be negative
//   outputs: the elements in the range, in the order they came, by their places from the start on
Status SparseSlice(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  const size_t rank = sparse.dims.size();
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims start, VectorOf(context.input(3), rank));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims size, VectorOf(context.input(4), rank));
  SmallDims dims;
  for (size_t d = 0; d < rank; ++d) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t dim, PartSize(sparse.dims[d], start[d], size[d]));
    dims.push_back(dim);
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < sparse.places.size(); ++i) {
    size_t d = 0;
    while (d < rank && IsInRange(sparse.places.at(i, static_cast<int64_t>(d)), start[d], size[d])) {
      ++d;
    }
    if (d == rank) elements.push_back(i);
  }
  TAGFLOW_RETURN_IF_ERROR(SetElements(context, 0, 1, sparse, elements));
  int64_t* place = context.output(0).mutable_data<int64_t>();
  for (size_t i = 0; i < elements.size(); ++i) {
    for (size_t d = 0; d < rank; ++d) *place++ -= start[d];
  }
  return SetShape(context, 2, dims);
}

// Whether place i of `places` is place k of the slice, moved by the start.
bool IsMoved(const Places& places, int64_t i, const Places& slice, int64_t k, DimsView start) {
  for (size_t d = 0; d < start.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    int64_t sum = 0;
    if (__builtin_add_overflow(slice.at(k, axis), start[d], &sum)) return false;
    if (sum != places.at(i, axis)) return false;
  }
  return true;
}

//   backprop_val_grad: T [m]; input_indices: int64 [n, rank]; input_start: int64 [rank];
//   output_indices: int64 [m, rank]
//   val_grad: T [n], for each input that came into the slice the gradient of the output it became;
//   both are gone through in order
Status SparseSliceGrad(KernelContext& context) {
  const Tensor& grads = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const Places places, Places::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const Places slice, Places::Of(context.input(3)));
  const Tensor& start_input = context.input(2);
  if (start_input.rank() != 1 || start_input.dim(0) != places.rank() ||
      slice.rank() != places.rank()) {
    return InvalidArgument(
        "The input and output should have the same ndims: " + DimsString(context.input(1).dims()) +
        ", " + DimsString(start_input.dims()) + " and " + DimsString(context.input(3).dims()) +
        " have not");
  }
  if (grads.rank() != 1 || grads.dim(0) != slice.size()) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of output_indices should "
        "match (#nnz of sum): got " +
        DimsString(grads.dims()) + " and " + std::to_string(slice.size()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims start, IndexValues(start_input));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out,
                           Tensor::Allocate(grads.dtype(), SmallDims(1, places.size())));
  const Mover& mover = MoverOf(grads.dtype());
  int64_t used = 0;
  for (int64_t i = 0; i < places.size() && used < slice.size(); ++i) {
    if (!IsMoved(places, i, slice, used, start)) continue;
    mover.run(mover.At(grads.raw_data(), used++), mover.At(out.mutable_raw_data(), i), 1);
  }
  if (used < slice.size()) {
    return InvalidArgument("Elements of backprop_val_grad aren't all propagated. Num elements: " +
                           std::to_string(slice.size()) + ", used: " + std::to_string(used));
  }
  context.output(0) = std::move(out);
  return Status();
}

Result<BoundKernel> BindSliceGrad(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.output_dtype(0), kNumbers));
  return BoundKernel([](KernelContext& context) { return SparseSliceGrad(context); });
}

}  // namespace

Status RegisterSparsePartKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseConcat", BindConcat, Cost::kHeavy},
                                {"SparseSlice", Bind<SparseSlice>},
                                {"SparseSliceGrad", BindSliceGrad},
                                {"SparseSplit", BindSplit}});
}

}  // namespace tagflow::optimized
