// The gradient of a loop that keeps no history (GradientOptions::rematerialize). Its gradient loop
// runs iterations of the forward loop again from states that were saved, and goes back over those.
//
// In blocks, where the number N of iterations may be any: the variables are saved before iterations
// 0, 1, 3, 6, 10, …, so that block b, from 1, begins with iteration b(b-1)/2 and has b iterations,
// the last one perhaps fewer. The gradient loop goes over the blocks in reverse; its body runs a
// block again, in a loop of its own, and takes the gradient of that loop, which keeps a history as
// loops do:
//
//   b = number of blocks, g = dy/dv, a = 0
//   while b > 0:
//     v = pop the state;  v' = iterations b(b-1)/2 to min(b(b+1)/2, N) - 1 once more, from v
//     g, a = g * dv'/dv, a + g * dv'/dc;  b = b - 1
//
// There are at most sqrt(2N) + 1 states and, at a time, sqrt(2N) values of each history.
//
// With few states, where N is known (binomial_schedule.h): the gradient loop goes over the
// iterations, and no history is kept, for each is differentiated in the body itself:
//
//   i = N - 1
//   while i >= 0:
//     p, v = pop the number and the state of the iteration saved last
//     while p < i:                                the loop `descend`
//       push p, v;  m = steps to the next state, of i + 1 - p iterations and the states there are
//       v = iterations p to p + m - 1 once more;  p = p + m
//     v' = iteration i once more;  g, a = …;  i = i - 1
//
// The forward loop, which is the first sweep, saves its states by the same schedule, and the one
// before the last iteration, which is the first that is popped. From then on there are never more
// than may be saved, besides the one at hand. It is checked that N is what it was said to be.
//
// Effects are in neither run again: effect_replay.h.
//
// Tested by fuzz/gradient/rematerialize_test.cc.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/binomial_schedule.h"
#include "transform/gradients/gradient_loop.h"
#include "transform/gradients/rerun.h"
#include "transform/gradients/trip_count.h"
#include "transform/limits.h"

namespace tagflow::internal {
namespace {

// What both have in common: a gradient loop with the lists of states among its variables.
class RematerializedGradient {
 public:
  RematerializedGradient(Region& outer, const ForwardLoop& loop)
      : outer_(outer),
        forward_(outer.forward()),
        loop_(loop),
        history_(forward_, loop, outer.scope()) {}
  virtual ~RematerializedGradient() = default;

  Status Build() {
    std::vector<Output> lists;
    for (const OutputRef list : SaveStates()) lists.push_back(ValueOf(list));
    trips_ = ValueOf(history_.TripCount());
    TAGFLOW_RETURN_IF_ERROR(outer_.scope().status());
    GradientLoop gradient(outer_, loop_, history_, Count(lists));
    std::vector<size_t> places;
    for (const Output& list : lists) places.push_back(gradient.builder().AddVariable(list));
    gradient.builder().BuildBody([&](const Scope& scope, const OutputList& given) {
      Rerun rerun(outer_, history_, scope);
      Result<OutputList> next = Next(scope, given, gradient, places, rerun);
      if (!next.ok()) scope.Fail(next.status());
      if (!scope.ok()) return OutputList();
      scope.Fail(rerun.TakeOutEffects());
      return *next;
    });
    return gradient.Finish();
  }

 protected:
  // Makes the forward loop save states.
  virtual std::vector<OutputRef> SaveStates() = 0;
  // How many iterations the gradient loop makes. What it needs besides is put before the lists.
  virtual Output Count(std::vector<Output>& lists) = 0;
  // Runs again what an iteration of the gradient loop is about: the state before, and that after.
  // The lists are those that are left.
  struct Span {
    OutputList before;
    OutputList after;
  };
  virtual Result<Span> RunAgain(const Scope& scope, const Output& count, std::vector<Output>& lists,
                                Rerun& rerun) = 0;

  Forward& forward() const { return forward_; }
  const ForwardLoop& loop() const { return loop_; }
  LoopHistory& history() { return history_; }
  const Scope& outer_scope() const { return outer_.scope(); }
  const Output& trips() const { return trips_; }
  // Of a tensor of the frame around the loop, as the gradient may use it.
  Output ValueOf(OutputRef tensor) { return outer_.values().Value(tensor); }

