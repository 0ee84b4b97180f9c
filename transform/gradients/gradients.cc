#include "transform/gradients/gradients.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "graph/control_ops.h"
#include "graph/out_of_memory.h"
#include "transform/gradients/array_flow.h"
#include "transform/gradients/build_gradients.h"
#include "transform/gradients/forward.h"
#include "transform/gradients/region.h"
#include "transform/gradients/variable_handles.h"

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
    const std::string x = "x " + std::to_string(i);
    if (xs[i].valid() && xs[i].state() == scope.state() && xs[i].dtype() == DType::kResource) {
      continue;  // CheckHandles
    }
    TAGFLOW_RETURN_IF_ERROR(CheckTensor(scope, xs[i], x));
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

// Of xs that are resources: each is a handle of a variable that has gradients.
Status CheckHandles(const Scope& scope, const OutputList& xs) {
  const auto is_resource = [](const Output& x) { return x.dtype() == DType::kResource; };
  if (std::ranges::none_of(xs, is_resource)) return Status();
  const VariableHandles handles = FindVariableHandles(scope.graph());
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!is_resource(xs[i])) continue;
    const std::string what = "x " + std::to_string(i) + ", '" + xs[i].name() + "', is ";
    const auto handle = handles.find(xs[i].ref());
    if (handle == handles.end()) {
      return InvalidArgument(what +
                             "a resource that comes from no VarHandleOp: gradients are of floating "
                             "and complex tensors and variables")
          .WithNode(xs[i].op().name());
    }
    const DType dtype = handle->second.dtype;
    if (IsFloating(dtype) || IsComplex(dtype)) continue;
    return InvalidArgument(what + "the handle of a variable that is " + DTypeName(dtype) +
                           ": gradients are of floating and complex tensors and variables")
        .WithNode(xs[i].op().name());
  }
  return Status();
}

// "the loops are 'a', 'b'", as Enters name their frames.
std::string NamesOfLoops(const std::set<std::string>& loops) {
  if (loops.empty()) return "the graph has no loop";
  constexpr size_t kMostNames = 20;
  std::string names;
  size_t count = 0;
  for (const std::string& loop : loops) {
    if (++count > kMostNames) {
      return "the loops are " + names + ", … (" + std::to_string(loops.size()) + " in all)";
    }
    names += (names.empty() ? "'" : ", '") + loop + "'";
  }
  return (loops.size() == 1 ? "the loop is " : "the loops are ") + names;
}

Status CheckLoops(const Graph& graph, const GradientOptions& options) {
  if (options.rematerialize.empty()) return Status();
  std::set<std::string> loops;
  for (const NodeId id : graph.NodeIds()) {
    if (!IsEnter(graph.node(id))) continue;
    const Result<std::string> frame = StringAttr(graph.node(id), "frame_name");
    if (frame.ok()) loops.insert(*frame);
  }
  for (const Rematerialization& one : options.rematerialize) {
    if (one.loop == "*" || loops.contains(one.loop)) continue;
    return InvalidArgument("there is no loop '" + one.loop +
                           "' to be rematerialized: " + NamesOfLoops(loops));
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

// The tensor that an x is in the scope's frame: one from outside a loop is what captures it. One
// from inside another loop is itself, to be refused.
Result<OutputRef> InFrame(const Scope& scope, const Output& x) {
  BuildState& state = *scope.state();
  const internal::ContextId here = scope.data().context;
  const internal::ContextId made_in = state.context_of(x.ref().node);
  const int loop = state.InnermostLoop(made_in);
  if (loop == state.InnermostLoop(here)) return x.ref();
  if (loop >= 0 && !state.Encloses(made_in, here)) return x.ref();
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
namespace {

// The x as the ys need it: of a variable, that may be another handle alone.
OutputRef Needed(const Forward& forward, OutputRef x) {
  const std::vector<OutputRef>& others = forward.OtherHandles(x);
  return others.empty() || forward.IsNeeded(x.node) ? x : others[0];
}

// Adds what reads the variable of an x through another handle.
void AddOtherHandles(const Forward& forward, const std::vector<OutputRef>& xs, Region& region) {
  std::map<OutputRef, OutputRef> needed;
  for (const OutputRef x : xs) needed[Needed(forward, x)] = x;
  std::vector<std::pair<OutputRef, Contribution>> shares;
  for (const auto& [sum, x] : needed) {
    for (const OutputRef other : forward.OtherHandles(x)) {
      if (other == sum || !region.Has(other)) continue;
      for (const Contribution& share : region.Contributions(other)) shares.emplace_back(sum, share);
    }
  }
  for (auto& [sum, share] : shares) region.Add(sum, std::move(share));
}

// tensor: what x was in its own frame
Output ZerosFor(const Forward& forward, const Scope& scope, OutputRef x, const Output& tensor) {
  const DType flow = forward.FlowDType(x);
  if (flow != DType::kInvalid) return ZeroFlow(scope, flow);
  if (!forward.IsHandle(x)) return ZerosLike(scope, tensor);
  return ZerosOfVariable(scope, tensor, {forward.GradientDType(x), forward.GradientShape(x)});
}

// What is read of a variable says nothing of its shape.
void NoteShape(const Scope& scope, const Output& gradient, const PartialShape& shape) {
  const Result<PartialShape> merged = MergeShapes(gradient.shape(), shape);
  if (merged.ok()) scope.SetShape(gradient, *merged);
}

}  // namespace

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
  AddOtherHandles(forward, x_refs, region);
  OutputList gradients;
  for (size_t i = 0; i < xs.size(); ++i) {
    Output gradient;
    const OutputRef x = Needed(forward, x_refs[i]);
    if (region.Has(x)) {
      gradient = region.Sum(x);
    } else if (options.zeros_for_unreached) {
      gradient = ZerosFor(forward, scope, x_refs[i], xs[i]);
    }
    if (gradient.valid() && forward.IsHandle(x_refs[i])) {
      NoteShape(scope, gradient, forward.GradientShape(x_refs[i]));
    }
    gradients.push_back(gradient);
  }
  TAGFLOW_RETURN_IF_ERROR(scope.status());
  return gradients;
}

}  // namespace internal

Result<OutputList> Gradients(const Scope& scope, const OutputList& ys, const OutputList& xs,
                             const OutputList& grad_ys, const GradientOptions& options) {
  return OrOutOfMemory([&]() -> Result<OutputList> {
    TAGFLOW_RETURN_IF_ERROR(CheckArguments(scope, ys, xs, grad_ys));
    TAGFLOW_RETURN_IF_ERROR(CheckHandles(scope, xs));
    TAGFLOW_RETURN_IF_ERROR(CheckNoFlows(scope, ys, xs));
    TAGFLOW_RETURN_IF_ERROR(CheckOptions(options));
    TAGFLOW_RETURN_IF_ERROR(CheckLoops(scope.graph(), options));
    std::unique_ptr<BuildState> before = scope.state()->Copy();
    Result<OutputList> gradients = OrOutOfMemory([&] {
      const Scope names = scope.SubScope("gradients").WithoutControlDependencies();
      return internal::BuildGradients(names, ys, xs, grad_ys, options);
    });
    if (!gradients.ok()) scope.state()->Restore(std::move(before));
    return gradients;
  });
}

}  // namespace tagflow
