#ifndef TAGFLOW_REFERENCE_EXPLORE_H_
#define TAGFLOW_REFERENCE_EXPLORE_H_

// Exploration of the orders of a step, up to commutation: which outcomes can some legal order give?
//
// Firings that touch nothing in common commute, so only conflicting ones are reordered: a run is
// made, each pair of conflicting firings that no edge orders gives one more place to branch, and
// the run is made again from there (dynamic partial-order reduction: Flanagan and Godefroid, POPL
// 2005, without sleep sets). A Merge that two live tokens reach which are not equal is explored
// both ways, and adds the error our engines give ([merge.3]).
//
// Cost: one run per explored order; memory for one history. Tested by explore_test.cc.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/races.h"
#include "reference/session.h"

namespace tagflow::reference {

struct Outcome {
  Status status;               // OK, or one error the step may report
  std::vector<Tensor> values;  // of the fetches, when OK
  int64_t orders = 0;          // explored orders that gave it
  std::string ToString() const;
};

struct Exploration {
  std::vector<Outcome> outcomes;   // all different
  std::vector<std::string> races;  // in words, all different
  int64_t orders = 0;              // runs made
  bool exhaustive = false;         // every order, up to commutation, was covered
};

struct ExploreOptions {
  int64_t max_orders = 10'000;
  int64_t max_firings = 100'000;    // per run
  double deadline_s = 0;            // for all of it; 0: none
  std::function<bool()> cancelled;  // null: never
};

// Explores one step from the session's present state, which is left as it was. At a bound it ends
// with what was found until then; a run that was cut short there is no outcome.
//   Errors: those of the call itself; what happens inside the step is an outcome.
Result<Exploration> Explore(Session& session, const NamedTensors& feeds,
                            const std::vector<std::string>& fetches,
                            const std::vector<std::string>& targets = {},
                            const ExploreOptions& options = {});

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_EXPLORE_H_
