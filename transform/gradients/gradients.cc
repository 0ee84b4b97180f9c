#include "transform/gradients/gradients.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/array_flow.h"
#include "transform/gradients/build_gradients.h"
#include "transform/gradients/forward.h"
#include "transform/gradients/region.h"

namespace tagflow {
namespace {

using internal::BuildState;

Status CheckTensor(const Scope& scope, const Output& tensor, const std::string& what) {
  if (!tensor.valid() || tensor.state() != scope.state()) {
    return InvalidArgument(what + " is no tensor of this graph");
  }
  if (IsFloating(tensor.dtype()) || IsComplex(tensor.dtype())) return Status();
  return InvalidArgument(what + ", '" + tensor.name() + "', is " + DTypeName(tensor.dtype()) +
                         ": gradients are of floating and complex tensors")
      .WithNode(tensor.op().name());
}

Status CheckArguments(const Scope& scope, const OutputList& ys, const OutputList& xs,
                      const OutputList& grad_ys) {
  TAGFLOW_RETURN_IF_ERROR(scope.status());
  if (ys.empty()) return InvalidArgument("there is no y to take the gradient of");
  if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
    return InvalidArgument("there are " + std::to_string(grad_ys.size()) + " grad_ys for " +
                           std::to_string(ys.size()) + " ys: one for each is needed, or none");
  }
  for (size_t i = 0; i < ys.size(); ++i) {
    const std::string y = "y " + std::to_string(i);
    TAGFLOW_RETURN_IF_ERROR(CheckTensor(scope, ys[i], y));
    if (grad_ys.empty()) continue;
    TAGFLOW_RETURN_IF_ERROR(CheckTensor(scope, grad_ys[i], "grad_y " + std::to_string(i)));
    if (grad_ys[i].dtype() == ys[i].dtype() &&
        MergeShapes(grad_ys[i].shape(), ys[i].shape()).ok()) {
      continue;
    }
    return InvalidArgument("grad_y " + std::to_string(i) + ", '" + grad_ys[i].name() + "', is " +
                           DTypeName(grad_ys[i].dtype()) + grad_ys[i].shape().ToString() +
                           ", and " + y + " is " + DTypeName(ys[i].dtype()) +
                           ys[i].shape().ToString() + ": they must be alike");
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(CheckTensor(scope, xs[i], "x " + std::to_string(i)));
  }
  return Status();
}

Status CheckNoFlow(const std::map<OutputRef, DType>& flows, const Output& tensor,
                   const std::string& what) {
  if (!flows.contains(tensor.ref())) return Status();
  return InvalidArgument(what + ", '" + tensor.name() +
                         "', is the flow of a TensorArray, which stands for the array and has no "
                         "gradient: name what is written to it or read from it")
      .WithNode(tensor.op().name());
}

Status CheckNoFlows(const Scope& scope, const OutputList& ys, const OutputList& xs) {
  const std::map<OutputRef, DType> flows = FindArrayFlows(scope.graph());
  for (size_t i = 0; i < ys.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(CheckNoFlow(flows, ys[i], "y " + std::to_string(i)));
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(CheckNoFlow(flows, xs[i], "x " + std::to_string(i)));
  }
  return Status();
}

Status CheckOptions(const GradientOptions& options) {
  for (const Rematerialization& loop : options.rematerialize) {
    const std::string who = "loop '" + loop.loop + "' to be rematerialized: ";
    if (loop.states && *loop.states < 1) {
      return InvalidArgument(who + "there must be 1 saved state at least, not " +
                             std::to_string(*loop.states));
    }
    if (!loop.trips) continue;
    if (!loop.states) {
      return InvalidArgument(who +
                             "the number of its iterations is given, which is used only "
                             "with a number of saved states");
    }
    if (loop.loop == "*") {
      return InvalidArgument("a number of iterations is of one loop: name it, in place of '*'");
    }
    if (*loop.trips < 0 || *loop.trips > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument(who + std::to_string(*loop.trips) +
                             " is no number of iterations: it must be from 0 to 2147483647");
    }
  }
  return Status();
}

// The tensor that an x is in the scope's frame: one from outside a loop is what captures it.
Result<OutputRef> InFrame(const Scope& scope, const Output& x) {
  BuildState& state = *scope.state();
  const internal::ContextId here = scope.data().context;
  const internal::ContextId made_in = state.context_of(x.ref().node);
  if (state.InnermostLoop(made_in) == state.InnermostLoop(here)) return x.ref();
  return state.Capture(x.ref(), here, "gradients");
}

}  // namespace

const Rematerialization* GradientOptions::RematerializationOf(std::string_view frame) const {
  const Rematerialization* any = nullptr;
  for (const Rematerialization& loop : rematerialize) {
    if (loop.loop == frame) return &loop;
    if (loop.loop == "*") any = &loop;
  }
  return any;
}

namespace internal {

Result<OutputList> BuildGradients(const Scope& scope, const OutputList& ys, const OutputList& xs,
                                  const OutputList& grad_ys, const GradientOptions& options,
                                  const std::map<OutputRef, DType>& flows) {
  std::vector<OutputRef> y_refs, x_refs;
  for (const Output& y : ys) y_refs.push_back(y.ref());
  for (const Output& x : xs) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef ref, InFrame(scope, x));
    x_refs.push_back(ref);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Forward forward,
                           Forward::Analyze(scope, y_refs, x_refs, options, flows));
  DirectValues values(forward, scope);
  Gates gates(forward, values, scope, forward.base());
  Region region(forward, forward.frame(), scope, values, gates);
  for (size_t i = 0; i < ys.size(); ++i) {
    const ConditionId live = forward.ConditionOf(y_refs[i]);
    const Output seed = grad_ys.empty() ? OnesLike(scope, values.Value(y_refs[i]))
                                        : gates.Gate(grad_ys[i], gates.base(), live);
    region.Add(y_refs[i], {live, seed, nullptr});
  }
  TAGFLOW_RETURN_IF_ERROR(region.Walk());
  OutputList gradients;
  for (size_t i = 0; i < xs.size(); ++i) {
    Output gradient;
    if (region.Has(x_refs[i])) {
      gradient = region.Sum(x_refs[i]);
    } else if (options.zeros_for_unreached) {
      const DType flow = forward.FlowDType(x_refs[i]);
      gradient = flow == DType::kInvalid ? ZerosLike(scope, xs[i]) : ZeroFlow(scope, flow);
    }
    gradients.push_back(gradient);
  }
  TAGFLOW_RETURN_IF_ERROR(scope.status());
  return gradients;
}

}  // namespace internal

Result<OutputList> Gradients(const Scope& scope, const OutputList& ys, const OutputList& xs,
                             const OutputList& grad_ys, const GradientOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(CheckArguments(scope, ys, xs, grad_ys));
  TAGFLOW_RETURN_IF_ERROR(CheckNoFlows(scope, ys, xs));
  TAGFLOW_RETURN_IF_ERROR(CheckOptions(options));
  std::unique_ptr<BuildState> before = scope.state()->Copy();
  const Scope names = scope.SubScope("gradients").WithoutControlDependencies();
  Result<OutputList> gradients = internal::BuildGradients(names, ys, xs, grad_ys, options);
  if (!gradients.ok()) scope.state()->Restore(std::move(before));
  return gradients;
}

}  // namespace tagflow
