#ifndef TAGFLOW_FUZZ_GRADIENT_CALL_GRADIENTS_H_
#define TAGFLOW_FUZZ_GRADIENT_CALL_GRADIENTS_H_

// Gradients of single ops, of drawn dtypes, attrs and shapes, by everything real that goes in.

#include "fuzz/generate/choices.h"
#include "fuzz/gradient/graph_gradients.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// The gradient of what the call gives, weighed, is the tape's, within the root of eps * magnitude;
// and so is the gradient of that, now and then. What the reference refuses, what refers to
// memory or draws numbers, and numbers that are huge or none are not compared.
std::optional<std::string> CallGradientsEqualTape(const GraphSample& call, Choices& choices,
                                                  const GraphGradientCheck& check = {});

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_CALL_GRADIENTS_H_
