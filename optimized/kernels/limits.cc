// Numbers against limits: ClipByValue, Bucketize. And what makes one number of few: L2Loss, Cross.

#include <algorithm>
#include <string>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/reduction.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// ---- ClipByValue ----

// A limit may be a scalar, or have the shape of what it limits.
Status CheckLimit(const Tensor& limit, const Tensor& t) {
  if (limit.rank() == 0 || std::ranges::equal(limit.dims(), t.dims())) return Status();
  return InvalidArgument("a limit must be a scalar or have the shape of the input, " +
                         DimsString(t.dims()) + ", not " + DimsString(limit.dims()));
}

// First lowered to the maximum, then raised to the minimum, which wins where the two cross. NaN
// stays, and as a limit limits nothing.
template <typename C>
Status Clip(KernelContext& context) {
  const Tensor& t = context.input(0);
  for (int i : {1, 2}) TAGFLOW_RETURN_IF_ERROR(CheckLimit(context.input(i), t));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, t.dtype(), t.dims(), {0}));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<C>::Of(t));
  TAGFLOW_ASSIGN_OR_RETURN(const auto low, ElementsAs<C>::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto high, ElementsAs<C>::Of(context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<C>::Of(*out));
  const int64_t low_step = context.input(1).rank() == 0 ? 0 : 1;
  const int64_t high_step = context.input(2).rank() == 0 ? 0 : 1;
  for (int64_t i = 0; i < x.size(); ++i) {
    const C lowered = high[i * high_step] < x[i] ? high[i * high_step] : x[i];
    y[i] = lowered < low[i * low_step] ? low[i * low_step] : lowered;
  }
  y.Finish();
  return Status();
}

//   t: numbers that are ordered;  clip_value_min, clip_value_max: the same dtype
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Result<BoundKernel> BindClipByValue(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  constexpr DTypeSet kClipped = kReals & ~SetOf(DType::kUInt32, DType::kUInt64);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kClipped));
  return ForComputingType(dtype, [&]<typename C>(Computing<C>) -> Result<BoundKernel> {
    if constexpr (Real<C>) {
      return BoundKernel(Clip<C>);
    } else {
      return NoKernelFor(binding, dtype);
    }
  });
}

// ---- Bucketize ----

// Integers are compared as the nearest floats.
template <typename C>
using ComparedAs = std::conditional_t<Integer<C>, float, C>;

template <typename C>
BoundKernel BucketizeKernel(const std::vector<float>& boundaries) {
  const std::vector<ComparedAs<C>> limits(boundaries.begin(), boundaries.end());
  return BoundKernel([limits](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kInt32, input.dims()));
    int32_t* bucket = out->mutable_data<int32_t>();
    for (const C& value : input.flat<C>()) {
      const auto above =
          std::upper_bound(limits.begin(), limits.end(), static_cast<ComparedAs<C>>(value));
      *bucket++ = static_cast<int32_t>(above - limits.begin());
    }
    return Status();
  });
}

// How many boundaries lie at or below each element; of NaN, all.
//   input: int32, int64, float or double;  output: int32;  attr boundaries: ascending
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (boundaries that descend)
Result<BoundKernel> BindBucketize(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList attr, ListAttr(binding.node, "boundaries"));
  if (!std::is_sorted(attr.floats.begin(), attr.floats.end())) {
    return InvalidArgument("the boundaries must ascend");
  }
  switch (dtype) {
    case DType::kInt32:
      return BucketizeKernel<int32_t>(attr.floats);
    case DType::kInt64:
      return BucketizeKernel<int64_t>(attr.floats);
    case DType::kFloat:
      return BucketizeKernel<float>(attr.floats);
    case DType::kDouble:
      return BucketizeKernel<double>(attr.floats);
    default:
      return NoKernelFor(binding, dtype);
  }
}

// ---- L2Loss ----

// Half the sum of the squares.
//   t: floating numbers of any shape;  output: a scalar
//   Errors: UNIMPLEMENTED (dtype)
Result<BoundKernel> BindL2Loss(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kFloats));
  const ReductionPart part = {"HalfOfSquares", dtype, ReducedAxes::kAll};
  return BindPart(part, [dtype](KernelContext& context) -> Status {
    const Tensor& t = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, {}));
    return Reduce(kReducers<formulas::HalfOfSquares>.of_double, t, Dims(t.dims().size(), 1), *out,
                  context);
  });
}

// ---- Cross ----

template <typename C>
Status Cross(KernelContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (!std::ranges::equal(a.dims(), b.dims()) || a.rank() < 1) {
    return InvalidArgument("a and b must have one shape, of rank 1 or more, not " +
                           DimsString(a.dims()) + " and " + DimsString(b.dims()));
  }
  if (a.dims().back() != 3) {
    return FailedPrecondition("cross products are of vectors of 3 numbers, not of " +
                              std::to_string(a.dims().back()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, a.dtype(), a.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<C>::Of(a));
  TAGFLOW_ASSIGN_OR_RETURN(const auto y, ElementsAs<C>::Of(b));
  TAGFLOW_ASSIGN_OR_RETURN(auto z, ElementsFor<C>::Of(*out));
  for (int64_t row = 0; row < x.size(); row += 3) {
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t j = row + (i + 1) % 3, k = row + (i + 2) % 3;
      z[row + i] = Minus(Times(x[j], y[k]), Times(x[k], y[j]));
    }
  }
  z.Finish();
  return Status();
}

//   a, b: one shape, whose last dimension is 3;  product: of each pair of rows the cross product
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes), FAILED_PRECONDITION (not 3)
Result<BoundKernel> BindCross(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kReals));
  return ForComputingType(dtype, [&]<typename C>(Computing<C>) -> Result<BoundKernel> {
    if constexpr (Real<C>) {
      return BoundKernel(Cross<C>);
    } else {
      return NoKernelFor(binding, dtype);
    }
  });
}

}  // namespace

Status RegisterLimitKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Bucketize", BindBucketize},
                                {"ClipByValue", BindClipByValue},
                                {"Cross", BindCross},
                                {"L2Loss", BindL2Loss}});
}

}  // namespace tagflow::optimized