 private:
  // places: of the lists among the gradient loop's variables
  Result<OutputList> Next(const Scope& scope, const OutputList& given, const GradientLoop& gradient,
                          const std::vector<size_t>& places, Rerun& rerun) {
    std::vector<Output> lists;
    for (const size_t place : places) lists.push_back(given[place]);
    const Output& count = given[gradient.counter()];
    TAGFLOW_ASSIGN_OR_RETURN(const Span span, RunAgain(scope, count, lists, rerun));
    TAGFLOW_RETURN_IF_ERROR(scope.status());
    std::vector<Output> next(given.size());
    TAGFLOW_RETURN_IF_ERROR(rerun.GoBack(span.before, span.after, gradient, given, next));
    next[gradient.counter()] = Sub(scope, count, 1);
    for (size_t i = 0; i < places.size(); ++i) next[places[i]] = lists[i];
    return OutputList(std::move(next));
  }

  Region& outer_;
  Forward& forward_;
  const ForwardLoop& loop_;
  LoopHistory history_;
  Output trips_;
};

class BlockGradient : public RematerializedGradient {
 public:
  using RematerializedGradient::RematerializedGradient;

 private:
  std::vector<OutputRef> SaveStates() override {
    const LoopHistory::Blocks blocks = history().SaveBlockStarts();
    more_than_ = blocks.more_than;
    return blocks.lists;
  }

  Output Count(std::vector<Output>& /*lists*/) override {
    return Sub(outer_scope(), ValueOf(more_than_), 1);
  }

  Result<Span> RunAgain(const Scope& scope, const Output& count, std::vector<Output>& lists,
                        Rerun& rerun) override {
    Span span;
    span.before = rerun.Pop(lists);
    const Output begin = FloorDiv(scope, Mul(scope, count, Sub(scope, count, 1)), 2);
    const Output end = Minimum(scope, Add(scope, begin, count), trips());
    TAGFLOW_ASSIGN_OR_RETURN(span.after, rerun.Run(scope, "again", begin, end, span.before,
                                                   Rerun::Way::kToDifferentiate));
    return span;
  }

  OutputRef more_than_;
};

class BinomialGradient : public RematerializedGradient {
 public:
  BinomialGradient(Region& outer, const ForwardLoop& loop, int64_t trips, int64_t states)
      : RematerializedGradient(outer, loop),
        known_trips_(static_cast<int32_t>(trips)),
        states_(static_cast<int32_t>(std::min<int64_t>(states, std::max<int64_t>(trips, 1)))) {}

 private:
  std::vector<OutputRef> SaveStates() override {
    saved_before_ = FirstSweep(known_trips_, states_);
    return history().SaveBefore(saved_before_);
  }

  // The list of the numbers comes first. It is dead where the loop was not entered.
  Output Count(std::vector<Output>& lists) override {
    const Scope& scope = outer_scope();
    const Operation is_right =
        Assert(scope, Equal(scope, trips(), known_trips_),
               {Const(scope, "the gradient of loop '" + forward().FrameName(loop().frame) +
                                 "' was built for " + std::to_string(known_trips_) +
                                 " iterations, and it made:"),
                trips()});
    if (!scope.ok()) return Output();
    // The gradient waits for it, and nothing else does: in a body, an iteration that does not enter
    // the loop goes on.
    forward().state().mutable_context(scope.data().context).effects.pop_back();
    const Scope after = scope.WithControlDependencies({is_right});
    const Output numbers = Op(after, "TensorListFromTensor",
                              {Const(after, saved_before_), Const(after, std::vector<int32_t>{})});
    lists.insert(lists.begin(), numbers);
    return Identity(after, trips());
  }

  Result<Span> RunAgain(const Scope& scope, const Output& count, std::vector<Output>& lists,
                        Rerun& rerun) override {
    const Output number = Sub(scope, count, 1);
    const Popped last = PopBack(scope, lists[0], DType::kInt32, PartialShape::Scalar());
    std::vector<Output> states(lists.begin() + 1, lists.end());
    const OutputList state = rerun.Pop(states);
    OutputList begin = {last.value, last.rest};
    for (const Output& list : states) begin.push_back(list);
    for (const Output& value : state) begin.push_back(value);
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList end, Descend(scope, number, begin, rerun));
    for (size_t i = 0; i < lists.size(); ++i) lists[i] = end[1 + i];
    Span span;
    span.before = OutputList(std::vector<Output>(end.begin() + 1 + lists.size(), end.end()));
    TAGFLOW_ASSIGN_OR_RETURN(span.after, rerun.RunOne(number, span.before));
    return span;
  }

