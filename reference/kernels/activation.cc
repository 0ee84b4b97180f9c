// Activation functions of neural networks, and their gradients. The gradients take the gradient of
// what follows first, then the function's input or (Elu, Selu) its output.

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"
#include "reference/kernels/from_double.h"

namespace tagflow::reference {
namespace {

struct Relu {
  template <RealElement C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x;
  }
};
struct Relu6 {
  template <RealElement C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x > C(6) ? C(6) : x;
  }
};
// Products, so that a gradient of infinity or NaN is NaN where the feature is out of range.
struct ReluGrad {
  template <RealElement C>
  C operator()(C dy, C feature) const {
    return Times(dy, feature > C(0) ? C(1) : C(0));
  }
};
struct Relu6Grad {
  template <RealElement C>
  C operator()(C dy, C feature) const {
    return Times(dy, feature > C(0) && feature < C(6) ? C(1) : C(0));
  }
};

// `alpha` is rounded to the dtype first.
struct LeakyRelu {
  double alpha;
  template <FloatElement C>
  C operator()(C x) const {
    return x > C(0) ? x : x * C(alpha);
  }
};
struct LeakyReluGrad {
  double alpha;
  template <FloatElement C>
  C operator()(C dy, C feature) const {
    return feature > C(0) ? dy : dy * C(alpha);
  }
};

template <FloatElement C>
C ExpMinusOne(C x) {
  return InDouble(x, [](double value) { return std::expm1(value); });
}

struct Elu {
  template <FloatElement C>
  C operator()(C x) const {
    return x < C(0) ? ExpMinusOne(x) : x;
  }
};
struct EluGrad {
  template <FloatElement C>
  C operator()(C dy, C y) const {
    return y < C(0) ? (y + C(1)) * dy : dy;
  }
};

// The fixed point of mean 0 and variance 1 (Klambauer et al., "Self-Normalizing Neural Networks").
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  template <FloatElement C>
  C operator()(C x) const {
    return x < C(0) ? C(kSeluScaleAlpha) * ExpMinusOne(x) : C(kSeluScale) * x;
  }
};
struct SeluGrad {
  template <FloatElement C>
  C operator()(C dy, C y) const {
    return y < C(0) ? dy * (y + C(kSeluScaleAlpha)) : dy * C(kSeluScale);
  }
};

// log(1 + exp(x)), written so that exp does not overflow.
struct SoftplusFunction {
  double operator()(double x) const {
    return (x > 0 ? x : 0) + std::log1p(std::exp(x > 0 ? -x : x));
  }
};
struct SoftplusGrad {
  template <FloatElement C>
  C operator()(C dy, C x) const {
    return dy / (InDouble(-x, [](double value) { return std::exp(value); }) + C(1));
  }
};

template <FloatElement C>
C OnePlusMagnitude(C x) {
  return C(1) + (x < C(0) ? -x : x);
}
struct Softsign {
  template <FloatElement C>
  C operator()(C x) const {
    return x / OnePlusMagnitude(x);
  }
};
struct SoftsignGrad {
  template <FloatElement C>
  C operator()(C dy, C x) const {
    return dy / (OnePlusMagnitude(x) * OnePlusMagnitude(x));
  }
};

Status LeakyReluKernel(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(context.node, "alpha"));
  return UnaryKernel(kFloating, LeakyRelu{alpha})(context);
}
Status LeakyReluGradKernel(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(context.node, "alpha"));
  return SameShapeKernel(kFloating, LeakyReluGrad{alpha})(context);
}

}  // namespace

Status RegisterActivationKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {
                         {"Relu", UnaryKernel(kReals, Relu())},
                         {"Relu6", UnaryKernel(kReals, Relu6())},
                         {"LeakyRelu", LeakyReluKernel},
                         {"Elu", UnaryKernel(kFloating, Elu())},
                         {"Selu", UnaryKernel(kFloating, Selu())},
                         {"Softplus", UnaryKernel(kFloating, FromDouble<SoftplusFunction>())},
                         {"Softsign", UnaryKernel(kFloating, Softsign())},
                         {"ReluGrad", SameShapeKernel(kReals, ReluGrad())},
                         {"Relu6Grad", SameShapeKernel(kReals, Relu6Grad())},
                         {"LeakyReluGrad", LeakyReluGradKernel},
                         {"EluGrad", SameShapeKernel(kFloating, EluGrad())},
                         {"SeluGrad", SameShapeKernel(kFloating, SeluGrad())},
                         {"SoftplusGrad", SameShapeKernel(kFloating, SoftplusGrad())},
                         {"SoftsignGrad", SameShapeKernel(kFloating, SoftsignGrad())},
                     });
}

}  // namespace tagflow::reference
