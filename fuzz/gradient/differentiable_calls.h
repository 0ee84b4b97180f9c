#ifndef TAGFLOW_FUZZ_GRADIENT_DIFFERENTIABLE_CALLS_H_
#define TAGFLOW_FUZZ_GRADIENT_DIFFERENTIABLE_CALLS_H_

// Calls to be differentiated: those of fuzz/kernels, in the same contexts, of ops that have a
// gradient. An input may lead nowhere.

#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// With real numbers to differentiate, more often than not.
GraphSample DrawDifferentiableCall(Choices& choices);

// What goes into the call and can be differentiated by.
std::vector<std::string> RealInputs(const GraphSample& call);
std::vector<std::string> RealFetches(const GraphSample& call);
// Whether weights of what is fetched reach the node as they are.
bool IsWeighed(const std::string& node);

// Of the dtype and shape, and none of them zero.
Tensor DrawWeights(const Tensor& like, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_DIFFERENTIABLE_CALLS_H_
