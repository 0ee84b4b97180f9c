#include "fuzz/direct/strides.h"

#include <algorithm>

namespace tagflow::fuzz {

std::vector<int64_t> RowMajorStrides(DimsView dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

std::vector<int64_t> StridedIndices(DimsView dims, const std::vector<int64_t>& strides,
                                    int64_t offset) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(count));
  std::vector<int64_t> position(dims.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    indices.push_back(offset);
    for (size_t d = dims.size(); d-- > 0;) {
      offset += strides[d];
      if (++position[d] < dims[d]) break;
      offset -= strides[d] * dims[d];
      position[d] = 0;
    }
  }
  return indices;
}

std::optional<Dims> CommonDims(DimsView x, DimsView y) {
  if (x.size() < y.size()) std::swap(x, y);
  Dims dims(x.begin(), x.end());
  const size_t missing = x.size() - y.size();
  for (size_t i = 0; i < y.size(); ++i) {
    int64_t& dim = dims[missing + i];
    if (dim == y[i] || y[i] == 1) continue;
    if (dim != 1) return std::nullopt;
    dim = y[i];
  }
  return dims;
}

std::vector<int64_t> BroadcastIndices(DimsView from, DimsView to) {
  std::vector<int64_t> strides(to.size(), 0);
  const std::vector<int64_t> own = RowMajorStrides(from);
  const size_t missing = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1) strides[missing + i] = own[i];
  }
  return StridedIndices(to, strides);
}

}  // namespace tagflow::fuzz
