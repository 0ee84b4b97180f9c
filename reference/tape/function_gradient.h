#ifndef TAGFLOW_REFERENCE_TAPE_FUNCTION_GRADIENT_H_
#define TAGFLOW_REFERENCE_TAPE_FUNCTION_GRADIENT_H_

// The gradient of a function, for sessions of the reference that are to run SymbolicGradient.
//
// Tested by function_gradient_test.cc.

#include <vector>

#include "graph/function_body.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// Runs the body once and goes back over the run (tape.h). What is no floating number has zeros, and
// so has what no result depends on. To be a session's SessionOptions::differentiate.
//   args, grads: one per argument and result of the function
//   Output: one per argument, of its dtype and shape
//   Errors: as GradientsOfRun
Result<std::vector<Tensor>> GradientOfFunction(const FunctionBody& function,
                                               const std::vector<Tensor>& args,
                                               const std::vector<Tensor>& grads);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_FUNCTION_GRADIENT_H_
