#ifndef TAGFLOW_OPTIMIZED_FORMULAS_ACTIVATIONS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_ACTIVATIONS_H_

// Activation functions of neural networks, and their gradients. The gradients take the gradient of
// what follows first, then the function's input or (Elu, Selu) its output.
//
// Tested by conformance/ops/activation.ops.

#include <cmath>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

struct Relu : Hot {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x < C(0) ? C(0) : x;
  }
};
struct Relu6 {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x < C(0) ? C(0) : x > C(6) ? C(6) : x;
  }
};
// Products, so that a gradient of infinity or NaN is NaN where the feature is out of range.
struct ReluGrad : Hot {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C dy, C feature) const {
    return Times(dy, feature > C(0) ? C(1) : C(0));
  }
};
struct Relu6Grad {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C dy, C feature) const {
    return Times(dy, feature > C(0) && feature < C(6) ? C(1) : C(0));
  }
};

// `alpha` is rounded to the dtype first.
struct LeakyRelu {
  double alpha;
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x > C(0) ? x : x * C(alpha);
  }
};
struct LeakyReluGrad {
  double alpha;
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C dy, C feature) const {
    return feature > C(0) ? dy : dy * C(alpha);
  }
};

template <Floating C>
TAGFLOW_ANYWHERE C ExpMinusOneOf(C x) {
  return ByDouble(x, [](double value) { return std::expm1(value); });
}
struct Elu {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x < C(0) ? ExpMinusOneOf(x) : x;
  }
};
struct EluGrad {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C dy, C y) const {
    return y < C(0) ? (y + C(1)) * dy : dy;
  }
};

// The fixed point of mean 0 and variance 1 (Klambauer et al., "Self-Normalizing Neural Networks").
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x < C(0) ? C(kSeluScaleAlpha) * ExpMinusOneOf(x) : C(kSeluScale) * x;
  }
};
struct SeluGrad {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C dy, C y) const {
    return dy * (y < C(0) ? y + C(kSeluScaleAlpha) : C(kSeluScale));
  }
};

// log(1 + exp(x)), with an exponential that does not overflow.
struct Softplus {
  TAGFLOW_ANYWHERE double operator()(double x) const {
    return (x > 0 ? x : 0) + std::log1p(std::exp(x > 0 ? -x : x));
  }
};
struct SoftplusGrad {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C dy, C x) const {
    return dy / (ByDouble(-x, [](double value) { return std::exp(value); }) + C(1));
  }
};

template <Floating C>
TAGFLOW_ANYWHERE C OnePlusMagnitude(C x) {
  return C(1) + (x < C(0) ? -x : x);
}
struct Softsign {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x) const {
    return x / OnePlusMagnitude(x);
  }
};
struct SoftsignGrad {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C dy, C x) const {
    return dy / (OnePlusMagnitude(x) * OnePlusMagnitude(x));
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_ACTIVATIONS_H_
