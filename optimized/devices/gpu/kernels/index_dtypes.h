#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEX_DTYPES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEX_DTYPES_H_

// The dtypes of the indices that the GPU reads, and the coordinates that are made of them.
//
// Tested by conformance/gpu/host_scatter_test.cc and host_row_updates_test.cc.

#include <algorithm>
#include <cstddef>

#include "graph/dtype.h"
#include "graph/tensor.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/devices/gpu/kernels/coordinates.h"
#include "optimized/devices/gpu/kernels/row_links.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// Of a node whose indices are input number `input`: whether they are others, which the host reads.
template <size_t input>
bool HasIndicesForHost(const Binding& binding) {
  return !IsIndexDType(binding.input_dtype(input));
}

// Coordinates in `indices`, which may be on the device, of a tensor of shape `dims`.
// REQUIRES: IsIndexDType; a last dimension of no more than kDepthMax
inline Coordinates CoordinatesIn(DimsView dims, const Tensor& indices) {
  Coordinates coordinates = {};
  coordinates.are_wide = indices.dtype() == DType::kInt64;
  coordinates.depth = static_cast<int>(indices.dims().back());
  std::ranges::copy(dims.first(static_cast<size_t>(coordinates.depth)), coordinates.dims);
  return coordinates;
}

// What goes to one of so many rows for each of `indices`, which may be on the device: all but room.
// REQUIRES: IsIndexDType
inline RowLinks LinksByIndex(int64_t rows, const Tensor& indices) {
  RowLinks links = {};
  links.coordinates.are_wide = indices.dtype() == DType::kInt64;
  links.coordinates.depth = 1;
  links.coordinates.dims[0] = rows;
  links.count = indices.num_elements();
  links.rows = rows;
  return links;
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEX_DTYPES_H_
