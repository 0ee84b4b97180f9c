#include "reference/tape/function_gradient.h"

#include <iterator>
#include <string>
#include <utility>

#include "reference/kernels/cast.h"
#include "reference/session.h"
#include "reference/tape/tape.h"

namespace tagflow::reference {

Result<std::vector<Tensor>> GradientOfFunction(const FunctionBody& function,
                                               const std::vector<Tensor>& args,
                                               const std::vector<Tensor>& grads) {
  for (const std::vector<Tensor>* values : {&args, &grads}) {
    for (const Tensor& value : *values) {
      if (IsComplex(value.dtype())) return Unimplemented("the tape goes over no complex numbers");
    }
  }
  GradientCall call;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string name = function.graph.node(function.args[i]).name;
    call.feeds.emplace_back(name, args[i]);
    if (IsFloating(args[i].dtype())) call.xs.push_back(name);
  }
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!IsFloating(grads[i].dtype())) continue;
    call.ys.push_back(OutputName(function.graph, function.returns[i]));
    call.grad_ys.push_back(grads[i]);
  }
  SessionOptions options;
  options.any_device = true;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, Session::Create(function.graph.Clone(), options));
  TAGFLOW_ASSIGN_OR_RETURN(GradientRun run, GradientsOfRun(*session, call));

  std::vector<Tensor> gradients;
  auto next = run.gradients.begin();
  for (const Tensor& arg : args) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor gradient, Tensor::Allocate(arg.dtype(), arg.dims()));
    if (IsFloating(arg.dtype()) && (next++)->connected) {
      const std::vector<double> values = ToDoubles(std::prev(next)->gradient);
      TAGFLOW_ASSIGN_OR_RETURN(gradient, CastDoubles(arg.dtype(), arg.dims(), values));
    }
    gradients.push_back(std::move(gradient));
  }
  return gradients;
}

}  // namespace tagflow::reference
