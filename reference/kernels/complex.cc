// The parts of complex numbers, and complex numbers of their parts.

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// INVALID_ARGUMENT unless the attr Tout says the dtype that goes with the input's: float with
// complex64, double with complex128.
Status RequireTout(const KernelContext& context, DType wanted) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType target, TypeAttr(context.node, "Tout"));
  if (target == wanted) return Status();
  return InvalidArgument("op " + context.node.op + " of " + DTypeName(context.inputs[0].dtype()) +
                         " gives " + DTypeName(wanted) + ", not " + DTypeName(target) +
                         " as its attr Tout says");
}

// A real number of each complex one, computed in double and rounded once.
//   inputs[0]: complex64 or complex128;  output: float or double, which the attr Tout has to say
//   Errors: UNIMPLEMENTED for another dtype; INVALID_ARGUMENT for another Tout
template <typename F>
Kernel PartKernel(F part) {
  return [part](KernelContext& context) -> Status {
    const Tensor& x = context.inputs[0];
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), kComplexes));
    auto compute = [&](auto zero) -> Status {
      using Real = decltype(zero);
      TAGFLOW_RETURN_IF_ERROR(RequireTout(context, DTypeOf<Real>::value));
      std::vector<Real> values;
      for (const auto& z : Load<std::complex<Real>>(x)) {
        values.push_back(static_cast<Real>(part(std::complex<double>(z))));
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DTypeOf<Real>::value, x.dims(), values));
      return Status();
    };
    return x.dtype() == DType::kComplex64 ? compute(float()) : compute(double());
  };
}

struct Conjugate {
  template <ComplexElement C>
  C operator()(C x) const {
    return std::conj(x);
  }
};

//   real, imag: both float or both double, shapes that broadcast;  output: complex, as Tout says
//   Errors: UNIMPLEMENTED for another dtype; INVALID_ARGUMENT for another Tout, two dtypes, and for
//   shapes that do not broadcast
Status Complex(KernelContext& context) {
  const Tensor& real = context.inputs[0];
  const Tensor& imag = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, real.dtype(), {DType::kFloat, DType::kDouble}));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, real.dtype(), imag.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(real.dims(), imag.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const std::vector<int64_t> real_of = BroadcastIndices(real.dims(), dims);
  const std::vector<int64_t> imag_of = BroadcastIndices(imag.dims(), dims);
  auto compute = [&](auto zero) -> Status {
    using Real = decltype(zero);
    constexpr DType kTarget = DTypeOf<std::complex<Real>>::value;
    TAGFLOW_RETURN_IF_ERROR(RequireTout(context, kTarget));
    const std::vector<Real> reals = Load<Real>(real);
    const std::vector<Real> imags = Load<Real>(imag);
    std::vector<std::complex<Real>> values;
    for (size_t i = 0; i < real_of.size(); ++i) {
      values.emplace_back(reals[real_of[i]], imags[imag_of[i]]);
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(kTarget, dims, values));
    return Status();
  };
  return real.dtype() == DType::kFloat ? compute(float()) : compute(double());
}

}  // namespace

Status RegisterComplexKernels(KernelRegistry& registry) {
  using Number = std::complex<double>;
  return RegisterAll(registry, {
                                   {"ComplexAbs", PartKernel([](Number z) { return std::abs(z); })},
                                   {"Angle", PartKernel([](Number z) { return std::arg(z); })},
                                   {"Real", PartKernel([](Number z) { return z.real(); })},
                                   {"Imag", PartKernel([](Number z) { return z.imag(); })},
                                   {"Conj", UnaryKernel(kComplexes, Conjugate())},
                                   {"Complex", Complex},
                               });
}

}  // namespace tagflow::reference
