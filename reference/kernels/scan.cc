// Running totals along one axis of a tensor.
//
// Element i of the output is the total of the elements up to i, in the order of the axis or, with
// the attr reverse, against it; with the attr exclusive it leaves element i itself out. Totals of
// half, bfloat16, float and complex64 are kept in double and rounded where they are given out;
// integers wrap.

#include <cmath>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// A scan is two formulas over the accumulator of the computing type: the total of nothing, and the
// total with one more element.
struct Cumsum {
  static constexpr double kOfNothing = 0;
  template <NumberElement A>
  static A Next(A total, A x) {
    return Plus(total, x);
  }
};
struct Cumprod {
  static constexpr double kOfNothing = 1;
  template <NumberElement A>
  static A Next(A total, A x) {
    return Times(total, x);
  }
};
// log(exp(total) + exp(x)), written so that exp does not overflow.
struct CumulativeLogsumexp {
  static constexpr double kOfNothing = -std::numeric_limits<double>::infinity();
  template <std::floating_point A>
  static A Next(A total, A x) {
    if (total == x) return x + std::log(2.0);  // infinities too
    const A larger = total > x ? total : x;
    const A smaller = total > x ? x : total;
    return larger + std::log1p(std::exp(smaller - larger));
  }
};

struct Along {
  size_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
};

//   x: any shape;  axis: int32 or int64 scalar
//   Errors: INVALID_ARGUMENT for an axis that is no scalar, or not in [-rank, rank)
Result<Along> ReadAlong(const KernelContext& context) {
  if (context.inputs[1].rank() != 0) {
    return InvalidArgument("axis must be a scalar, but it has shape " +
                           DimsString(context.inputs[1].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(context.inputs[1], "axis"));
  const int64_t rank = context.inputs[0].rank();
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t axis,
      CanonicalAxis(given, rank,
                    "Expected scan axis in the range [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + "), but got " + std::to_string(given)));
  TAGFLOW_ASSIGN_OR_RETURN(const bool exclusive, BoolAttr(context.node, "exclusive"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool reverse, BoolAttr(context.node, "reverse"));
  return Along{static_cast<size_t>(axis), exclusive, reverse};
}

template <typename S, typename C>
Result<Tensor> Scan(const Tensor& x, const Along& along) {
  std::vector<C> values = Load<C>(x);
  const int64_t count = x.dims()[along.axis];
  const int64_t inner = ProductOf(x.dims(), along.axis + 1, x.dims().size());
  for (int64_t begin = 0; begin < x.num_elements(); begin += count * inner) {
    for (int64_t i = begin; i < begin + inner; ++i) {
      auto total = static_cast<Accumulator<C>>(S::kOfNothing);
      for (int64_t step = 0; step < count; ++step) {
        C& value = values[i + (along.reverse ? count - 1 - step : step) * inner];
        const auto next = S::Next(total, static_cast<Accumulator<C>>(value));
        value = static_cast<C>(along.exclusive ? total : next);
        total = next;
      }
    }
  }
  return Store(x.dtype(), x.dims(), values);
}

//   Errors: UNIMPLEMENTED for a dtype that is not of `dtypes`, and those of ReadAlong
template <typename S>
Kernel ScanKernel(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const Tensor& x = context.inputs[0];
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), dtypes));
    TAGFLOW_ASSIGN_OR_RETURN(const Along along, ReadAlong(context));
    return WithComputingType(x.dtype(), [&]<typename C>(Computing<C>) -> Status {
      if constexpr (NumberElement<C> && requires(Accumulator<C> a) { S::Next(a, a); }) {
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Scan<S, C>(x, along)));
        return Status();
      } else {
        return RequireDType(context.node.op, x.dtype(), {});
      }
    });
  };
}

}  // namespace

Status RegisterScanKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {
                         {"Cumsum", ScanKernel<Cumsum>(kNumbers)},
                         {"Cumprod", ScanKernel<Cumprod>(kNumbers)},
                         {"CumulativeLogsumexp", ScanKernel<CumulativeLogsumexp>(kFloating)},
                     });
}

}  // namespace tagflow::reference
