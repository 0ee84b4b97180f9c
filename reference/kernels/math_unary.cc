// Functions of one number. What is not a single IEEE operation is computed in double and rounded
// once, so that a half's or a float's answer is the nearest one but for rare ties.

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// A formula from a function object over double (and std::complex<double>, where it takes one).
template <typename F>
struct FromDouble {
  template <FloatElement C>
  C operator()(C x) const {
    return InDouble(x, F());
  }
  template <ComplexElement C>
  requires std::invocable<F, std::complex<double>> C operator()(C x) const {
    return InDouble(x, F());
  }
};

// A name of namespace std as a function object for FromDouble.
#define TAGFLOW_STD_FUNCTION(Name, function)                   \
  struct Name##Function {                                      \
    auto operator()(auto x) const { return std::function(x); } \
  };                                                           \
  using Name = FromDouble<Name##Function>
// As above, for functions without a complex form.
#define TAGFLOW_STD_REAL_FUNCTION(Name, function)                  \
  struct Name##Function {                                          \
    double operator()(double x) const { return std::function(x); } \
  };                                                               \
  using Name = FromDouble<Name##Function>

TAGFLOW_STD_FUNCTION(Sqrt, sqrt);
TAGFLOW_STD_FUNCTION(Exp, exp);
TAGFLOW_STD_FUNCTION(Log, log);
TAGFLOW_STD_FUNCTION(Sin, sin);
TAGFLOW_STD_FUNCTION(Cos, cos);
TAGFLOW_STD_FUNCTION(Tanh, tanh);
TAGFLOW_STD_REAL_FUNCTION(Erf, erf);
TAGFLOW_STD_REAL_FUNCTION(Floor, floor);
TAGFLOW_STD_REAL_FUNCTION(Ceil, ceil);
#undef TAGFLOW_STD_FUNCTION
#undef TAGFLOW_STD_REAL_FUNCTION

struct RsqrtFunction {
  auto operator()(auto x) const { return 1.0 / std::sqrt(x); }
};
using Rsqrt = FromDouble<RsqrtFunction>;

// exp(x) - 1 and log(1 + x), exact near 0.
struct Expm1Function {
  double operator()(double x) const { return std::expm1(x); }
  std::complex<double> operator()(std::complex<double> x) const {
    const double half_sine = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
            std::exp(x.real()) * std::sin(x.imag())};
  }
};
using Expm1 = FromDouble<Expm1Function>;
struct Log1pFunction {
  double operator()(double x) const { return std::log1p(x); }
  std::complex<double> operator()(std::complex<double> x) const {
    return {std::log1p(x.real() * (2 + x.real()) + x.imag() * x.imag()) / 2,
            std::atan2(x.imag(), 1 + x.real())};
  }
};
using Log1p = FromDouble<Log1pFunction>;

// 1 / (1 + exp(-x)), written so that exp does not overflow.
struct SigmoidFunction {
  double operator()(double x) const {
    if (x < 0) return std::exp(x) / (1 + std::exp(x));
    return 1 / (1 + std::exp(-x));
  }
  std::complex<double> operator()(std::complex<double> x) const {
    return 1.0 / (1.0 + std::exp(-x));
  }
};
using Sigmoid = FromDouble<SigmoidFunction>;

// log(1 + exp(x)), written so that exp does not overflow.
struct SoftplusFunction {
  double operator()(double x) const {
    return (x > 0 ? x : 0) + std::log1p(std::exp(x > 0 ? -x : x));
  }
};
using Softplus = FromDouble<SoftplusFunction>;

// To the nearest integer, halves to the even one. Integers are there already.
struct Round {
  template <IntegerElement C>
  C operator()(C x) const {
    return x;
  }
  template <FloatElement C>
  C operator()(C x) const {
    return InDouble(x, [](double value) { return std::nearbyint(value); });
  }
};

struct Neg {
  template <NumberElement C>
  C operator()(C x) const {
    return Negate(x);
  }
};
// The least integer has no absolute value: it wraps to itself.
struct Abs {
  template <IntegerElement C>
  C operator()(C x) const {
    return x < 0 ? Negate(x) : x;
  }
  template <FloatElement C>
  C operator()(C x) const {
    return InDouble(x, [](double value) { return std::fabs(value); });
  }
};
// -1, 0 (also of -0) or 1; NaN of NaN; of a complex number the point of the unit circle.
struct Sign {
  template <RealElement C>
  C operator()(C x) const {
    if (x != x) return x;
    return x > C(0) ? C(1) : x < C(0) ? C(-1) : C(0);
  }
  template <ComplexElement C>
  C operator()(C x) const {
    return x == C(0) ? C(0) : InDouble(x, [](std::complex<double> z) { return z / std::abs(z); });
  }
};
struct Square {
  template <NumberElement C>
  C operator()(C x) const {
    return Times(x, x);
  }
};
struct Reciprocal {
  template <ContinuousElement C>
  C operator()(C x) const {
    return C(1) / x;
  }
};
struct Relu {
  template <RealElement C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x;
  }
};

