// The parts of complex numbers, and complex numbers of their parts.

#include <cmath>
#include <complex>

#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

using Wide = std::complex<double>;

struct Magnitude {
  double operator()(Wide z) const { return std::abs(z); }
};
struct Angle {
  double operator()(Wide z) const { return std::arg(z); }
};
struct RealPart {
  double operator()(Wide z) const { return z.real(); }
};
struct ImaginaryPart {
  double operator()(Wide z) const { return z.imag(); }
};

DType PartOf(DType complex) {
  return complex == DType::kComplex64 ? DType::kFloat : DType::kDouble;
}

// INVALID_ARGUMENT unless the attr Tout says the dtype that goes with the input's: float with
// complex64, double with complex128.
Status RequireOutput(const Binding& binding, DType wanted) {
  const DType target = binding.output_dtype(0);
  if (target == wanted) return Status();
  return InvalidArgument("op " + binding.node.op + " of " + DTypeName(binding.input_dtype(0)) +
                         " gives " + DTypeName(wanted) + ", not " + DTypeName(target) +
                         " as its attr Tout says");
}

// A real number of each complex one, computed in double and rounded once.
//   inputs[0]: complex64 or complex128;  output: float or double, which the attr Tout has to say
template <typename F>
Result<BoundKernel> BindPart(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kComplexes));
  const DType part = PartOf(dtype);
  TAGFLOW_RETURN_IF_ERROR(RequireOutput(binding, part));
  const MapLoop loop = {ComputeMap<F, Wide>,
                        {dtype, part, WidestWidening(dtype), WidestWidening(part)}};
  return BoundKernel([loop](KernelContext& context) { return RunMap(loop, context); });
}

struct Conj {
  template <Complex C>
  C operator()(C z) const {
    return std::conj(z);
  }
};

struct OfParts {
  template <std::floating_point C>
  std::complex<C> operator()(C real, C imaginary) const {
    return {real, imaginary};
  }
};
//   real, imag: both float or both double, shapes that broadcast;  output: complex, as Tout says
Result<BoundKernel> BindComplex(const Binding& binding) {
  const DType part = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, part, SetOf(DType::kFloat, DType::kDouble)));
  const bool is_float = part == DType::kFloat;
  const DType whole = is_float ? DType::kComplex64 : DType::kComplex128;
  TAGFLOW_RETURN_IF_ERROR(RequireOutput(binding, whole));
  const PairLoop loop = {is_float ? ComputePairs<OfParts, float> : ComputePairs<OfParts, double>,
                         {part, whole, nullptr, nullptr}};
  return BoundKernel([loop](KernelContext& context) { return RunPairs(loop, context); });
}

}  // namespace

Status RegisterComplexKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Angle", BindPart<Angle>},
                                   {"Complex", BindComplex},
                                   {"ComplexAbs", BindPart<Magnitude>},
                                   {"Conj", Map<Conj>(kComplexes)},
                                   {"Imag", BindPart<ImaginaryPart>},
                                   {"Real", BindPart<RealPart>},
                               });
}

}  // namespace tagflow::optimized
