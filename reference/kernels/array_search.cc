// Ops that look for positions: ArgMax, ArgMin, Where, InvertPermutation.

#include <string>

#include "graph/limits.h"
#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"

namespace tagflow::reference {
namespace {

enum class Wanted { kLargest, kSmallest };

// The position of the extreme among `count` elements that lie `stride` apart. The first wins; NaN
// never does, and a row without anything better than nothing gives 0.
template <typename C>
int64_t BestOf(const C* values, int64_t count, int64_t stride, Wanted wanted) {
  int64_t best = -1;
  for (int64_t i = 0; i < count; ++i) {
    const C& value = values[i * stride];
    if (!(value == value)) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    const C& so_far = values[best * stride];
    if (wanted == Wanted::kLargest ? value > so_far : value < so_far) best = i;
  }
  return best < 0 ? 0 : best;
}

Result<int64_t> ArgAxis(const Tensor& input, const Tensor& dimension) {
  if (dimension.rank() != 0) {
    return InvalidArgument("dim must be a scalar, but received tensor of shape: " +
                           DimsString(dimension.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(dimension, "dim"));
  const int64_t rank = input.rank();
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t axis,
      CanonicalAxis(given, rank,
                    "Expected dimension in the range [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + "), but got " + std::to_string(given)));
  if (input.dims()[static_cast<size_t>(axis)] == 0) {
    return InvalidArgument("Reduction axis " + std::to_string(axis) + " is empty in shape " +
                           DimsString(input.dims()));
  }
  return axis;
}

template <typename C>
std::vector<int64_t> BestAlong(const Tensor& input, size_t axis, Wanted wanted) {
  const std::vector<C> values = Load<C>(input);
  const DimsView dims = input.dims();
  const int64_t inner = ProductOf(dims, axis + 1, dims.size());
  const int64_t outer = ProductOf(dims, 0, axis);
  std::vector<int64_t> best;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      best.push_back(BestOf(values.data() + o * dims[axis] * inner + i, dims[axis], inner, wanted));
    }
  }
  return best;
}

//   input: ordered numbers or bool; dimension: integer scalar; output: output_type, that dimension
//   removed
Status ArgBest(KernelContext& context, Wanted wanted) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, input.dtype(), kReals | DTypeSet{DType::kBool}));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, ArgAxis(input, context.inputs[1]));
  const std::vector<int64_t> best = WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) {
    if constexpr (RealElement<C>) {
      return BestAlong<C>(input, static_cast<size_t>(axis), wanted);
    } else {
      return std::vector<int64_t>();
    }
  });
  const DType type = context.signature.outputs[0].dtype;
  const Dims dims = WithoutDim(input.dims(), axis);
  if (kUnsigned.contains(type)) {
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[0],
        Store<uint64_t>(type, dims, std::vector<uint64_t>(best.begin(), best.end())));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store<int64_t>(type, dims, best));
  return Status();
}

Status ArgMax(KernelContext& context) { return ArgBest(context, Wanted::kLargest); }
Status ArgMin(KernelContext& context) { return ArgBest(context, Wanted::kSmallest); }

// Which elements are not zero; NaN is not.
std::vector<bool> NonZero(const Tensor& input) {
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) {
    std::vector<bool> truth;
    for (const C& value : Load<C>(input)) truth.push_back(value != C());
    return truth;
  });
}

//   condition: numbers or bool, rank 1 to 8
//   output: int64 [n, rank], the coordinates of the n elements that are not zero, in order
Status Where(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(
      "Where", input.dtype(), (kNumbers | DTypeSet{DType::kBool}) - DTypeSet{DType::kHalf}));
  if (input.rank() < 1 || input.rank() > kMostSearchedDimensions) {
    return InvalidArgument("WhereOp : Unhandled input dimensions: " + std::to_string(input.rank()));
  }
  const std::vector<int64_t> strides = StridesOf(input.dims());
  const std::vector<bool> truth = NonZero(input);
  std::vector<int64_t> coordinates;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i]) continue;
    int64_t rest = static_cast<int64_t>(i);
    for (int64_t stride : strides) {
      coordinates.push_back(rest / stride);
      rest %= stride;
    }
  }
  const int64_t rank = input.rank();
  const int64_t found = static_cast<int64_t>(coordinates.size()) / rank;
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Store<int64_t>(DType::kInt64, Dims{found, rank}, coordinates));
  return Status();
}

//   x: vector holding each of 0 … n-1 once; output[x[i]] = i
Status InvertPermutation(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  if (input.rank() != 1) return InvalidArgument("invert_permutation expects a 1D vector.");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> perm, IndexValues(input));
  const int64_t size = static_cast<int64_t>(perm.size());
  std::vector<int64_t> inverse(perm.size(), -1);
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || perm[i] >= size) {
      return InvalidArgument(std::to_string(perm[i]) + " is not between 0 and " +
                             std::to_string(size));
    }
    int64_t& place = inverse[static_cast<size_t>(perm[i])];
    if (place >= 0)
      return InvalidArgument(std::to_string(perm[i]) + " is duplicated in the input.");
    place = static_cast<int64_t>(i);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(input.dtype(), input.dims(), inverse));
  return Status();
}

}  // namespace

Status RegisterArraySearchKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ArgMax", ArgMax},
                                {"ArgMin", ArgMin},
                                {"Where", Where},
                                {"InvertPermutation", InvertPermutation}});
}

}  // namespace tagflow::reference
