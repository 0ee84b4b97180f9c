#ifndef TAGFLOW_FUZZ_GRAPHS_FORECAST_H_
#define TAGFLOW_FUZZ_GRAPHS_FORECAST_H_

// What the standard lets be said of a run beforehand: whether it races, which errors its orders may
// report, whether it ends.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/graphs/observe.h"

namespace tagflow::fuzz {

struct Forecast {
  bool limited = false;          // some order does not end within the limit
  std::set<std::string> races;   // none: the rest of this holds for every order
  std::set<std::string> errors;  // by ErrorText; empty: no firing fails
  std::vector<Status> causes;    // the same, whole
  RunSeen first;                 // the run in the order of arrival, variables as they were
  // Some Merge gets two live inputs in every order, and nothing else races: our engines fail such a
  // step in every order, with this or another error ([merge.3]).
  bool must_fail = false;
  bool should_have_failed = false;  // the same, but it did not fail, so that something is wrong
  bool certain() const { return !limited && races.empty() && errors.empty(); }
};

// Of what a step owes, or was asked for and is dead: any such error may be named for another.
bool IsOfEnd(const Status& status);

// Leaves the session's variables as they were.
Forecast Foresee(Observer& observer, size_t run, const ObserveOptions& options);

// Whether the run races in that order. Of one that ends well, orders do not differ in this: the
// first two firings that race do so whatever came before them.
bool RacesIn(Observer& observer, size_t run, const ObserveOptions& options);

// What a run has of its own that was not foreseen; null: nothing.
// REQUIRES: there are no races.
std::optional<std::string> Misses(const Forecast& forecast, const RunSeen& seen);

// The runs, from the first, that have one outcome in every order; up to the first that fails.
std::vector<Forecast> CertainRuns(const GraphSample& sample, const ObserveOptions& options = {});
// And one more that some firing fails, so that every order reports one of its causes.
std::vector<Forecast> ForeseenRuns(const GraphSample& sample, const ObserveOptions& options = {});
// And, in place of that, one that races or does not end.
std::vector<Forecast> AllForecasts(const GraphSample& sample, const ObserveOptions& options = {});

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_FORECAST_H_
