#ifndef TAGFLOW_CONFORMANCE_GRADIENTS_GRADIENT_CASES_H_
#define TAGFLOW_CONFORMANCE_GRADIENTS_GRADIENT_CASES_H_

// Programs with their gradients, each of which some system has got wrong, and what must come out:
// numbers from closed forms, small enough to be exact. gradient_cases_test.cc runs them as they are
// differentiated now; write_gradient_cases.cc makes cases of them, for every other engine.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"

namespace tagflow::conformance {

struct GradientStep {
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<Tensor> expect;  // by fetch, bit for bit
};

struct GradientCase {
  std::string name;  // begins with the number of the bug
  std::string about;
  std::vector<std::string> rules;
  std::vector<std::string> fetches;
  std::vector<GradientStep> steps;
  // Makes the graph in an empty scope.
  std::function<void(const Scope&)> build;
};

const std::vector<GradientCase>& GradientCases();

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GRADIENTS_GRADIENT_CASES_H_
