// Activation functions of neural networks, and their gradients. The gradients take the gradient of
// what follows first, then the function's input or (Elu, Selu) its output.

#include <cmath>

#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct Relu : Hot {
  template <Real C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x;
  }
};
struct Relu6 {
  template <Real C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x > C(6) ? C(6) : x;
  }
};
// Products, so that a gradient of infinity or NaN is NaN where the feature is out of range.
struct ReluGrad : Hot {
  template <Real C>
  C operator()(C dy, C feature) const {
    return Times(dy, feature > C(0) ? C(1) : C(0));
  }
};
struct Relu6Grad {
  template <Real C>
  C operator()(C dy, C feature) const {
    return Times(dy, feature > C(0) && feature < C(6) ? C(1) : C(0));
  }
};

// `alpha` is rounded to the dtype first.
struct LeakyRelu {
  double alpha;
  template <Floating C>
  C operator()(C x) const {
    return x > C(0) ? x : x * C(alpha);
  }
};
struct LeakyReluGrad {
  double alpha;
  template <Floating C>
  C operator()(C dy, C feature) const {
    return feature > C(0) ? dy : dy * C(alpha);
  }
};

template <Floating C>
C ExpMinusOneOf(C x) {
  return ByDouble(x, [](double value) { return std::expm1(value); });
}
struct Elu {
  template <Floating C>
  C operator()(C x) const {
    return x < C(0) ? ExpMinusOneOf(x) : x;
  }
};
struct EluGrad {
  template <Floating C>
  C operator()(C dy, C y) const {
    return y < C(0) ? (y + C(1)) * dy : dy;
  }
};

// The fixed point of mean 0 and variance 1 (Klambauer et al., "Self-Normalizing Neural Networks").
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  template <Floating C>
  C operator()(C x) const {
    return x < C(0) ? C(kSeluScaleAlpha) * ExpMinusOneOf(x) : C(kSeluScale) * x;
  }
};
struct SeluGrad {
  template <Floating C>
  C operator()(C dy, C y) const {
    return dy * (y < C(0) ? y + C(kSeluScaleAlpha) : C(kSeluScale));
  }
};

// log(1 + exp(x)), with an exponential that does not overflow.
struct Softplus {
  double operator()(double x) const {
    return (x > 0 ? x : 0) + std::log1p(std::exp(x > 0 ? -x : x));
  }
};
struct SoftplusGrad {
  template <Floating C>
  C operator()(C dy, C x) const {
    return dy / (ByDouble(-x, [](double value) { return std::exp(value); }) + C(1));
  }
};

template <Floating C>
C OnePlusMagnitude(C x) {
  return C(1) + (x < C(0) ? -x : x);
}
struct Softsign {
  template <Floating C>
  C operator()(C x) const {
    return x / OnePlusMagnitude(x);
  }
};
struct SoftsignGrad {
  template <Floating C>
  C operator()(C dy, C x) const {
    return dy / (OnePlusMagnitude(x) * OnePlusMagnitude(x));
  }
};

Result<BoundKernel> BindLeakyRelu(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(binding.node, "alpha"));
  return BindMap(binding, kFloats, kMapForms<LeakyRelu>, alpha);
}
Result<BoundKernel> BindLeakyReluGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(binding.node, "alpha"));
  return BindPairs(binding, kFloats, kPairForms<LeakyReluGrad>, PairShapes::kSame, alpha);
}

}  // namespace

Status RegisterActivationKernels(KernelRegistry& registry) {
  constexpr PairShapes kSame = PairShapes::kSame;
  return RegisterAll(registry, {
                                   {"Elu", Map<Elu>(kFloats)},
                                   {"EluGrad", Pairs<EluGrad>(kFloats, kSame)},
                                   {"LeakyRelu", BindLeakyRelu},
                                   {"LeakyReluGrad", BindLeakyReluGrad},
                                   {"Relu", Map<Relu>(kReals)},
                                   {"Relu6", Map<Relu6>(kReals)},
                                   {"Relu6Grad", Pairs<Relu6Grad>(kReals, kSame)},
                                   {"ReluGrad", Pairs<ReluGrad>(kReals, kSame)},
                                   {"Selu", Map<Selu>(kFloats)},
                                   {"SeluGrad", Pairs<SeluGrad>(kFloats, kSame)},
                                   {"Softplus", DoubleMap<Softplus>(kFloats)},
                                   {"SoftplusGrad", Pairs<SoftplusGrad>(kFloats, kSame)},
                                   {"Softsign", Map<Softsign>(kFloats)},
                                   {"SoftsignGrad", Pairs<SoftsignGrad>(kFloats, kSame)},
                               });
}

}  // namespace tagflow::optimized
