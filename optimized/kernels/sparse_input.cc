// Tested by conformance/ops/set.ops.

#include "optimized/kernels/sparse_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "optimized/kernels/mover.h"

namespace tagflow::optimized {

Result<Places> Places::Of(const Tensor& indices) {
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, but got: " + DimsString(indices.dims()));
  }
  if (indices.dim(1) == 0) {
    // Rows without coordinates take no memory: no more of them than would fit, had they some.
    TAGFLOW_RETURN_IF_ERROR(
        Tensor::AllocateUninitialized(DType::kInt64, indices.dims().first(1)).status());
  }
  TAGFLOW_ASSIGN_OR_RETURN(IntView numbers, IntView::Of(indices));
  Places places(std::move(numbers));
  places.size_ = indices.dim(0);
  places.rank_ = indices.dim(1);
  return places;
}

int Places::Compare(int64_t i, const Places& other, int64_t j) const {
  for (int64_t d = 0; d < rank_; ++d) {
    const int64_t mine = at(i, d), its = other.at(j, d);
    if (mine != its) return mine < its ? -1 : 1;
  }
  return 0;
}

bool Places::IsInside(int64_t i, DimsView dims) const {
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t coordinate = at(i, static_cast<int64_t>(d));
    if (coordinate < 0 || coordinate >= dims[d]) return false;
  }
  return true;
}

namespace {

Status BadPlace(const Places& places, int64_t i, const std::string& what) {
  SmallDims place;
  for (int64_t d = 0; d < places.rank(); ++d) place.push_back(places.at(i, d));
  return InvalidArgument("indices[" + std::to_string(i) + "] = " + DimsString(place) + what);
}

}  // namespace

Status Places::Outside(int64_t i, DimsView dims) const {
  return BadPlace(*this, i, " is out of bounds: need 0 <= index < " + DimsString(dims));
}

Status Places::RequireInside(DimsView dims) const {
  for (int64_t i = 0; i < size_; ++i) {
    if (!IsInside(i, dims)) return Outside(i, dims);
  }
  return Status();
}

Status Places::RequireInOrder() const {
  for (int64_t i = 1; i < size_; ++i) {
    const int order = CompareWithNext(i - 1);
    if (order == 0) return BadPlace(*this, i, " is repeated");
    if (order < 0) continue;
    return BadPlace(*this, i, " is out of order. Many sparse ops require sorted indices.");
  }
  return Status();
}

void PutPlace(int64_t number, DimsView dims, int64_t* place) {
  for (size_t d = dims.size(); d-- > 0;) {
    place[d] = number % dims[d];
    number /= dims[d];
  }
}

Result<SparseInput> SparseInputOf(const Tensor& indices, const Tensor& values,
                                  const Tensor& shape) {
  if (shape.rank() != 1) return InvalidArgument("Shape must be a 1D tensor.");
  if (values.rank() != 1) {
    return InvalidArgument("vals must be a vec, but got: " + DimsString(values.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Places places, Places::Of(indices));
  if (places.size() != values.dim(0)) {
    return InvalidArgument("indices and values rows (indexing dimension) must match. (indices = " +
                           std::to_string(places.size()) +
                           ", values = " + std::to_string(values.dim(0)) + ")");
  }
  if (places.rank() != shape.dim(0)) {
    return InvalidArgument("Shape rank must be SparseTensor rank.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(shape));
  SmallDims dims;
  for (int64_t d = 0; d < view.size(); ++d) dims.push_back(view[d]);
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_RETURN_IF_ERROR(places.RequireInside(dims));
  return SparseInput{std::move(places), values, std::move(dims)};
}

Result<SparseInput> SparseInputAt(const KernelContext& context, int first) {
  return SparseInputOf(context.input(first), context.input(first + 1), context.input(first + 2));
}

Result<int64_t*> SetMatrix(KernelContext& context, int i, int64_t rows, int64_t columns) {
  SmallDims dims(1, rows);
  dims.push_back(columns);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(i, DType::kInt64, dims));
  return out->mutable_data<int64_t>();
}

Status SetElements(KernelContext& context, int places_output, int values_output,
                   const SparseInput& sparse, std::span<const int64_t> elements) {
  const auto count = static_cast<int64_t>(elements.size());
  const int64_t rank = sparse.places.rank();
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * row, SetMatrix(context, places_output, count, rank));
  for (const int64_t i : elements) {
    for (int64_t d = 0; d < rank; ++d) *row++ = sparse.places.at(i, d);
  }
  const Tensor& values = sparse.values;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(values_output, values.dtype(), SmallDims(1, count)));
  MoverOf(values.dtype()).pick(values.raw_data(), elements.data(), out->mutable_raw_data(), count);
  return Status();
}

Status SetShape(KernelContext& context, int i, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor * out,
      context.Allocate(i, DType::kInt64, SmallDims(1, static_cast<int64_t>(dims.size()))));
  std::ranges::copy(dims, out->mutable_data<int64_t>());
  return Status();
}

}  // namespace tagflow::optimized
