#ifndef TAGFLOW_OPTIMIZED_FORMULAS_GRADIENTS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_GRADIENTS_H_

// The gradients of elementwise functions, as ops of their own: from the function's output y and the
// gradient dy of what follows. For complex y, those of square roots and reciprocals take its
// conjugate; those of Tanh and Sigmoid leave that to the graph.
//
// Tested by conformance/ops/math.ops.

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

struct TanhGrad : Hot {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C y, C dy) const {
    return dy * (C(1) - y * y);
  }
};
struct SigmoidGrad : Hot {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C y, C dy) const {
    return dy * (y * (C(1) - y));
  }
};
// These are 0 for a gradient of 0, also where y is 0 or infinite.
struct SqrtGrad {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C y, C dy) const {
    return dy == C(0) ? C(0) : C(0.5) * dy / Conjugated(y);
  }
};
struct RsqrtGrad {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C y, C dy) const {
    const C z = Conjugated(y);
    return dy == C(0) ? C(0) : C(-0.5) * dy * z * (z * z);
  }
};
struct ReciprocalGrad {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C y, C dy) const {
    const C z = Conjugated(y);
    return dy == C(0) ? C(0) : -(z * z) * dy;
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_GRADIENTS_H_
