#ifndef TAGFLOW_OPTIMIZED_FUNCTION_CALLS_H_
#define TAGFLOW_OPTIMIZED_FUNCTION_CALLS_H_

// How a kernel calls a function of the graph: as a step of the function's body.

#include <string>
#include <vector>

#include "graph/attr_value.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

class KernelContext;

// A place in a graph where a function is called.
struct FunctionCall {
  NameAttrList function;
  std::string name;  // what the names of the body's nodes begin with: "if/then"
  int depth = 0;     // calls that the caller is in
};

class FunctionCalls {
 public:
  virtual ~FunctionCalls() = default;
  // Runs the body within the step of `context`: on its resources, and within its limits.
  //   tag: of the body's nodes that are in no frame of their own: "f[3]"
  //   returns: the function's results, of whatever types
  //   Errors: of the body, with its nodes and tags; INVALID_ARGUMENT for args of other types than
  //   the function takes; RESOURCE_EXHAUSTED for calls that are too deep. Spec: [functional.call],
  //   [functional.recursion]
  virtual Result<std::vector<Tensor>> Run(const FunctionCall& call, std::vector<Tensor> args,
                                          const std::string& tag, KernelContext& context) = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FUNCTION_CALLS_H_
