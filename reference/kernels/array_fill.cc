// Ops that make a tensor from a few numbers: Fill, Empty, ZerosLike, OnesLike, Range, LinSpace,
// OneHot.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/summarize.h"
#include "reference/kernels/variant_math.h"

namespace tagflow::reference {
namespace {

//   dims: vector (or one size); value: one element
Status Fill(KernelContext& context) {
  const Tensor& dims_input = context.inputs[0];
  const Tensor& value = context.inputs[1];
  if (dims_input.rank() > 1) {
    return InvalidArgument("dims must represent a vector, got shape " +
                           DimsString(dims_input.dims()));
  }
  if (!IsLegacyScalar(value)) {
    return InvalidArgument("value must represent a scalar, got shape " + DimsString(value.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(dims_input));
  for (int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("Dimension " + std::to_string(dim) + " must be >= 0");
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Rearrange(value, dims, [](const Dims&) { return int64_t{0}; }));
  return Status();
}

//   shape: vector of sizes; output: zeros, whether attr init asks for them or leaves them open
Status Empty(KernelContext& context) {
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kValues));
  const Tensor& shape = context.inputs[0];
  if (shape.rank() != 1) {
    return InvalidArgument("shape must be a vector of int32, got shape " +
                           DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(shape));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(dtype, dims));
  return Status();
}

Status ZerosLike(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  if (input.dtype() == DType::kVariant) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ZerosLikeVariants(input));
    return Status();
  }
  if (input.dtype() == DType::kResource) {
    return Unimplemented("ZerosLike has no kernel for dtype " + DTypeName(input.dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(input.dtype(), input.dims()));
  return Status();
}

// A scalar one of a dtype of numbers or bool.
Tensor One(DType dtype) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) {
    if constexpr (std::is_same_v<C, std::string>) {
      return Tensor();
    } else {
      return *Store<C>(dtype, {}, {static_cast<C>(1.0)});
    }
  });
}

Status OnesLike(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType("OnesLike", input.dtype(), kNumbers | DTypeSet{DType::kBool}));
  const Tensor one = One(input.dtype());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Rearrange(one, input.dims(), [](const Dims&) { return int64_t{0}; }));
  return Status();
}

template <typename C>
std::string Text(C value) {
  if constexpr (IntegerElement<C>) {
    return std::to_string(value);
  } else if constexpr (kIsShort<C>) {
    return NumberText(value.value);
  } else {
    return NumberText(value);
  }
}

// How many steps of delta fit into [start, limit).
template <typename C>
Result<int64_t> RangeSize(C start, C limit, C delta) {
  if constexpr (IntegerElement<C>) {
    using Wide = __int128;
    const Wide distance = static_cast<Wide>(limit) - static_cast<Wide>(start);
    const Wide step = delta;
    const Wide size = (distance + step + (step > 0 ? -1 : 1)) / step;
    if (size <= std::numeric_limits<int64_t>::max()) return static_cast<int64_t>(size);
  } else {
    const double size = std::ceil(std::fabs(static_cast<double>((limit - start) / delta)));
    if (size < 9223372036854775808.0) return static_cast<int64_t>(size);
  }
  return InvalidArgument("Requires ((limit - start) / delta) <= " +
                         std::to_string(std::numeric_limits<int64_t>::max()));
}

template <typename C>
Result<Tensor> MakeRange(DType dtype, C start, C limit, C delta) {
  const C zero = C();
  if (delta == zero) return InvalidArgument("Requires delta != 0: " + Text(delta));
  const bool up = delta > zero;
  // Written so that NaN fails too.
  if (up ? !(start <= limit) : !(start >= limit)) {
    return InvalidArgument(std::string("Requires start ") + (up ? "<=" : ">=") +
                           " limit when delta " + (up ? ">" : "<") + " 0: " + Text(start) + "/" +
                           Text(limit));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, RangeSize(start, limit, delta));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor range, Tensor::Allocate(dtype, Dims{size}));
  // In pieces, so that a long range is not held a second time, widened.
  constexpr int64_t kPiece = 4096;
  for (int64_t begin = 0; begin < size; begin += kPiece) {
    std::vector<C> values;
    for (int64_t i = begin; i < std::min(size, begin + kPiece); ++i) {
      values.push_back(Plus(start, Times(static_cast<C>(i), delta)));
    }
    const int64_t count = static_cast<int64_t>(values.size());
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor piece, Store<C>(dtype, Dims{count}, values));
    CopyElements(piece, 0, range, begin, count);
  }
  return range;
}

