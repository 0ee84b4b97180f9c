// The special functions as kernels: computed in double (special_functions.h) and rounded once.

#include <algorithm>

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"
#include "reference/kernels/from_double.h"
#include "reference/kernels/special_functions.h"

namespace tagflow::reference {
namespace {

using Function = double (*)(double);
using BinaryFunction = double (*)(double, double);

struct Of {
  Function function;
  template <FloatElement C>
  C operator()(C x) const {
    return InDouble(x, function);
  }
};
struct OfTwo {
  BinaryFunction function;
  template <std::floating_point C>
  C operator()(C x, C y) const {
    return static_cast<C>(function(x, y));
  }
};

constexpr DTypeSet kWideFloats = {DType::kFloat, DType::kDouble};

// The one shape of those inputs that are no scalars.
//   Errors: INVALID_ARGUMENT where two differ
Result<Dims> OneShape(const std::vector<Tensor>& inputs) {
  Dims shape;
  for (const Tensor& input : inputs) {
    if (input.rank() == 0) continue;
    if (!shape.empty() && !std::ranges::equal(shape, input.dims())) {
      return InvalidArgument("inputs that are no scalars must have one shape, not " +
                             DimsString(shape) + " and " + DimsString(input.dims()));
    }
    shape = ToDims(input.dims());
  }
  return shape;
}

//   a, b, x: float or double, of one shape but for scalars
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status Betainc(KernelContext& context) {
  const std::vector<Tensor>& inputs = context.inputs;
  const DType dtype = inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kWideFloats));
  for (size_t i : {1, 2}) {
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, dtype, inputs[i].dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, OneShape(inputs));
  auto compute = [&](auto zero) -> Status {
    using C = decltype(zero);
    const std::vector<C> a = Load<C>(inputs[0]), b = Load<C>(inputs[1]), x = Load<C>(inputs[2]);
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(dims));
    std::vector<C> values;
    for (int64_t i = 0; i < size; ++i) {
      auto at = [i](const std::vector<C>& v) { return v.size() == 1 ? v[0] : v[i]; };
      values.push_back(static_cast<C>(IncompleteBeta(at(a), at(b), at(x))));
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(dtype, dims, values));
    return Status();
  };
  return dtype == DType::kFloat ? compute(float()) : compute(double());
}

double Erf(double x) { return std::erf(x); }
double Erfc(double x) { return std::erfc(x); }

}  // namespace

Status RegisterSpecialKernels(KernelRegistry& registry) {
  constexpr DTypeSet kNotBFloat16 = kFloating - DTypeSet{DType::kBFloat16};
  return RegisterAll(registry,
                     {
                         {"Lgamma", UnaryKernel(kNotBFloat16, Of{LogGamma})},
                         {"Digamma", UnaryKernel(kNotBFloat16, Of{Digamma})},
                         {"Erf", UnaryKernel(kFloating, Of{Erf})},
                         {"Erfc", UnaryKernel(kFloating, Of{Erfc})},
                         {"Erfinv", UnaryKernel(kWideFloats, Of{InverseErf})},
                         {"Ndtri", UnaryKernel(kWideFloats, Of{InverseNormal})},
                         {"Igamma", BroadcastKernel(kWideFloats, OfTwo{LowerGamma})},
                         {"Igammac", BroadcastKernel(kWideFloats, OfTwo{UpperGamma})},
                         {"IgammaGradA", BroadcastKernel(kWideFloats, OfTwo{LowerGammaSlope})},
                         {"Zeta", BroadcastKernel(kWideFloats, OfTwo{HurwitzZeta})},
                         {"Polygamma", BroadcastKernel(kWideFloats, OfTwo{Polygamma})},
                         {"Betainc", Betainc},
                         {"BesselI0", UnaryKernel(kNotBFloat16, Of{BesselI0})},
                         {"BesselI0e", UnaryKernel(kNotBFloat16, Of{BesselI0e})},
                         {"BesselI1", UnaryKernel(kNotBFloat16, Of{BesselI1})},
                         {"BesselI1e", UnaryKernel(kNotBFloat16, Of{BesselI1e})},
                         {"BesselJ0", UnaryKernel(kNotBFloat16, Of{BesselJ0})},
                         {"BesselJ1", UnaryKernel(kNotBFloat16, Of{BesselJ1})},
                         {"BesselK0", UnaryKernel(kNotBFloat16, Of{BesselK0})},
                         {"BesselK0e", UnaryKernel(kNotBFloat16, Of{BesselK0e})},
                         {"BesselK1", UnaryKernel(kNotBFloat16, Of{BesselK1})},
                         {"BesselK1e", UnaryKernel(kNotBFloat16, Of{BesselK1e})},
                         {"BesselY0", UnaryKernel(kNotBFloat16, Of{BesselY0})},
                         {"BesselY1", UnaryKernel(kNotBFloat16, Of{BesselY1})},
                         {"Dawsn", UnaryKernel(kWideFloats, Of{Dawson})},
                         {"Expint", UnaryKernel(kWideFloats, Of{ExponentialIntegral})},
                         {"FresnelCos", UnaryKernel(kWideFloats, Of{FresnelCosine})},
                         {"FresnelSin", UnaryKernel(kWideFloats, Of{FresnelSine})},
                         {"Spence", UnaryKernel(kWideFloats, Of{Dilogarithm})},
                     });
}

}  // namespace tagflow::reference
