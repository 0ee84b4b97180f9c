#ifndef TAGFLOW_TRANSFORM_GRADIENTS_BUILD_GRADIENTS_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_BUILD_GRADIENTS_H_

#include <map>

#include "transform/gradients/gradients.h"

namespace tagflow::internal {

// Gradients, without the checks of its arguments, and without going back when something fails.
//   flows: tensors that are flows of arrays, though no edge shows it, with the elements' dtype.
Result<OutputList> BuildGradients(const Scope& scope, const OutputList& ys, const OutputList& xs,
                                  const OutputList& grad_ys, const GradientOptions& options,
                                  const std::map<OutputRef, DType>& flows = {});

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_BUILD_GRADIENTS_H_
