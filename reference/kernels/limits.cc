// Numbers against limits: ClipByValue, Bucketize. And what makes one number of few: L2Loss, Cross.

#include <algorithm>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// A limit may be a scalar, or have the shape of what it limits.
Status CheckLimit(const Tensor& limit, const Tensor& t) {
  if (limit.rank() == 0 || std::ranges::equal(limit.dims(), t.dims())) return Status();
  return InvalidArgument("a limit must be a scalar or have the shape of the input, " +
                         DimsString(t.dims()) + ", not " + DimsString(limit.dims()));
}

// First lowered to the maximum, then raised to the minimum, which wins where the two cross. NaN
// stays, and as a limit limits nothing.
//   t: numbers that are ordered;  clip_value_min, clip_value_max: the same dtype
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status ClipByValue(KernelContext& context) {
  const Tensor& t = context.inputs[0];
  const Tensor& least = context.inputs[1];
  const Tensor& most = context.inputs[2];
  constexpr DTypeSet kClipped = kReals - DTypeSet{DType::kUInt32, DType::kUInt64};
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, t.dtype(), kClipped));
  for (const Tensor* limit : {&least, &most}) {
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, t.dtype(), limit->dtype()));
    TAGFLOW_RETURN_IF_ERROR(CheckLimit(*limit, t));
  }
  return WithComputingType(t.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      std::vector<C> values = Load<C>(t);
      const std::vector<C> lows = Load<C>(least), highs = Load<C>(most);
      for (size_t i = 0; i < values.size(); ++i) {
        const C low = lows[least.rank() == 0 ? 0 : i];
        const C high = highs[most.rank() == 0 ? 0 : i];
        if (high < values[i]) values[i] = high;
        if (values[i] < low) values[i] = low;
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(t.dtype(), t.dims(), values));
    }
    return Status();
  });
}

// How many boundaries lie at or below each element; of NaN, all.
//   input: int32, int64, float or double;  output: int32;  attr boundaries: ascending
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (boundaries that descend)
Status Bucketize(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, input.dtype(),
                   {DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble}));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList attr, ListAttr(context.node, "boundaries"));
  const std::vector<float>& boundaries = attr.floats;
  if (!std::is_sorted(boundaries.begin(), boundaries.end())) {
    return InvalidArgument("the boundaries must ascend");
  }
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (std::same_as<C, int64_t> || std::floating_point<C>) {
      // Integers are compared as the nearest floats.
      using Compared = std::conditional_t<IntegerElement<C>, float, C>;
      std::vector<int64_t> buckets;
      for (const C& value : Load<C>(input)) {
        const auto above = std::upper_bound(
            boundaries.begin(), boundaries.end(), static_cast<Compared>(value),
            [](Compared x, float boundary) { return x < static_cast<Compared>(boundary); });
        buckets.push_back(above - boundaries.begin());
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kInt32, input.dims(), buckets));
    }
    return Status();
  });
}

// Half the sum of the squares, summed in double in row-major order.
//   t: floating numbers of any shape;  output: a scalar
//   Errors: UNIMPLEMENTED (dtype)
Status L2Loss(KernelContext& context) {
  const Tensor& t = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, t.dtype(), kFloating));
  return WithComputingType(t.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (FloatElement<C>) {
      double sum = 0;
      for (const C& value : Load<C>(t)) {
        sum += static_cast<double>(value) * static_cast<double>(value);
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                               Store(t.dtype(), Dims{}, std::vector<C>{static_cast<C>(sum / 2)}));
    }
    return Status();
  });
}

//   a, b: one shape, whose last dimension is 3;  product: of each pair of rows the cross product,
//   a[1] b[2] - a[2] b[1] and so on round the three
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes), FAILED_PRECONDITION (not 3)
Status Cross(KernelContext& context) {
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, a.dtype(), kReals));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, a.dtype(), b.dtype()));
  if (!std::ranges::equal(a.dims(), b.dims()) || a.rank() < 1) {
    return InvalidArgument("a and b must have one shape, of rank 1 or more, not " +
                           DimsString(a.dims()) + " and " + DimsString(b.dims()));
  }
  if (a.dims().back() != 3) {
    return FailedPrecondition("cross products are of vectors of 3 numbers, not of " +
                              std::to_string(a.dims().back()));
  }
  return WithComputingType(a.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> x = Load<C>(a), y = Load<C>(b);
      std::vector<C> values;
      for (size_t row = 0; row < x.size(); row += 3) {
        for (size_t i = 0; i < 3; ++i) {
          const size_t j = row + (i + 1) % 3, k = row + (i + 2) % 3;
          values.push_back(Minus(Times(x[j], y[k]), Times(x[k], y[j])));
        }
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(a.dtype(), a.dims(), values));
    }
    return Status();
  });
}

}  // namespace

Status RegisterLimitKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ClipByValue", ClipByValue},
                                {"Bucketize", Bucketize},
                                {"L2Loss", L2Loss},
                                {"Cross", Cross}});
}

}  // namespace tagflow::reference
