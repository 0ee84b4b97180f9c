// Comparisons of two numbers, with broadcasting.

#include <cmath>
#include <string>

#include "optimized/formulas/comparisons.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the tables below are of nothing else
namespace {

// Shapes that do not broadcast are an error, or, with the attr incompatible_shape_error false,
// unequal as a whole: one bool.
template <typename F>
Result<BoundKernel> BindEquality(const Binding& binding) {
  constexpr DTypeSet kAny = kNumbers | SetOf(DType::kBool, DType::kString);
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_error, BoolAttr(binding.node, "incompatible_shape_error"));
  TAGFLOW_ASSIGN_OR_RETURN(BoundKernel compare, BindPairs(binding, kAny, kPairForms<F>));
  if (is_error) return compare;
  return BoundKernel([compare](KernelContext& context) -> Status {
    if (BroadcastShape(context.input(0).dims(), context.input(1).dims()).ok()) {
      return compare(context);
    }
    context.output(0).SetScalar(std::same_as<F, NotEqual>);
    return Status();
  });
}

// |x - y| <= tolerance
struct IsNear {
  double tolerance;
  template <std::floating_point C>
  bool operator()(C x, C y) const {
    return std::abs(x - y) <= static_cast<C>(tolerance);
  }
};
Result<BoundKernel> BindApproximateEqual(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const float tolerance, FloatAttr(binding.node, "tolerance"));
  return BindPairs(binding, SetOf(DType::kFloat, DType::kDouble), kPairForms<IsNear>,
                   PairShapes::kSame, tolerance);
}

}  // namespace

Status RegisterCompareKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"ApproximateEqual", BindApproximateEqual},
                                   {"Equal", BindEquality<Equal>},
                                   {"Greater", Pairs<Greater>(kReals)},
                                   {"GreaterEqual", Pairs<GreaterEqual>(kReals)},
                                   {"Less", Pairs<Less>(kReals)},
                                   {"LessEqual", Pairs<LessEqual>(kReals)},
                                   {"NotEqual", BindEquality<NotEqual>},
                               });
}

}  // namespace tagflow::optimized
