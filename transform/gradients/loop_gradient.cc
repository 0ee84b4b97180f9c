// The gradient of a loop is a loop that makes the same iterations in reverse. For a loop
//
//   v, … = while p(v, …): v' = f(v, c), …          c captured
//
// that made N iterations it is
//
//   k = N, g = dy/dv, a = 0
//   while k > 0:  g, a, k = g * df/dv, a + g * df/dc, k - 1
//   g is the gradient of v's initial value, a that of c.
//
// One variable counts down; one is the gradient of each variable on the path; one adds up that of
// each constant on the path, so that no iteration's share is kept; and one is the history of each
// forward value that is asked for (loop_values.h), added while the body is built.
//
// Source: the paper, section 5, with lists in place of stacks.

#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/gradient_loop.h"
#include "transform/gradients/loop_values.h"
#include "transform/gradients/region.h"

namespace tagflow::internal {
namespace {

// The body: one iteration of the forward loop, backwards.
OutputList GoBack(const Scope& scope, const OutputList& given, Region& outer, LoopHistory& history,
                  GradientLoop& loop) {
  Forward& forward = outer.forward();
  LoopValues values(forward, history, outer.values(), loop.builder(), given[loop.counter()], scope);
  Gates& gates = values.gates();
  Region region(forward, history.loop().frame, scope, values, gates);
  for (const auto& [variable, i] : loop.gradients()) {
    const OutputRef next = forward.graph().node(variable->next).inputs[0];
    region.Add(next, {gates.base(), given[i], nullptr});
  }
  scope.Fail(region.Walk());
  if (!scope.ok()) return {};
  std::vector<Output> next(given.size());
  next[loop.counter()] = Sub(scope, given[loop.counter()], 1);
  for (const auto& [variable, i] : loop.gradients()) {
    const OutputRef value{variable->merge, 0};
    next[i] = region.Has(value) ? region.Sum(value) : gates.Zeros(value, gates.base());
  }
  for (const auto& [enter, i] : loop.accumulators()) {
    const OutputRef value{enter, 0};
    next[i] = region.Has(value) ? gates.Accumulate(value, given[i], region.Contributions(value))
                                : given[i];
  }
  next.resize(given.size() + values.added().size());
  for (const auto& [variable, rest] : values.added()) next[variable] = rest;
  loop.NextWaitsFor(values.popped());
  return OutputList(std::move(next));
}

Status AddGradientWithHistory(Region& outer, const ForwardLoop& loop) {
  LoopHistory history(outer.forward(), loop, outer.scope());
  GradientLoop gradient(outer, loop, history, outer.values().Value(history.TripCount()));
  gradient.builder().BuildBody([&](const Scope& scope, const OutputList& given) {
    return GoBack(scope, given, outer, history, gradient);
  });
  return gradient.Finish();
}

// A loop that was made without a way back.
bool StopsGradients(const Forward& forward, const ForwardLoop& loop) {
  const AttrValue* back_prop =
      FindAttr(forward.graph().node(loop.variables[0].enter), "_back_prop");
  return back_prop != nullptr && *back_prop == AttrValue(false);
}

bool HasGradient(const Region& region, const ForwardLoop& loop) {
  for (const ForwardVariable& variable : loop.variables) {
    for (const NodeId exit : variable.exits) {
      if (region.Has({exit, 0})) return true;
    }
  }
  return false;
}

}  // namespace

Status AddLoopGradient(Region& region, const ForwardLoop& loop) {
  const Forward& forward = region.forward();
  for (const NodeId exit : loop.other_exits) {
    if (!region.Has({exit, 0})) continue;
    return Unimplemented("'" + forward.graph().node(exit).name +
                         "' hands out a value that is no variable of its loop '" +
                         forward.FrameName(loop.frame) +
                         "': make it a variable of the loop to take its gradient")
        .WithNode(forward.graph().node(exit).name);
  }
  if (!HasGradient(region, loop) || StopsGradients(forward, loop)) return Status();
  const Rematerialization* chosen =
      forward.options().RematerializationOf(forward.Frame(loop.frame).name);
  return chosen != nullptr ? AddRematerializedGradient(region, loop, *chosen)
                           : AddGradientWithHistory(region, loop);
}

}  // namespace tagflow::internal