  // From the iteration of the state to iteration `to`.
  //   variables: the number of the iteration, the lists, the state
  Result<OutputList> Descend(const Scope& scope, const Output& to, const OutputList& begin,
                             Rerun& rerun) {
    WhileOptions options;
    options.name = "descend";
    LoopBuilder descend(scope, options);
    const size_t first_value = begin.size() - loop().variables.size();
    for (size_t i = 0; i < first_value; ++i) descend.AddVariable(begin[i]);
    rerun.AddState(descend,
                   OutputList(std::vector<Output>(begin.begin() + first_value, begin.end())));
    descend.SetPredicate(
        [&](const Scope& in, const OutputList& given) { return Less(in, given[0], to); });
    descend.BuildBody([&](const Scope& in, const OutputList& given) {
      Result<OutputList> next = Advance(in, to, given, first_value, rerun);
      if (!next.ok()) in.Fail(next.status());
      return next.ok() ? *next : OutputList();
    });
    const OutputList end = descend.Finish();
    TAGFLOW_RETURN_IF_ERROR(scope.status());
    return end;
  }

  // Saves the state, and goes on to where the next one is saved.
  Result<OutputList> Advance(const Scope& in, const Output& to, const OutputList& given,
                             size_t first_value, Rerun& rerun) {
    const Output& at = given[0];
    std::vector<Output> lists(given.begin() + 2, given.begin() + first_value);
    const OutputList state(std::vector<Output>(given.begin() + first_value, given.end()));
    const Output numbers = Op(in, "TensorListPushBack", {given[1], at});
    rerun.Push(in, state, lists);
    const Output saved = Op(in, "TensorListLength", {numbers});
    const Output steps =
        StepsToNextState(in, Add(in, Sub(in, to, at), 1), Sub(in, Const(in, states_ + 1), saved));
    const Output next_at = Add(in, at, steps);
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList values,
                             rerun.Run(in, "advance", at, next_at, state, Rerun::Way::kToPass));
    OutputList next = {next_at, numbers};
    for (const Output& list : lists) next.push_back(list);
    for (const Output& value : values) next.push_back(value);
    return next;
  }

  int32_t known_trips_;
  int32_t states_;
  std::vector<int32_t> saved_before_;
};

// The number of the loop's iterations, if it is known.
//   Errors: INVALID_ARGUMENT where the graph and the options contradict each other, or neither
//   says.
Result<std::optional<int64_t>> TripsOf(const Forward& forward, const ForwardLoop& loop,
                                       const Rematerialization& chosen) {
  const std::optional<int64_t> known = KnownTrips(forward, loop);
  const std::string name = "loop '" + forward.FrameName(loop.frame) + "'";
  if (known && chosen.trips && *known != *chosen.trips) {
    return InvalidArgument(name + " makes " + std::to_string(*known) + " iterations, not " +
                           std::to_string(*chosen.trips));
  }
  if (known || chosen.trips || chosen.loop == "*") return known ? known : chosen.trips;
  return InvalidArgument(name + " is to be gone back over with " + std::to_string(*chosen.states) +
                         " saved states, for which the number of its iterations must be known: "
                         "say it, or leave the number of states open");
}

}  // namespace

Status AddRematerializedGradient(Region& outer, const ForwardLoop& loop,
                                 const Rematerialization& chosen) {
  if (chosen.states) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::optional<int64_t> trips,
                             TripsOf(outer.forward(), loop, chosen));
    if (trips && std::min(*trips, *chosen.states) > kMostSavedStates) {
      return InvalidArgument("loop '" + outer.forward().FrameName(loop.frame) +
                             "' is to be gone back over with " + std::to_string(*chosen.states) +
                             " saved states, and " + std::to_string(kMostSavedStates) +
                             " are the most there can be");
    }
    if (trips) return BinomialGradient(outer, loop, *trips, *chosen.states).Build();
  }
  return BlockGradient(outer, loop).Build();
}

}  // namespace tagflow::internal
