#include "transform/gradients/rerun.h"

#include "transform/gradients/array_flow.h"
#include "transform/gradients/build_gradients.h"
#include "transform/gradients/trip_count.h"

namespace tagflow::internal {

Rerun::Rerun(Region& outer, LoopHistory& history, const Scope& scope)
    : forward_(outer.forward()), loop_(history.loop()), scope_(scope), effects_(outer, history) {
  for (const NodeId enter : loop_.constants) {
    const Output value = outer.values().Value(forward_.graph().node(enter).inputs[0]);
    if (!scope.ok()) return;
    const bool is_ref = forward_.state().type(value.ref()).is_ref;
    passed_[enter] = value;
    captured_[enter] = Op(scope, is_ref ? "RefIdentity" : "Identity", {value});
  }
}

// The flow of an array, which is not saved, is any float.
OutputList Rerun::Pop(std::vector<Output>& lists) const {
  OutputList state;
  size_t list = 0;
  for (const ForwardVariable& variable : loop_.variables) {
    if (IsFlow(variable)) {
      state.push_back(Const(scope_, 0.0f));
      continue;
    }
    const DType dtype = forward_.state().type({variable.merge, 0}).dtype;
    const Popped popped = PopBack(scope_, lists[list], dtype, ShapeOf(variable));
    lists[list++] = popped.rest;
    state.push_back(popped.value);
  }
  return state;
}

void Rerun::Push(const Scope& scope, const OutputList& state, std::vector<Output>& lists) const {
  size_t list = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    if (IsFlow(loop_.variables[i])) continue;
    lists[list] = Op(scope, "TensorListPushBack", {lists[list], state[i]});
    ++list;
  }
}

void Rerun::AddState(LoopBuilder& loop, const OutputList& state) const {
  for (size_t i = 0; i < state.size(); ++i) {
    const PartialShape shape = ShapeOf(loop_.variables[i]);
    loop.AddVariable(state[i], state[i].dtype() == DType::kVariant ? nullptr : &shape);
  }
}

Result<OutputList> Rerun::Run(const Scope& scope, const char* name, const Output& begin,
                              const Output& end, const OutputList& state, Way way) {
  WhileOptions options;
  options.name = name;
  options.parallel_iterations = forward_.Frame(loop_.frame).parallel_iterations;
  LoopBuilder again(scope, options);
  again.AddVariable(begin);
  AddState(again, state);
  again.SetPredicate(
      [&](const Scope& in, const OutputList& given) { return Less(in, given[0], end); });
  again.BuildBody([&](const Scope& in, const OutputList& given) {
    const Result<OutputList> values = CopyBody(
        in, given[0], OutputList(std::vector<Output>(given.begin() + 1, given.end())), way);
    if (!values.ok()) in.Fail(values.status());
    if (!in.ok()) return OutputList();
    OutputList next(Add(in, given[0], 1));
    for (const Output& value : *values) next.push_back(value);
    return next;
  });
  const OutputList results = again.Finish();
  TAGFLOW_RETURN_IF_ERROR(scope.status());
  return OutputList(std::vector<Output>(results.begin() + 1, results.end()));
}

Result<OutputList> Rerun::CopyBody(const Scope& in, const Output& number, const OutputList& state,
                                   Way way) {
  TAGFLOW_RETURN_IF_ERROR(in.status());
  const auto& captured = way == Way::kToDifferentiate ? captured_ : passed_;
  BodyCopy& body = copies_.emplace_back(BodyCopy(forward_, loop_, captured, in), number).first;
  TAGFLOW_ASSIGN_OR_RETURN(OutputList next, body.Build(state));
  for (const auto& [frame, copy] : body.frame_names()) Choose(frame, copy);
  return next;
}

// What was chosen for a loop of the body holds of its copy, which "*" does not name: that would be
// the loop that it is run again in, too.
void Rerun::Choose(int frame, const std::string& copy) {
  const Rematerialization* chosen =
      forward_.options().RematerializationOf(forward_.Frame(frame).name);
  const Result<const ForwardLoop*> loop = forward_.LoopOf(frame);
  if (chosen == nullptr || !loop.ok()) return;
  Rematerialization& named = inner_.emplace_back(*chosen);
  named.loop = copy;
  if (chosen->loop == "*" && !KnownTrips(forward_, **loop)) named.states.reset();
}

Status Rerun::GoBack(const OutputList& state, const OutputList& results,
                     const GradientLoop& gradient, const OutputList& given,
                     std::vector<Output>& next) {
  OutputList ys, grad_ys, xs;
  std::map<OutputRef, DType> flows;
  const auto add_x = [&](const Output& x, OutputRef forward) {
    xs.push_back(x);
    const DType flow = forward_.FlowDType(forward);
    if (flow != DType::kInvalid) flows[x.ref()] = flow;
  };
  for (const auto& [variable, i] : gradient.gradients()) {
    const auto place = static_cast<size_t>(variable - loop_.variables.data());
    ys.push_back(results[place]);
    grad_ys.push_back(given[i]);
    add_x(state[place], {variable->merge, 0});
  }
  for (const auto& [enter, i] : gradient.accumulators()) add_x(captured_.at(enter), {enter, 0});
  GradientOptions options = forward_.options();
  options.zeros_for_unreached = true;
  options.rematerialize = inner_;
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients,
                           BuildGradients(scope_, ys, xs, grad_ys, options, flows));
  size_t k = 0;
  for (const auto& [variable, i] : gradient.gradients()) next[i] = gradients[k++];
  for (const auto& [enter, i] : gradient.accumulators()) {
    const Output& summand = gradients[k++];
    const bool is_flow = forward_.IsFlow({enter, 0});
    next[i] = is_flow ? AddFlows(scope_, {given[i], summand}) : AddN(scope_, {given[i], summand});
  }
  return scope_.status();
}

Status Rerun::TakeOutEffects() {
  for (auto& [copy, number] : copies_) {
    TAGFLOW_RETURN_IF_ERROR(EffectReplay(forward_, loop_, effects_, copy, number).Run());
  }
  return Status();
}

}  // namespace tagflow::internal
