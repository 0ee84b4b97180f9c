// The gradient of a loop that keeps no history (GradientOptions::rematerialize): its variables are
// saved before iterations 0, 1, 3, 6, 10, …, so that block b, from 1, begins with iteration
// b(b-1)/2 and has b iterations, the last one perhaps fewer. The gradient loop goes over the blocks
// in reverse; its body runs a block again from its saved state, in a loop of its own, and takes the
// gradient of that loop, which keeps a history as loops do:
//
//   b = number of blocks, g = dy/dv, a = 0
//   while b > 0:
//     v = pop the state;  v' = the loop once more, from v, min(b, N - b(b-1)/2) iterations
//     g, a = g * dv'/dv, a + g * dv'/dc;  b = b - 1
//
// Of N iterations there are at most sqrt(2N) + 1 states and, at a time, sqrt(2N) values of each
// history. N need not be known before.
//
// Not handled: bodies with effects, random numbers or arrays, which must not run twice; they are
// refused by name.

#include <map>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/body_copy.h"
#include "transform/gradients/build_gradients.h"
#include "transform/gradients/gradient_loop.h"

namespace tagflow::internal {
namespace {

class BlockGradient {
 public:
  BlockGradient(Region& outer, const ForwardLoop& loop)
      : outer_(outer),
        forward_(outer.forward()),
        loop_(loop),
        history_(forward_, loop, outer.scope()) {}

  Status Build() {
    std::vector<Output> states;
    for (const OutputRef list : history_.SaveBlockStarts()) {
      states.push_back(outer_.values().Value(list));
    }
    trips_ = outer_.values().Value(history_.TripCount());
    TAGFLOW_RETURN_IF_ERROR(outer_.scope().status());
    GradientLoop gradient(outer_, loop_, history_,
                          Op(outer_.scope(), "TensorListLength", {states[0]}));
    for (const Output& list : states) states_.push_back(gradient.builder().AddVariable(list));
    gradient.builder().BuildBody([&](const Scope& scope, const OutputList& given) {
      Result<OutputList> next = GoBack(scope, given, gradient);
      if (!next.ok()) scope.Fail(next.status());
      return next.ok() ? *next : OutputList();
    });
    return gradient.Finish();
  }

 private:
  // What the block's iterations capture, as tensors of the gradient loop's body.
  std::map<NodeId, Output> Captured(const Scope& scope) {
    std::map<NodeId, Output> captured;
    for (const NodeId enter : loop_.constants) {
      const OutputRef source = forward_.graph().node(enter).inputs[0];
      captured[enter] = Identity(scope, outer_.values().Value(source));
    }
    return captured;
  }

  OutputList PopState(const Scope& scope, const OutputList& given, std::vector<Output>& next) {
    OutputList state;
    for (size_t i = 0; i < states_.size(); ++i) {
      const OutputRef merge{loop_.variables[i].merge, 0};
      const PartialShape shape = forward_.state().shape(merge);
      const Input element_shape = shape.known_rank() ? ShapeConst(scope, shape) : Input(-1);
      const Operation popped = Op(scope, "TensorListPopBack", {given[states_[i]], element_shape},
                                  {{"element_dtype", forward_.state().type(merge).dtype}});
      next[states_[i]] = popped[0];
      if (popped.valid()) scope.SetShape(popped[1], shape);
      state.push_back(popped[1]);
    }
    return state;
  }

  // How many iterations block `b` has.
  Output LengthOf(const Scope& scope, const Output& b) {
    const Output begin = FloorDiv(scope, Mul(scope, b, Sub(scope, b, 1)), 2);
    return Minimum(scope, b, Sub(scope, trips_, begin));
  }

  // The block's iterations once more; the variables after them.
  Result<OutputList> RunAgain(const Scope& scope, const Output& length, const OutputList& state,
                              const std::map<NodeId, Output>& captured) {
    WhileOptions options;
    options.name = "again";
    options.parallel_iterations = forward_.Frame(loop_.frame).parallel_iterations;
    LoopBuilder again(scope, options);
    again.AddVariable(Const(scope, int32_t{0}));
    for (size_t i = 0; i < state.size(); ++i) {
      const PartialShape shape = forward_.state().shape({loop_.variables[i].merge, 0});
      again.AddVariable(state[i], state[i].dtype() == DType::kVariant ? nullptr : &shape);
    }
    again.SetPredicate(
        [&](const Scope& in, const OutputList& given) { return Less(in, given[0], length); });
    again.BuildBody(
        [&](const Scope& in, const OutputList& given) { return CopyBody(in, given, captured); });
    const OutputList results = again.Finish();
    TAGFLOW_RETURN_IF_ERROR(scope.status());
    return OutputList(std::vector<Output>(results.begin() + 1, results.end()));
  }

  OutputList CopyBody(const Scope& in, const OutputList& given,
                      const std::map<NodeId, Output>& captured) {
    BodyCopy body(forward_, loop_, captured, in);
    const Result<OutputList> copied =
        body.Build(OutputList(std::vector<Output>(given.begin() + 1, given.end())));
    if (!copied.ok()) in.Fail(copied.status());
    if (!in.ok()) return {};
    for (const std::string& name : forward_.options().rematerialize) {
      const auto copy = body.frame_names().find(name);
      if (copy != body.frame_names().end()) inner_.push_back(copy->second);
    }
    OutputList next(Add(in, given[0], 1));
    for (const Output& value : *copied) next.push_back(value);
    return next;
  }

  Result<OutputList> GoBack(const Scope& scope, const OutputList& given, GradientLoop& gradient) {
    std::vector<Output> next(given.size());
    const OutputList state = PopState(scope, given, next);
    const std::map<NodeId, Output> captured = Captured(scope);
    const Output length = LengthOf(scope, given[gradient.counter()]);
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList results, RunAgain(scope, length, state, captured));
    OutputList ys, grad_ys, xs;
    for (const auto& [variable, i] : gradient.gradients()) {
      const auto place = static_cast<size_t>(variable - loop_.variables.data());
      ys.push_back(results[place]);
      grad_ys.push_back(given[i]);
      xs.push_back(state[place]);
    }
    for (const auto& [enter, i] : gradient.accumulators()) xs.push_back(captured.at(enter));
    GradientOptions options = forward_.options();
    options.zeros_for_unreached = true;
    options.rematerialize = inner_;
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients,
                             BuildGradients(scope, ys, xs, grad_ys, options));
    next[gradient.counter()] = Sub(scope, given[gradient.counter()], 1);
    size_t k = 0;
    for (const auto& [variable, i] : gradient.gradients()) next[i] = gradients[k++];
    for (const auto& [enter, i] : gradient.accumulators()) {
      next[i] = AddN(scope, {given[i], gradients[k++]});
    }
    return OutputList(std::move(next));
  }

  Region& outer_;
  Forward& forward_;
  const ForwardLoop& loop_;
  LoopHistory history_;
  Output trips_;
  std::vector<size_t> states_;      // variables of the gradient loop: the lists of states
  std::vector<std::string> inner_;  // loops in the copied body that are rematerialized, too
};

}  // namespace

Status AddRematerializedGradient(Region& outer, const ForwardLoop& loop) {
  return BlockGradient(outer, loop).Build();
}

}  // namespace tagflow::internal
