// Ops that make a tensor from a few numbers: Fill, Empty, ZerosLike, OnesLike, Range, LinSpace,
// OneHot.

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/summarize.h"
#include "optimized/kernels/variant_zeros.h"

namespace tagflow::optimized {
namespace {

Status CheckScalar(const Tensor& input, const char* name) {
  if (input.rank() == 0) return Status();
  return InvalidArgument(std::string(name) + " must be a scalar, not of shape " +
                         DimsString(input.dims()));
}

// ---- One value, over and over ----

}  // namespace

//   dims: vector (or one size); value: one element
Result<SmallDims> FilledDims(const KernelContext& context) {
  const Tensor& dims = context.input(0);
  const Tensor& value = context.input(1);
  if (dims.rank() > 1) {
    return InvalidArgument("dims must represent a vector, got shape " + DimsString(dims.dims()));
  }
  if (!IsLegacyScalar(value)) {
    return InvalidArgument("value must represent a scalar, got shape " + DimsString(value.dims()));
  }
  return IndexValues(dims);
}

namespace {

Result<BoundKernel> BindFill(const Binding& binding) {
  const Mover& mover = MoverOf(binding.output_dtype(0));
  return BoundKernel([&mover](KernelContext& context) -> Status {
    const Tensor& value = context.input(1);
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, FilledDims(context));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, value.dtype(), dims));
    mover.fill(value.raw_data(), out->mutable_raw_data(), out->num_elements());
    return Status();
  });
}

constexpr DTypeSet kValues = kNumbers | SetOf(DType::kBool, DType::kString);

// Zeros, whether attr init asks for them or leaves them open.
//   shape: vector of sizes
Result<BoundKernel> BindEmpty(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kValues));
  return BoundKernel([dtype](KernelContext& context) -> Status {
    const Tensor& shape = context.input(0);
    if (shape.rank() != 1) {
      return InvalidArgument("shape must be a vector of int32, got shape " +
                             DimsString(shape.dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(shape));
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(dtype, dims));
    return Status();
  });
}

Result<BoundKernel> BindZerosLike(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  if (dtype == DType::kResource) return NoKernelFor(binding, dtype);
  if (dtype == DType::kVariant) {
    return BoundKernel([](KernelContext& context) -> Status {
      TAGFLOW_ASSIGN_OR_RETURN(context.output(0), ZerosLikeVariants(context.input(0)));
      return Status();
    });
  }
  return BindPart(FillPart{dtype, 0}, [dtype](KernelContext& context) -> Status {
    const DimsView dims = context.input(0).dims();
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims, {0}));
    if (IsPlainDType(dtype)) std::memset(out->mutable_raw_data(), 0, out->byte_size());
    return Status();
  });
}

template <typename C>
Result<Tensor> ScalarOne(DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor one, Tensor::Allocate(dtype, {}));
  if constexpr (std::is_same_v<C, bool> || Number<C>) {
    TAGFLOW_ASSIGN_OR_RETURN(ElementsFor<C> elements, ElementsFor<C>::Of(one));
    elements[0] = static_cast<C>(1);
    elements.Finish();
  }
  return one;
}

}  // namespace

Result<Tensor> OneOf(DType dtype) {
  return ForComputingType(
      dtype, [&]<typename C>(Computing<C>) -> Result<Tensor> { return ScalarOne<C>(dtype); });
}

namespace {

Result<BoundKernel> BindOnesLike(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers | SetOf(DType::kBool)));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor one, OneOf(dtype));
  const auto fill = [dtype, one, &mover = MoverOf(dtype)](KernelContext& context) -> Status {
    const DimsView dims = context.input(0).dims();
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims, {0}));
    mover.fill(one.raw_data(), out->mutable_raw_data(), out->num_elements());
    return Status();
  };
  return BindPart(FillPart{dtype, 1}, fill);
}

// ---- Numbers at equal distances ----

// How many steps of delta fit into [start, limit).
template <Real C>
Result<int64_t> RangeSize(C start, C limit, C delta) {
  if constexpr (Integer<C>) {
    using Wide = __int128;
    const Wide distance = static_cast<Wide>(limit) - static_cast<Wide>(start);
    const Wide step = delta;
    const Wide size = (distance + step + (step > 0 ? -1 : 1)) / step;
    if (size <= std::numeric_limits<int64_t>::max()) return static_cast<int64_t>(size);
  } else {
    const double size = std::ceil(std::fabs(static_cast<double>((limit - start) / delta)));
    if (size < 0x1p63) return static_cast<int64_t>(size);
  }
  return InvalidArgument("Requires ((limit - start) / delta) <= " +
                         std::to_string(std::numeric_limits<int64_t>::max()));
}

template <Real C>
Status CheckRange(const KernelContext& context, C start, C limit, C delta) {
  if (delta == C()) return InvalidArgument("Requires delta != 0: 0");
  const bool up = delta > C();
  // Written so that NaN fails too.
  if (up ? start <= limit : start >= limit) return Status();
  return InvalidArgument(std::string("Requires start ") + (up ? "<=" : ">=") +
                         " limit when delta " + (up ? ">" : "<") + " 0: " +
                         ElementText(context.input(0), 0) + "/" + ElementText(context.input(1), 0));
}