//   start, limit, delta: one element each; output: start, start + delta, … before limit
Status Range(KernelContext& context) {
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType("Range", dtype, kReals));
  const char* const names[] = {"start", "limit", "delta"};
  for (size_t i = 0; i < 3; ++i) {
    if (IsLegacyScalar(context.inputs[i])) continue;
    return InvalidArgument(std::string(names[i]) + " must be a scalar, not shape " +
                           DimsString(context.inputs[i].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[0], WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Result<Tensor> {
        if constexpr (RealElement<C>) {
          return MakeRange<C>(dtype, Load<C>(context.inputs[0])[0], Load<C>(context.inputs[1])[0],
                              Load<C>(context.inputs[2])[0]);
        } else {
          return Internal("not a real number");
        }
      }));
  return Status();
}

// start + i (stop - start) / (num - 1), but the last is stop itself
template <typename C>
Result<Tensor> Spaced(DType dtype, C start, C stop, int64_t num) {
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{num}));
  std::vector<C> values{start};
  const C step = num > 1 ? (stop - start) / static_cast<C>(num - 1) : C();
  for (int64_t i = 1; i < num - 1; ++i) values.push_back(start + step * static_cast<C>(i));
  if (num > 1) values.push_back(stop);
  return Store<C>(dtype, Dims{num}, values);
}

//   start, stop: scalars; num: integer scalar, at least 1
Status LinSpace(KernelContext& context) {
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, {DType::kFloat, DType::kDouble}));
  const char* const names[] = {"start", "stop", "num"};
  for (size_t i = 0; i < 3; ++i) {
    TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[i], names[i]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t num, SingleIndex(context.inputs[2], "num"));
  if (num <= 0) return InvalidArgument("Requires num > 0: " + std::to_string(num));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[0], WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Result<Tensor> {
        if constexpr (std::floating_point<C>) {
          return Spaced<C>(dtype, context.inputs[0].scalar<C>(), context.inputs[1].scalar<C>(),
                           num);
        } else {
          return Internal("neither float nor double");
        }
      }));
  return Status();
}

Status CheckScalars(const KernelContext& context) {
  const char* const names[] = {"", "depth", "on_value", "off_value"};
  for (size_t i = 1; i < 4; ++i) {
    TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[i], names[i]));
  }
  return Status();
}

//   indices: integers, any shape; depth: int32 scalar; on_value, off_value: scalars
//   output: a dimension of size depth at `axis` (-1: last); on_value where it counts to the index
Status OneHot(KernelContext& context) {
  const Tensor& indices_input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(int64_t axis, IntAttr(context.node, "axis"));
  const int64_t rank = indices_input.rank() + 1;
  if (axis < -1 || axis >= rank) {
    return InvalidArgument("Expected axis to be -1 or between [0, " + std::to_string(rank) +
                           ").  But received: " + std::to_string(axis));
  }
  if (axis == -1) axis = rank - 1;
  TAGFLOW_RETURN_IF_ERROR(CheckScalars(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t depth, SingleIndex(context.inputs[1], "depth"));
  if (depth < 0)
    return InvalidArgument("depth must be non-negative, got: " + std::to_string(depth));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IndexValues(indices_input));

  TAGFLOW_ASSIGN_OR_RETURN(Tensor values,  // off, on
                           Tensor::Allocate(context.inputs[2].dtype(), Dims{2}));
  CopyElement(context.inputs[3], 0, values, 0);
  CopyElement(context.inputs[2], 0, values, 1);
  Dims dims = ToDims(indices_input.dims());
  dims.insert(dims.begin() + axis, depth);
  const std::vector<int64_t> strides = StridesOf(indices_input.dims());
  const size_t hot = static_cast<size_t>(axis);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(values, dims, [&](const Dims& at) {
                             int64_t i = 0;
                             for (size_t d = 0; d < strides.size(); ++d) {
                               i += at[d < hot ? d : d + 1] * strides[d];
                             }
                             return int64_t{indices[static_cast<size_t>(i)] == at[hot] ? 1 : 0};
                           }));
  return Status();
}

}  // namespace

Status RegisterArrayFillKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Fill", Fill},
                                {"Empty", Empty},
                                {"ZerosLike", ZerosLike},
                                {"OnesLike", OnesLike},
                                {"Range", Range},
                                {"LinSpace", LinSpace},
                                {"OneHot", OneHot}});
}

}  // namespace tagflow::reference
