// Functions of one number. What is not a single IEEE operation is computed in double and rounded
// once, so that a half's or a float's answer is the nearest one but for rare ties.

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"
#include "reference/kernels/from_double.h"

namespace tagflow::reference {
namespace {

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
TAGFLOW_STD_FUNCTION(Tan, tan);
TAGFLOW_STD_FUNCTION(Asin, asin);
TAGFLOW_STD_FUNCTION(Acos, acos);
TAGFLOW_STD_FUNCTION(Atan, atan);
TAGFLOW_STD_FUNCTION(Sinh, sinh);
TAGFLOW_STD_FUNCTION(Cosh, cosh);
TAGFLOW_STD_FUNCTION(Tanh, tanh);
TAGFLOW_STD_FUNCTION(Asinh, asinh);
TAGFLOW_STD_FUNCTION(Acosh, acosh);
TAGFLOW_STD_FUNCTION(Atanh, atanh);
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
  auto operator()(auto x) const { return Expm1(x); }
};
struct Log1pFunction {
  auto operator()(auto x) const { return Log1p(x); }
};

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
                                   {"Expm1", UnaryKernel(kContinuous, FromDouble<Expm1Function>())},
                                   {"Log", UnaryKernel(kContinuous, Log())},
                                   {"Log1p", UnaryKernel(kContinuous, FromDouble<Log1pFunction>())},
                                   {"Sin", UnaryKernel(kContinuous, Sin())},
                                   {"Cos", UnaryKernel(kContinuous, Cos())},
                                   {"Tan", UnaryKernel(kContinuous, Tan())},
                                   {"Asin", UnaryKernel(kContinuous, Asin())},
                                   {"Acos", UnaryKernel(kContinuous, Acos())},
                                   {"Atan", UnaryKernel(kContinuous, Atan())},
                                   {"Sinh", UnaryKernel(kContinuous, Sinh())},
                                   {"Cosh", UnaryKernel(kContinuous, Cosh())},
                                   {"Tanh", UnaryKernel(kContinuous, Tanh())},
                                   {"Asinh", UnaryKernel(kContinuous, Asinh())},
                                   {"Acosh", UnaryKernel(kContinuous, Acosh())},
                                   {"Atanh", UnaryKernel(kContinuous, Atanh())},
                                   {"Sigmoid", UnaryKernel(kContinuous, Sigmoid())},
                                   {"Floor", UnaryKernel(kFloating, Floor())},
                                   {"Ceil", UnaryKernel(kFloating, Ceil())},
                                   {"Round", UnaryKernel(kRound, Round())},
                                   {"Rint", UnaryKernel(kRint, Round())},
                                   {"IsNan", UnaryKernel(kFloating, IsNan())},
                                   {"IsInf", UnaryKernel(kFloating, IsInf())},
                                   {"IsFinite", UnaryKernel(kFloating, IsFinite())},
                               });
}

}  // namespace tagflow::reference