template <Real C>
Status Range(KernelContext& context) {
  const DType dtype = context.input(0).dtype();
  const C start = FirstAs<C>(context.input(0));
  const C limit = FirstAs<C>(context.input(1));
  const C delta = FirstAs<C>(context.input(2));
  TAGFLOW_RETURN_IF_ERROR(CheckRange(context, start, limit, delta));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, RangeSize(start, limit, delta));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, SmallDims(1, size)));
  TAGFLOW_ASSIGN_OR_RETURN(ElementsFor<C> elements, ElementsFor<C>::Of(*out));
  C* to = elements.data();
  for (int64_t i = 0; i < size; ++i) to[i] = Plus(start, Times(static_cast<C>(i), delta));
  elements.Finish();
  return Status();
}

using KernelFunction = Status (*)(KernelContext& context);

//   start, limit, delta: one element each; output: start, start + delta, … before limit
Result<BoundKernel> BindRange(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kReals));
  const KernelFunction range =
      ForComputingType(binding.input_dtype(0), []<typename C>(Computing<C>) -> KernelFunction {
        if constexpr (Real<C>) return Range<C>;
        return nullptr;
      });
  return BoundKernel([range](KernelContext& context) -> Status {
    for (int i = 0; i < 3; ++i) {
      if (IsLegacyScalar(context.input(i))) continue;
      return InvalidArgument("start, limit and delta must be scalars, not of shape " +
                             DimsString(context.input(i).dims()));
    }
    return range(context);
  });
}

// start + i (stop - start) / (num - 1), but the last is stop itself
template <std::floating_point C>
Status LinSpace(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckScalar(context.input(0), "start"));
  TAGFLOW_RETURN_IF_ERROR(CheckScalar(context.input(1), "stop"));
  TAGFLOW_RETURN_IF_ERROR(CheckScalar(context.input(2), "num"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t num, OnlyInt(context.input(2), "num"));
  if (num <= 0) return InvalidArgument("Requires num > 0: " + std::to_string(num));
  const C start = context.input(0).inline_value<C>();
  const C stop = context.input(1).inline_value<C>();
  const C step = num > 1 ? (stop - start) / static_cast<C>(num - 1) : C();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DTypeOf<C>::value, SmallDims(1, num)));
  C* to = out->mutable_data<C>();
  to[0] = start;
  for (int64_t i = 1; i < num - 1; ++i) to[i] = start + step * static_cast<C>(i);
  if (num > 1) to[num - 1] = stop;
  return Status();
}

//   start, stop: scalars; num: integer scalar, at least 1
Result<BoundKernel> BindLinSpace(const Binding& binding) {
  if (binding.input_dtype(0) == DType::kFloat) return BoundKernel(LinSpace<float>);
  if (binding.input_dtype(0) == DType::kDouble) return BoundKernel(LinSpace<double>);
  return NoKernelFor(binding, binding.input_dtype(0));
}

// ---- OneHot ----

// Where in the output [outer, depth, inner] the indices [outer, inner] put their ones.
void SetHot(const Mover& mover, const IntView& indices, int64_t depth, int64_t inner,
            const Tensor& on, Tensor& out) {
  void* data = out.mutable_raw_data();
  const int64_t outer = indices.size() / inner;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t hot = indices[o * inner + i];
      if (hot < 0 || hot >= depth) continue;
      mover.fill(on.raw_data(), mover.At(data, (o * depth + hot) * inner + i), 1);
    }
  }
}

//   indices: integers, any shape; depth: int32 scalar; on_value, off_value: scalars
//   output: a dimension of size depth at `axis` (-1: last); on_value where it counts to the index
Status OneHot(KernelContext& context, int64_t axis) {
  TAGFLOW_ASSIGN_OR_RETURN(const HotDims hot, HotDimsOf(context, axis));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView indices, IntView::Of(context.input(0)));
  const Tensor& on = context.input(2);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, on.dtype(), hot.dims));
  if (out->num_elements() == 0) return Status();
  const Mover& mover = MoverOf(on.dtype());
  mover.fill(context.input(3).raw_data(), out->mutable_raw_data(), out->num_elements());
  SetHot(mover, indices, hot.depth, hot.inner, on, *out);
  return Status();
}

Result<BoundKernel> BindOneHot(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "axis"));
  return BoundKernel([axis](KernelContext& context) { return OneHot(context, axis); });
}

}  // namespace

Result<HotDims> HotDimsOf(const KernelContext& context, int64_t axis_attr) {
  const DimsView indices = context.input(0).dims();
  const auto rank = static_cast<int64_t>(indices.size()) + 1;
  if (axis_attr < -1 || axis_attr >= rank) {
    return InvalidArgument("Expected axis to be -1 or between [0, " + std::to_string(rank) +
                           ").  But received: " + std::to_string(axis_attr));
  }
  TAGFLOW_RETURN_IF_ERROR(CheckScalar(context.input(1), "depth"));
  TAGFLOW_RETURN_IF_ERROR(CheckScalar(context.input(2), "on_value"));
  TAGFLOW_RETURN_IF_ERROR(CheckScalar(context.input(3), "off_value"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t depth, OnlyInt(context.input(1), "depth"));
  if (depth < 0) {
    return InvalidArgument("depth must be non-negative, got: " + std::to_string(depth));
  }
  const auto place = static_cast<size_t>(axis_attr == -1 ? rank - 1 : axis_attr);
  HotDims hot = {SmallDims(indices), depth, ProductOf(indices, place, indices.size())};
  hot.dims.insert(place, depth);
  return hot;
}

Status RegisterArrayFillKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Empty", BindEmpty},
                                   {"Fill", BindFill},
                                   {"LinSpace", BindLinSpace},
                                   {"OneHot", BindOneHot},
                                   {"OnesLike", BindOnesLike},
                                   {"Range", BindRange},
                                   {"ZerosLike", BindZerosLike},
                               });
}

}  // namespace tagflow::optimized
