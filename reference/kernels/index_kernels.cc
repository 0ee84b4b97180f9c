// Ops on lists: ListDiff, UnravelIndex, LowerBound, UpperBound, BroadcastArgs.

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Calls f(Computing<C>()) for a dtype of numbers that have an order, or of strings.
template <typename F>
auto WithOrderedType(DType dtype, F f) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) {
    if constexpr (ComplexElement<C>) {
      return decltype(f(Computing<int64_t>()))();
    } else {
      return f(Computing<C>());
    }
  });
}

// The positions in x of what is not in y. NaN equals nothing.
template <typename C>
std::vector<int64_t> PositionsOutside(const Tensor& x, const Tensor& y) {
  std::set<C> excluded;
  for (const C& value : Load<C>(y)) {
    if (value == value) excluded.insert(value);
  }
  std::vector<int64_t> positions;
  const std::vector<C> values = Load<C>(x);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_number = values[i] == values[i];
    if (!is_number || !excluded.contains(values[i])) positions.push_back(static_cast<int64_t>(i));
  }
  return positions;
}

//   x, y: vectors; out: elements of x that are not in y, in order; idx: where they are in x
Status ListDiff(KernelContext& context) {
  const Tensor& x = context.inputs[0];
  const Tensor& y = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, x.dtype(), kReals | DTypeSet{DType::kString}));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, x.dtype(), y.dtype()));
  if (x.rank() != 1 || y.rank() != 1) {
    return InvalidArgument("x and y should be 1D vectors, but have shapes " + DimsString(x.dims()) +
                           " and " + DimsString(y.dims()));
  }
  const std::vector<int64_t> positions = WithOrderedType(
      x.dtype(), [&]<typename C>(Computing<C>) { return PositionsOutside<C>(x, y); });
  const Dims dims{static_cast<int64_t>(positions.size())};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(x, dims, [&](const Dims& at) {
                             return positions[static_cast<size_t>(at[0])];
                           }));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                           IndexTensor(context.signature.outputs[1].dtype, dims, positions));
  return Status();
}

// The number of elements of a tensor of shape dims, which must fit into `dtype`.
Result<int64_t> UnraveledSize(const Dims& dims, DType dtype) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) {
    return InvalidArgument("Input dims cannot contain a dim of zero");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(dims));
  if (dtype == DType::kInt32 && size > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Input dims product is causing integer overflow: " + DimsString(dims));
  }
  return size;
}

//   indices: integers, scalar or vector, not empty; dims: vector of sizes
//   output[d, i]: coordinate d of element indices[i] of a tensor of shape dims
Status UnravelIndex(KernelContext& context) {
  const Tensor& indices = context.inputs[0];
  const Tensor& dims_input = context.inputs[1];
  if (indices.rank() > 1) {
    return InvalidArgument("The indices can only be scalar or vector, got " +
                           DimsString(indices.dims()));
  }
  if (dims_input.rank() != 1) {
    return InvalidArgument("The indices can only be 1-D, got " + DimsString(dims_input.dims()));
  }
  if (indices.num_elements() == 0) return InvalidArgument("received empty tensor indices");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> elements, IndexValues(indices));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(dims_input));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, UnraveledSize(dims, dims_input.dtype()));
  const std::vector<int64_t> strides = StridesOf(dims);
  for (const int64_t element : elements) {
    if (element >= 0 && element < size) continue;
    return InvalidArgument("index " + std::to_string(element) + " is out of bound as with dims " +
                           DimsString(dims));
  }
  std::vector<int64_t> coordinates;
  for (size_t d = 0; d < dims.size(); ++d) {
    for (const int64_t element : elements) coordinates.push_back(element / strides[d] % dims[d]);
  }
  Dims output = ToDims(dims_input.dims());
  output.insert(output.end(), indices.dims().begin(), indices.dims().end());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(dims_input.dtype(), output, coordinates));
  return Status();
}

enum class Bound { kLower, kUpper };

template <typename C>
std::vector<int64_t> BoundsOf(const Tensor& sorted, const Tensor& values, Bound bound) {
  const std::vector<C> all = Load<C>(sorted);
  const std::vector<C> wanted = Load<C>(values);
  std::vector<int64_t> bounds;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / values.dim(1);
    const auto begin = all.begin() + row * sorted.dim(1);
    const auto end = begin + sorted.dim(1);
    const auto place = bound == Bound::kLower ? std::lower_bound(begin, end, wanted[i])
                                              : std::upper_bound(begin, end, wanted[i]);
    bounds.push_back(place - begin);
  }
  return bounds;
}

//   sorted_inputs: [batch, n], ascending rows; values: [batch, m]
//   output[b, i]: how many of sorted_inputs[b] are less than values[b, i], or at most that
Status FindBounds(KernelContext& context, Bound bound) {
  const Tensor& sorted = context.inputs[0];
  const Tensor& values = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, sorted.dtype(), kReals));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, sorted.dtype(), values.dtype()));
  if (sorted.rank() != 2 || values.rank() != 2) {
    return InvalidArgument("sorted input and values must be 2-D, but have shapes " +
                           DimsString(sorted.dims()) + " and " + DimsString(values.dims()));
  }
  if (sorted.dim(0) != values.dim(0)) {
    return InvalidArgument("Leading dim_size of both tensors must match: " +
                           std::to_string(sorted.dim(0)) + " and " + std::to_string(values.dim(0)));
  }
  const std::vector<int64_t> bounds = WithOrderedType(
      sorted.dtype(), [&]<typename C>(Computing<C>) { return BoundsOf<C>(sorted, values, bound); });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(context.signature.outputs[0].dtype, values.dims(), bounds));
  return Status();
}

Status LowerBound(KernelContext& context) { return FindBounds(context, Bound::kLower); }
Status UpperBound(KernelContext& context) { return FindBounds(context, Bound::kUpper); }

//   s0, s1: vectors of dimensions; output: the shape both broadcast to
Status BroadcastArgs(KernelContext& context) {
  const Tensor& s0 = context.inputs[0];
  const Tensor& s1 = context.inputs[1];
  if (s0.rank() != 1 || s1.rank() != 1) {
    return InvalidArgument("both shapes must be vectors, but have the shapes " +
                           DimsString(s0.dims()) + " and " + DimsString(s1.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims a, IndexValues(s0));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims b, IndexValues(s1));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims both, BroadcastShape(a, b));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(s0.dtype(), Dims{static_cast<int64_t>(both.size())}, both));
  return Status();
}

}  // namespace

Status RegisterIndexKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ListDiff", ListDiff},
                                {"UnravelIndex", UnravelIndex},
                                {"LowerBound", LowerBound},
                                {"UpperBound", UpperBound},
                                {"BroadcastArgs", BroadcastArgs}});
}

}  // namespace tagflow::reference
