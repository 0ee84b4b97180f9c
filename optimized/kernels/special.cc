// The special functions as kernels: computed in double (special_functions.h) and rounded once.

#include <cmath>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/small_vector.h"
#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

double Erf(double x) { return std::erf(x); }
double Erfc(double x) { return std::erfc(x); }

template <double (*function)(double)>
struct Of {
  double operator()(double x) const { return function(x); }
};
template <double (*function)(double, double)>
struct OfTwo {
  template <std::floating_point C>
  C operator()(C x, C y) const {
    return static_cast<C>(function(x, y));
  }
};

// The one shape of those inputs that are no scalars.
//   Errors: INVALID_ARGUMENT where two differ
Result<DimsView> OneShape(const KernelContext& context) {
  DimsView shape;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const DimsView dims = context.input(i).dims();
    if (dims.empty()) continue;
    if (!shape.empty() && !SameDims(shape, dims)) {
      return InvalidArgument("inputs that are no scalars must have one shape, not " +
                             DimsString(shape) + " and " + DimsString(dims));
    }
    shape = dims;
  }
  return shape;
}

//   a, b, x: float or double, of one shape but for scalars
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status Betainc(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const DimsView dims, OneShape(context));
  const DType dtype = context.input(0).dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
  TAGFLOW_ASSIGN_OR_RETURN(const auto a, ElementsAs<double>::OfWidest(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto b, ElementsAs<double>::OfWidest(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<double>::OfWidest(context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<double>::OfWidest(*out));
  const auto at = [](const auto& elements, int64_t i) {
    return elements[elements.size() == 1 ? 0 : i];
  };
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    y[i] = IncompleteBeta(at(a, i), at(b, i), at(x, i));
  }
  y.Finish();
  return Status();
}

constexpr DTypeSet kWideFloats = SetOf(DType::kFloat, DType::kDouble);

Result<BoundKernel> BindBetainc(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kWideFloats));
  return BoundKernel(Betainc);
}

}  // namespace

Status RegisterSpecialKernels(KernelRegistry& registry) {
  constexpr DTypeSet kNotBFloat16 = kFloats & ~SetOf(DType::kBFloat16);
  return RegisterAll(registry,
                     {
                         {"BesselI0", DoubleMap<Of<BesselI0>>(kNotBFloat16)},
                         {"BesselI0e", DoubleMap<Of<BesselI0e>>(kNotBFloat16)},
                         {"BesselI1", DoubleMap<Of<BesselI1>>(kNotBFloat16)},
                         {"BesselI1e", DoubleMap<Of<BesselI1e>>(kNotBFloat16)},
                         {"BesselJ0", DoubleMap<Of<BesselJ0>>(kNotBFloat16)},
                         {"BesselJ1", DoubleMap<Of<BesselJ1>>(kNotBFloat16)},
                         {"BesselK0", DoubleMap<Of<BesselK0>>(kNotBFloat16)},
                         {"BesselK0e", DoubleMap<Of<BesselK0e>>(kNotBFloat16)},
                         {"BesselK1", DoubleMap<Of<BesselK1>>(kNotBFloat16)},
                         {"BesselK1e", DoubleMap<Of<BesselK1e>>(kNotBFloat16)},
                         {"BesselY0", DoubleMap<Of<BesselY0>>(kNotBFloat16)},
                         {"BesselY1", DoubleMap<Of<BesselY1>>(kNotBFloat16)},
                         {"Betainc", BindBetainc, Cost::kHeavy},
                         {"Dawsn", DoubleMap<Of<Dawson>>(kWideFloats)},
                         {"Digamma", DoubleMap<Of<Digamma>>(kNotBFloat16)},
                         {"Erf", DoubleMap<Of<Erf>>(kFloats)},
                         {"Erfc", DoubleMap<Of<Erfc>>(kFloats)},
                         {"Erfinv", DoubleMap<Of<InverseErf>>(kWideFloats)},
                         {"Expint", DoubleMap<Of<ExponentialIntegral>>(kWideFloats)},
                         {"FresnelCos", DoubleMap<Of<FresnelCosine>>(kWideFloats)},
                         {"FresnelSin", DoubleMap<Of<FresnelSine>>(kWideFloats)},
                         {"Igamma", Pairs<OfTwo<LowerGamma>>(kWideFloats), Cost::kHeavy},
                         {"IgammaGradA", Pairs<OfTwo<LowerGammaSlope>>(kWideFloats), Cost::kHeavy},
                         {"Igammac", Pairs<OfTwo<UpperGamma>>(kWideFloats), Cost::kHeavy},
                         {"Lgamma", DoubleMap<Of<LogGamma>>(kNotBFloat16)},
                         {"Ndtri", DoubleMap<Of<InverseNormal>>(kWideFloats)},
                         {"Polygamma", Pairs<OfTwo<Polygamma>>(kWideFloats), Cost::kHeavy},
                         {"Spence", DoubleMap<Of<Dilogarithm>>(kWideFloats)},
                         {"Zeta", Pairs<OfTwo<HurwitzZeta>>(kWideFloats), Cost::kHeavy},
                     });
}

}  // namespace tagflow::optimized
