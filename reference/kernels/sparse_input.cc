// Tested by conformance/ops/set.ops.

#include "reference/kernels/sparse_input.h"

#include <algorithm>

#include "reference/kernels/array_util.h"

namespace tagflow::reference {

Result<std::vector<Dims>> ReadPlaces(const Tensor& indices) {
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, but got: " + DimsString(indices.dims()));
  }
  if (indices.dim(1) == 0) {  // rows without coordinates take no memory in a tensor, but do here
    TAGFLOW_RETURN_IF_ERROR(
        Tensor::AllocateUninitialized(DType::kInt64, Dims{indices.dim(0)}).status());
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, IndexValues(indices));
  const int64_t rank = indices.dim(1);
  std::vector<Dims> places;
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    places.emplace_back(numbers.begin() + i * rank, numbers.begin() + (i + 1) * rank);
  }
  return places;
}

Result<SparseInput> ReadSparse(const Tensor& indices, const Tensor& values, const Tensor& shape) {
  SparseInput sparse;
  if (shape.rank() != 1) return InvalidArgument("Shape must be a 1D tensor.");
  if (values.rank() != 1) {
    return InvalidArgument("vals must be a vec, but got: " + DimsString(values.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(sparse.places, ReadPlaces(indices));
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("indices and values rows (indexing dimension) must match. (indices = " +
                           std::to_string(indices.dim(0)) +
                           ", values = " + std::to_string(values.dim(0)) + ")");
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("Shape rank must be SparseTensor rank.");
  }
  sparse.values = values;
  TAGFLOW_ASSIGN_OR_RETURN(sparse.dims, IndexValues(shape));
  TAGFLOW_RETURN_IF_ERROR(NumElements(sparse.dims).status());
  TAGFLOW_RETURN_IF_ERROR(RequireInside(sparse.places, sparse.dims));
  return sparse;
}

Result<SparseInput> ReadSparse(const KernelContext& context, size_t first) {
  return ReadSparse(context.inputs[first], context.inputs[first + 1], context.inputs[first + 2]);
}

bool IsInside(const Dims& place, const Dims& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (place[d] < 0 || place[d] >= dims[d]) return false;
  }
  return true;
}

std::string PlaceText(const std::vector<Dims>& places, size_t i) {
  return "indices[" + std::to_string(i) + "] = " + DimsString(places[i]);
}

Status RequireInside(const std::vector<Dims>& places, const Dims& dims) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (IsInside(places[i], dims)) continue;
    return InvalidArgument(PlaceText(places, i) + " is out of bounds: need 0 <= index < " +
                           DimsString(dims));
  }
  return Status();
}

Status RequireInOrder(const std::vector<Dims>& places) {
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i - 1] == places[i]) return InvalidArgument(PlaceText(places, i) + " is repeated");
    if (places[i - 1] > places[i]) {
      return InvalidArgument(PlaceText(places, i) +
                             " is out of order. Many sparse ops require sorted indices.");
    }
  }
  return Status();
}

int64_t NumberOf(const Dims& place, const Dims& dims) {
  int64_t number = 0;
  for (size_t d = 0; d < dims.size(); ++d) number = number * dims[d] + place[d];
  return number;
}

Dims PlaceOf(int64_t number, const Dims& dims) {
  Dims place(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    place[d] = number % dims[d];
    number /= dims[d];
  }
  return place;
}

Result<Tensor> PlacesTensor(const std::vector<Dims>& places, size_t rank) {
  std::vector<int64_t> numbers;
  for (const Dims& place : places) numbers.insert(numbers.end(), place.begin(), place.end());
  return IndexTensor(DType::kInt64,
                     Dims{static_cast<int64_t>(places.size()), static_cast<int64_t>(rank)},
                     numbers);
}

Tensor ShapeTensor(const Dims& dims) { return Tensor::Vector<int64_t>(dims); }

Status SetElements(KernelContext& context, size_t places_port, size_t values_port,
                   const SparseInput& sparse, const std::vector<int64_t>& elements) {
  std::vector<Dims> places;
  for (int64_t i : elements) places.push_back(sparse.places[static_cast<size_t>(i)]);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[places_port], PlacesTensor(places, sparse.rank()));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[values_port],
      Rearrange(sparse.values, Dims{static_cast<int64_t>(elements.size())},
                [&](const Dims& at) { return elements[static_cast<size_t>(at[0])]; }));
  return Status();
}

}  // namespace tagflow::reference
