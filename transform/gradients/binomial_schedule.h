#ifndef TAGFLOW_TRANSFORM_GRADIENTS_BINOMIAL_SCHEDULE_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_BINOMIAL_SCHEDULE_H_

// Where to save states, when a loop of a known number of iterations is gone back over with few of
// them. The way back needs the state before the last iteration, then the one before that, and so
// on; each is computed from the nearest that is saved. To reverse l iterations with s states, of
// which the first iteration's is one: go m iterations ahead, save the state there, reverse the l -
// m that are left with s - 1, then the first m with s again.
//
// With beta(s, r) = C(s + r, s), the iterations that s states reverse in r turns, and the r for
// which beta(s, r - 1) < l <= beta(s, r), the choice
//
//   m = min(beta(s, r - 1), l - beta(s - 1, r - 1))
//
// goes ahead over t(l, s) = r l - beta(s + 1, r - 1) iterations in all, and no schedule over fewer.
// Each of the l is run once more where it is reversed.
//
// Source: Griewank and Walther, Algorithm 799: Revolve, ACM TOMS 26 (2000); there t counts the
// first sweep, too. Cost: m is found in r steps. Tested by binomial_schedule_test.cc, against the
// best of all schedules.

#include <cstdint>
#include <vector>

#include "graph/builder/builder.h"

namespace tagflow::internal {

// m, of `length` iterations and `states` states. REQUIRES: length > 1, states > 0
int64_t StepsToNextState(int64_t length, int64_t states);
// The same, computed in a graph, of int32 scalars.
Output StepsToNextState(const Scope& scope, const Output& length, const Output& states);

// The iterations that the first sweep saves the state before: 0, those that the schedule says, and
// the last, from which the way back begins. REQUIRES: iterations >= 0, states > 0
std::vector<int32_t> FirstSweep(int64_t iterations, int64_t states);

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_BINOMIAL_SCHEDULE_H_
