#include "transform/gradients/gradient_loop.h"

#include <string>
#include <utility>

#include "graph/builder/builder.h"

namespace tagflow::internal {
namespace {

WhileOptions OptionsOf(const Forward& forward, const LoopHistory& history) {
  const ForwardLoop& loop = history.loop();
  const Node& enter = forward.graph().node(loop.variables[0].enter);
  const std::string frame = forward.FrameName(loop.frame);
  WhileOptions options;
  options.name = frame.substr(frame.rfind('/') + 1) + "_grad";
  // One iteration, or block of them, that is run again at a time: others would hold theirs, too.
  options.parallel_iterations =
      forward.RunsAgain(loop.frame) ? 1 : *IntAttr(enter, "parallel_iterations");
  options.swap_memory = history.SwapsMemory();
  return options;
}

// Loops in loops are named side by side: there are many nodes in the innermost.
Scope NamedApart(const Scope& scope, const std::string& prefix) {
  ScopeData data = scope.data();
  data.prefix = prefix;
  return Scope(scope.state(), std::move(data));
}

bool IsTensor(const Output& output) { return output.valid() && output.dtype() != DType::kVariant; }

}  // namespace

GradientLoop::GradientLoop(Region& outer, const ForwardLoop& loop, LoopHistory& history,
                           const Output& count)
    : outer_(outer),
      forward_(outer.forward()),
      loop_(loop),
      history_(history),
      builder_(NamedApart(outer.scope(), forward_.name_prefix()), OptionsOf(forward_, history)) {
  counter_ = builder_.AddVariable(count);
  for (const ForwardVariable& variable : loop_.variables) {
    if (forward_.OnPath(variable.merge)) AddVariable(variable);
  }
  for (const NodeId enter : loop_.constants) {
    if (forward_.OnPath(enter)) AddAccumulator(enter);
  }
  builder_.SetPredicate([this](const Scope& scope, const OutputList& given) {
    return Greater(scope, given[counter_], 0);
  });
}

// It begins with what came back to the variable's Exits.
void GradientLoop::AddVariable(const ForwardVariable& variable) {
  Output initial;
  for (const NodeId exit : variable.exits) {
    if (!outer_.Has({exit, 0})) continue;
    const Output sum = outer_.Sum({exit, 0});
    initial = initial.valid() ? AddN(outer_.scope(), {initial, sum}) : sum;
  }
  const OutputRef value{variable.merge, 0};
  const PartialShape shape = forward_.GradientShape(value);
  if (!initial.valid()) {
    const bool is_list = forward_.state().type(value).dtype == DType::kVariant;
    const bool known = forward_.IsFlow(value) || (shape.fully_known() && !is_list);
    initial = outer_.gates().Zeros(known ? value : history_.FinalValue(variable), loop_.entered);
  }
  gradients_.emplace_back(&variable,
                          builder_.AddVariable(initial, IsTensor(initial) ? &shape : nullptr));
}

void GradientLoop::AddAccumulator(NodeId enter) {
  const OutputRef captured = forward_.graph().node(enter).inputs[0];
  const Output zeros = outer_.gates().Zeros(captured, loop_.entered);
  const PartialShape shape = forward_.GradientShape(captured);
  accumulators_.emplace_back(enter,
                             builder_.AddVariable(zeros, IsTensor(zeros) ? &shape : nullptr));
}

Status GradientLoop::Finish() {
  const OutputList results = builder_.Finish();
  TAGFLOW_RETURN_IF_ERROR(outer_.scope().status());
  for (const Operation& done : awaited_) {
    outer_.scope().AddControlInput(builder_.next_iteration(counter_), done);
  }
  const auto hand_out = [&](NodeId enter, size_t variable) {
    outer_.Add(forward_.graph().node(enter).inputs[0], {loop_.entered, results[variable], nullptr});
  };
  for (const auto& [variable, i] : gradients_) hand_out(variable->enter, i);
  for (const auto& [enter, i] : accumulators_) hand_out(enter, i);
  return Status();
}

}  // namespace tagflow::internal