struct IsNan {
  template <FloatElement C>
  bool operator()(C x) const {
    return std::isnan(static_cast<double>(x));
  }
};
struct IsInf {
  template <FloatElement C>
  bool operator()(C x) const {
    return std::isinf(static_cast<double>(x));
  }
};
struct IsFinite {
  template <FloatElement C>
  bool operator()(C x) const {
    return std::isfinite(static_cast<double>(x));
  }
};

// The magnitude of a complex number.
//   inputs[0]: complex64 or complex128;  output: float or double, which the attr Tout has to say
//   Errors: UNIMPLEMENTED for another dtype, INVALID_ARGUMENT for another Tout
Status ComplexAbs(KernelContext& context) {
  const Tensor& x = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), kComplexes));
  TAGFLOW_ASSIGN_OR_RETURN(const DType target, TypeAttr(context.node, "Tout"));
  if (target != (x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble)) {
    return InvalidArgument("the magnitude of " + DTypeName(x.dtype()) + " is no " +
                           DTypeName(target));
  }
  auto compute = [&](auto zero) -> Status {
    using Real = decltype(zero);
    std::vector<Real> values;
    for (const auto& z : Load<std::complex<Real>>(x)) {
      values.push_back(static_cast<Real>(std::abs(std::complex<double>(z))));
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DTypeOf<Real>::value, x.dims(), values));
    return Status();
  };
  return x.dtype() == DType::kComplex64 ? compute(float()) : compute(double());
}

}  // namespace

Status RegisterMathUnaryKernels(KernelRegistry& registry) {
  constexpr DTypeSet kContinuous = kFloating | kComplexes;
  constexpr DTypeSet kRound = kFloating | DTypeSet{DType::kInt32, DType::kInt64};
  constexpr DTypeSet kRint = {DType::kFloat, DType::kDouble};
  return RegisterAll(registry, {
                                   {"Neg", UnaryKernel(kSigned | kContinuous, Neg())},
                                   {"Abs", UnaryKernel(kSigned | kFloating, Abs())},
                                   {"Sign", UnaryKernel(kSigned | kContinuous, Sign())},
                                   {"Square", UnaryKernel(kNumbers, Square())},
                                   {"Sqrt", UnaryKernel(kContinuous, Sqrt())},
                                   {"Rsqrt", UnaryKernel(kContinuous, Rsqrt())},
                                   {"Reciprocal", UnaryKernel(kContinuous, Reciprocal())},
                                   {"Inv", UnaryKernel(kContinuous, Reciprocal())},
                                   {"Exp", UnaryKernel(kContinuous, Exp())},
                                   {"Expm1", UnaryKernel(kContinuous, Expm1())},
                                   {"Log", UnaryKernel(kContinuous, Log())},
                                   {"Log1p", UnaryKernel(kContinuous, Log1p())},
                                   {"Sin", UnaryKernel(kContinuous, Sin())},
                                   {"Cos", UnaryKernel(kContinuous, Cos())},
                                   {"Tanh", UnaryKernel(kContinuous, Tanh())},
                                   {"Sigmoid", UnaryKernel(kContinuous, Sigmoid())},
                                   {"Erf", UnaryKernel(kFloating, Erf())},
                                   {"Softplus", UnaryKernel(kFloating, Softplus())},
                                   {"Floor", UnaryKernel(kFloating, Floor())},
                                   {"Ceil", UnaryKernel(kFloating, Ceil())},
                                   {"Round", UnaryKernel(kRound, Round())},
                                   {"Rint", UnaryKernel(kRint, Round())},
                                   {"Relu", UnaryKernel(kReals, Relu())},
                                   {"IsNan", UnaryKernel(kFloating, IsNan())},
                                   {"IsInf", UnaryKernel(kFloating, IsInf())},
                                   {"IsFinite", UnaryKernel(kFloating, IsFinite())},
                                   {"ComplexAbs", ComplexAbs},
                               });
}

}  // namespace tagflow::reference
