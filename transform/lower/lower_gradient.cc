// SymbolicGradient: the gradient of a function's body, made as a graph and put in the node's place;
// or the function that is registered as the gradient.
//
// Tested by lower_test.cc.

#include <string>
#include <utility>
#include <vector>

#include "graph/builder/array_ops.h"
#include "graph/builder/scope.h"
#include "transform/gradients/gradients.h"
#include "transform/lower/lower.h"
#include "transform/lower/node_lowering.h"

namespace tagflow {
namespace {

class GradientLowering : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;

 private:
  Status Lower() override {
    TAGFLOW_ASSIGN_OR_RETURN(NameAttrList function, FunctionAttr("f"));
    TAGFLOW_ASSIGN_OR_RETURN(FunctionBody body, MakeBody(function));
    const Outputs args = Gate();
    const Inlined inlined = inliner_.Put(task_, function, std::move(body), args, pivot_, name_);
    Become(inlined.returns, {inlined.done, pivot_}, inlined.done == NodeId::kNone);
    return Status();
  }

  // `function` becomes the one that the body is of.
  Result<FunctionBody> MakeBody(NameAttrList& function) {
    const std::vector<ArgType>& takes = signature_.inputs;
    const std::string* const registered = graph_.library.GradientOf(function.name);
    if (registered != nullptr) {
      function.name = *registered;
      return inliner_.Instantiate(task_, function, name_, takes, signature_.outputs);
    }
    if (takes.size() < signature_.outputs.size()) {
      return InvalidArgument("there are more gradients than arguments of function '" +
                             function.name + "'")
          .WithRule("functional.gradient");
    }
    const std::vector<ArgType> xs(takes.begin(), takes.begin() + NumArgs());
    TAGFLOW_ASSIGN_OR_RETURN(FunctionBody forward,
                             inliner_.Instantiate(task_, function, name_, xs, std::nullopt));
    if (forward.returns.size() != takes.size() - xs.size()) {
      return InvalidArgument("function '" + function.name + "' has " +
                             std::to_string(forward.returns.size()) + " results; there are " +
                             std::to_string(takes.size() - xs.size()) + " gradients by them")
          .WithRule("functional.gradient");
    }
    std::vector<std::string> within = task_.within;
    within.push_back(function.name);
    LowerFunctions(forward.graph, {.within = std::move(within), .depth = inliner_.depth()});
    return Differentiate(std::move(forward));
  }
  std::ptrdiff_t NumArgs() const { return static_cast<std::ptrdiff_t>(signature_.outputs.size()); }

  // What is no number has zeros as its gradient, and so has what no result depends on.
  Result<FunctionBody> Differentiate(FunctionBody forward) {
    std::vector<DType> result_dtypes;
    for (size_t i = forward.args.size(); i < signature_.inputs.size(); ++i) {
      result_dtypes.push_back(signature_.inputs[i].dtype);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Scope root, Scope::Open(std::move(forward.graph)));
    const Scope scope = root.SubScope(name_);
    OutputList ys, grad_ys, xs;
    FunctionBody body{Graph(graph_.registry()), std::move(forward.args), {}, {}};
    for (const NodeId arg : body.args) {
      const Output x = Output(root.state(), {arg, 0});
      if (IsDifferentiable(x.dtype())) xs.push_back(x);
    }
    for (size_t i = 0; i < result_dtypes.size(); ++i) {
      const Output grad = Placeholder(scope, result_dtypes[i]);
      body.args.push_back(grad.ref().node);
      if (!IsDifferentiable(result_dtypes[i])) continue;
      ys.push_back(Output(root.state(), forward.returns[i]));
      grad_ys.push_back(grad);
    }
    GradientOptions options;
    options.zeros_for_unreached = true;
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList found, Gradients(scope, ys, xs, grad_ys, options));
    size_t next = 0;
    for (size_t i = 0; i < static_cast<size_t>(NumArgs()); ++i) {
      const Output x = Output(root.state(), {body.args[i], 0});
      const Output gradient = IsDifferentiable(x.dtype()) ? found[next++] : ZerosLike(scope, x);
      body.returns.push_back(gradient.ref());
    }
    TAGFLOW_ASSIGN_OR_RETURN(body.graph, root.Finish());
    return body;
  }
  static bool IsDifferentiable(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }
};

}  // namespace

std::unique_ptr<NodeLowering> NewGradientLowering(Graph& graph, Inliner& inliner,
                                                  LoweringTask task) {
  return std::make_unique<GradientLowering>(graph, inliner, std::move(task));
}

}  // namespace tagflow
