// Ops on lists: ListDiff, UnravelIndex, LowerBound, UpperBound, BroadcastArgs.

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/element_keys.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// ---- ListDiff ----

// The positions in x of what is not in y.
std::vector<int64_t> PositionsOutside(const Tensor& x, const Tensor& y) {
  std::unordered_set<std::string> excluded;
  const ElementKeys excluded_keys(y);
  std::string key;
  for (int64_t i = 0; i < y.num_elements(); ++i) {
    key.clear();
    if (excluded_keys.Append(i, key)) excluded.insert(key);
  }
  std::vector<int64_t> positions;
  const ElementKeys keys(x);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    key.clear();
    if (!keys.Append(i, key) || !excluded.contains(key)) positions.push_back(i);
  }
  return positions;
}

//   x, y: vectors; out: elements of x that are not in y, in order; idx: where they are in x
Status ListDiff(KernelContext& context, DType index) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  if (x.rank() != 1 || y.rank() != 1) {
    return InvalidArgument("x and y should be 1D vectors, but have shapes " + DimsString(x.dims()) +
                           " and " + DimsString(y.dims()));
  }
  const std::vector<int64_t> positions = PositionsOutside(x, y);
  const SmallDims dims(1, static_cast<int64_t>(positions.size()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.dtype(), dims));
  MoverOf(x.dtype()).pick(x.raw_data(), positions.data(), out->mutable_raw_data(), dims[0]);
  return SetIndices(context, 1, index, dims, positions);
}

Result<BoundKernel> BindListDiff(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, binding.input_dtype(0), kReals | SetOf(DType::kString)));
  return BoundKernel([index = binding.output_dtype(1)](KernelContext& context) {
    return ListDiff(context, index);
  });
}

// ---- UnravelIndex ----

// INVALID_ARGUMENT unless dims have elements, as many as fit into `dtype`.
Result<int64_t> UnraveledSize(DimsView dims, DType dtype) {
  if (std::ranges::find(dims, 0) != dims.end()) {
    return InvalidArgument("Input dims cannot contain a dim of zero");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(dims));
  if (dtype == DType::kInt32 && size > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Input dims product is causing integer overflow: " + DimsString(dims));
  }
  return size;
}

Status CheckElements(const IntView& elements, int64_t size, DimsView dims) {
  for (int64_t i = 0; i < elements.size(); ++i) {
    if (elements[i] >= 0 && elements[i] < size) continue;
    return InvalidArgument("index " + std::to_string(elements[i]) +
                           " is out of bound as with dims " + DimsString(dims));
  }
  return Status();
}

//   indices: integers, scalar or vector, not empty; dims: vector of sizes
//   output[d, i]: coordinate d of element indices[i] of a tensor of shape dims
Status UnravelIndex(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& dims_input = context.input(1);
  if (indices.rank() > 1 || dims_input.rank() != 1) {
    return InvalidArgument("indices must be a scalar or vector and dims a vector, not of shapes " +
                           DimsString(indices.dims()) + " and " + DimsString(dims_input.dims()));
  }
  if (indices.num_elements() == 0) return InvalidArgument("received empty tensor indices");
  TAGFLOW_ASSIGN_OR_RETURN(const IntView elements, IntView::Of(indices));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(dims_input));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, UnraveledSize(dims, dims_input.dtype()));
  TAGFLOW_RETURN_IF_ERROR(CheckElements(elements, size, dims));
  const SmallDims strides = StridesOf(dims);
  std::vector<int64_t> coordinates;
  for (size_t d = 0; d < dims.size(); ++d) {
    for (int64_t i = 0; i < elements.size(); ++i) {
      coordinates.push_back(elements[i] / strides[d] % dims[d]);
    }
  }
  SmallDims output(dims_input.dims());
  output.append(indices.dims());
  return SetIndices(context, 0, dims_input.dtype(), output, coordinates);
}

Result<BoundKernel> BindUnravelIndex(const Binding&) { return BoundKernel(UnravelIndex); }

// ---- LowerBound and UpperBound ----

enum class Bound { kLower, kUpper };

// bounds[i]: for value i, how many of its row of `sorted` are less, or at most that.
template <typename C, Bound bound>
Status FindBounds(const Tensor& sorted, const Tensor& values, std::vector<int64_t>& bounds) {
  TAGFLOW_ASSIGN_OR_RETURN(const ElementsAs<C> all, ElementsAs<C>::Of(sorted));
  TAGFLOW_ASSIGN_OR_RETURN(const ElementsAs<C> wanted, ElementsAs<C>::Of(values));
  for (int64_t i = 0; i < wanted.size(); ++i) {
    const C* begin = all.data() + i / values.dim(1) * sorted.dim(1);
    const C* end = begin + sorted.dim(1);
    bounds.push_back((bound == Bound::kLower ? std::lower_bound(begin, end, wanted[i])
                                             : std::upper_bound(begin, end, wanted[i])) -
                     begin);
  }
  return Status();
}

using BoundsFinder = Status (*)(const Tensor& sorted, const Tensor& values,
                                std::vector<int64_t>& bounds);

//   sorted_inputs: [batch, n], ascending rows; values: [batch, m]; output: [batch, m]
template <Bound bound>
Result<BoundKernel> BindBounds(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kReals));
  const BoundsFinder find = ForComputingType(dtype, []<typename C>(Computing<C>) -> BoundsFinder {
    if constexpr (Real<C>) return FindBounds<C, bound>;
    return nullptr;
  });
  return BoundKernel([find, index = binding.output_dtype(0)](KernelContext& context) -> Status {
    const Tensor& sorted = context.input(0);
    const Tensor& values = context.input(1);
    if (sorted.rank() != 2 || values.rank() != 2 || sorted.dim(0) != values.dim(0)) {
      return InvalidArgument(
          "sorted input and values must be 2-D, of as many rows, but have shapes " +
          DimsString(sorted.dims()) + " and " + DimsString(values.dims()));
    }
    std::vector<int64_t> bounds;
    TAGFLOW_RETURN_IF_ERROR(find(sorted, values, bounds));
    return SetIndices(context, 0, index, values.dims(), bounds);
  });
}

// ---- BroadcastArgs ----

//   s0, s1: vectors of dimensions; output: the shape both broadcast to
Status BroadcastArgs(KernelContext& context) {
  const Tensor& s0 = context.input(0);
  const Tensor& s1 = context.input(1);
  if (s0.rank() != 1 || s1.rank() != 1) {
    return InvalidArgument("both shapes must be vectors, but have the shapes " +
                           DimsString(s0.dims()) + " and " + DimsString(s1.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims a, IndexValues(s0));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims b, IndexValues(s1));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims both, BroadcastShape(a, b));
  return SetIndices(context, 0, s0.dtype(), SmallDims(1, static_cast<int64_t>(both.size())), both);
}

Result<BoundKernel> BindBroadcastArgs(const Binding&) { return BoundKernel(BroadcastArgs); }

}  // namespace

Status RegisterIndexKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"BroadcastArgs", BindBroadcastArgs},
                                   {"ListDiff", BindListDiff},
                                   {"LowerBound", BindBounds<Bound::kLower>},
                                   {"UnravelIndex", BindUnravelIndex},
                                   {"UpperBound", BindBounds<Bound::kUpper>},
                               });
}

}  // namespace tagflow::optimized
