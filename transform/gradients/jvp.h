#ifndef TAGFLOW_TRANSFORM_GRADIENTS_JVP_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_JVP_H_

// Derivatives along a direction: forward mode.

#include "transform/gradients/gradients.h"

namespace tagflow {

// For each y its derivative along `directions`: J v, where J is the matrix of derivatives of the ys
// by the xs and v the directions. A y that no x leads to gets an invalid Output.
//   directions: one per x, of its type and shape
//   Output: one per y, of its type and shape; live when y is
// The gradient J' u is linear in u, and its gradient by u in turn is J: so no op needs a second
// derivative rule. A Hessian-vector product is the Jvp of a gradient, or, with one loop less, the
// gradient of <gradient, v>.
//   Errors: as Gradients
Result<OutputList> Jvp(const Scope& scope, const OutputList& ys, const OutputList& xs,
                       const OutputList& directions, const GradientOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_JVP_H_
