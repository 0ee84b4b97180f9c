#ifndef TAGFLOW_REFERENCE_KERNELS_ARRAY_UTIL_H_
#define TAGFLOW_REFERENCE_KERNELS_ARRAY_UTIL_H_

// What the kernels that move elements share: reading index inputs, axes, and one way to say which
// element goes where.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernel.h"

namespace tagflow::reference {

struct NamedKernel {
  std::string_view op;
  Kernel kernel;
};
// ALREADY_EXISTS for an op that has a kernel.
Status RegisterAll(KernelRegistry& registry, std::vector<NamedKernel> kernels);

// Whether a tensor passes for a scalar where graphs of old gave vectors of one element.
bool IsLegacyScalar(const Tensor& tensor);

// OK for a tensor of rank 0.
//   Errors: INVALID_ARGUMENT "`what` must be a scalar, but it has shape [2]"
Status RequireScalar(const Tensor& tensor, std::string_view what);

// The elements of an integer tensor, in row-major order.
//   Errors: INVALID_ARGUMENT when the dtype is not an integer
Result<std::vector<int64_t>> IndexValues(const Tensor& tensor);
// The only element of an integer tensor, whatever its rank.
//   Errors: of RequireScalar
Result<int64_t> SingleIndex(const Tensor& tensor, std::string_view what);
// An int32 or int64 tensor of `values`; INVALID_ARGUMENT where one does not fit into `dtype`.
Result<Tensor> IndexTensor(DType dtype, DimsView dims, const std::vector<int64_t>& values);

inline Dims ToDims(DimsView dims) { return Dims(dims.begin(), dims.end()); }
// `dims` without the dimension `axis`.
Dims WithoutDim(DimsView dims, int64_t axis);
// How many elements apart neighbours along each dimension are.
std::vector<int64_t> StridesOf(DimsView dims);
// The product of dims[begin, end). REQUIRES: dims are those of a tensor.
int64_t ProductOf(DimsView dims, size_t begin, size_t end);

// An axis counted from the end when negative, or nothing when it is not in [-rank, rank).
Result<int64_t> CanonicalAxis(int64_t axis, int64_t rank, std::string_view error_text);

// A tensor of shape `dims` whose element at coordinates `at` is the element number source(at) of
// `input`.
//   Errors: of Tensor::Allocate
// REQUIRES: source gives elements of input
Result<Tensor> Rearrange(const Tensor& input, DimsView dims,
                         const std::function<int64_t(const Dims& at)>& source);

// As above, but where source(at) is kOtherwise it is the only element of `otherwise`.
// REQUIRES: equal dtypes
inline constexpr int64_t kOtherwise = -1;
Result<Tensor> RearrangeOr(const Tensor& input, const Tensor& otherwise, DimsView dims,
                           const std::function<int64_t(const Dims& at)>& source);

// Calls visit with the coordinates of each element of a tensor of shape `dims`, in order.
// REQUIRES: dims are those of a tensor.
void ForEachPlace(DimsView dims, const std::function<void(const Dims& at)>& visit);

// Copies `count` elements that lie side by side in both. REQUIRES: equal dtypes, ranges inside.
void CopyElements(const Tensor& from, int64_t from_index, Tensor& to, int64_t to_index,
                  int64_t count);

enum class Change { kSet, kAdd, kSubtract, kMultiply, kDivide, kLower, kRaise };
// A copy of `target` in which element places[i] is changed by element i of `by`, for each i in
// turn; a `by` of one element changes all places.
//   Errors: UNIMPLEMENTED naming `op` when the dtype cannot be changed so, RESOURCE_EXHAUSTED
// REQUIRES: equal dtypes, places are elements of target; kDivide: no integer of by is zero.
Result<Tensor> Changed(std::string_view op, const Tensor& target,
                       const std::vector<int64_t>& places, const Tensor& by, Change change);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_ARRAY_UTIL_H_
