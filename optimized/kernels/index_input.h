#ifndef TAGFLOW_OPTIMIZED_KERNELS_INDEX_INPUT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_INDEX_INPUT_H_

// Inputs and outputs that are sizes, axes or shapes, and arithmetic on them. For long inputs of
// integers there is int_view.h.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

// Whether a tensor passes for a scalar where graphs of old gave vectors of one element.
bool IsLegacyScalar(const Tensor& tensor);

// The elements of an integer tensor, in row-major order.
//   Errors: INVALID_ARGUMENT when the dtype is not an integer
Result<SmallDims> IndexValues(const Tensor& tensor);
// `axis` counted from the end when negative. INVALID_ARGUMENT when it is not in [-rank, rank);
// `what` names it: "axis", "split_dim".
Result<int64_t> CanonicalAxis(int64_t axis, int64_t rank, std::string_view what);

// Output i becomes these numbers, in an integer dtype.
//   Errors: INVALID_ARGUMENT where one does not fit into int32, RESOURCE_EXHAUSTED
// REQUIRES: IsInteger(dtype), one value per element of dims.
Status SetIndices(KernelContext& context, int i, DType dtype, DimsView dims,
                  std::span<const int64_t> values);

// The product of dims[begin, end). It wraps: a tensor without elements may have dimensions whose
// product does not fit.
int64_t ProductOf(DimsView dims, size_t begin, size_t end);
inline int64_t ProductOf(DimsView dims) { return ProductOf(dims, 0, dims.size()); }
// a * b and a + b, modulo 2^64.
inline int64_t WrappingProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline int64_t WrappingSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
// How many elements apart neighbours along each dimension are.
SmallDims StridesOf(DimsView dims);
// INVALID_ARGUMENT that says that a dimension of the result does not fit into int64.
Status DimensionOverflows();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_INDEX_INPUT_H_
