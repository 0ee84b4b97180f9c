#ifndef TAGFLOW_REFERENCE_BODIES_H_
#define TAGFLOW_REFERENCE_BODIES_H_

// The functions that a session's steps have called so far, each made ready to be run, by the node
// that calls it.
//
// Tested by session_test.cc.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/function_body.h"
#include "reference/program.h"

namespace tagflow::reference {

// The gradients by a function's arguments, for these and the gradients by its results.
// Spec: [functional.gradient]
using FunctionGradient = Result<std::vector<Tensor>> (*)(const FunctionBody& function,
                                                         const std::vector<Tensor>& args,
                                                         const std::vector<Tensor>& grads);

struct Body {
  FunctionBody function;
  Program program;  // feeds: its arguments; fetches: its results; targets: its effects
};

class Bodies {
 public:
  // kernels: outlive this
  explicit Bodies(const KernelRegistry& kernels) : kernels_(kernels) {}

  // The body that `function` names for a node of the caller, both of which outlive this.
  //   name: begins the names of its nodes, and tells it from other bodies of the node
  //   Errors: as InstantiateFunction and PrepareProgram
  Result<const Body*> Find(const Graph& caller, const Node& node, const NameAttrList& function,
                           const std::string& name);

 private:
  const KernelRegistry& kernels_;
  std::map<std::pair<const Node*, std::string>, std::unique_ptr<Body>> bodies_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_BODIES_H_
