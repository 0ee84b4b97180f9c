#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_SURVEY_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_SURVEY_H_

// Whether a call is worth simplifying, found without changing anything.
//
// What there is to do is counted: ops on constants, equal nodes, ops that a loop need not repeat,
// branches on constants; what lies in a loop counts as if it came kTripsGuessed times. It must be
// a fair part of the graph, because simplifying copies all of it. Identities do not count: a plan
// has no cost for most of them. The count is what a first round would find, and no more; it may
// take nodes for equal whose hashes are.
//
// Cost: linear, and less than a tenth of a plan's (docs/benchmarks.md, setup100k).
// Tested by survey_test.cc.

#include <cstdint>

#include "graph/validate.h"
#include "transform/simplify/simplify.h"

namespace tagflow {

constexpr int64_t kTripsGuessed = 64;
// One node in so many must be saved in every step.
constexpr int64_t kFairPart = 16;

// How many nodes a step is spared, by that count.
int64_t CountSavings(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                     Passes passes);

bool IsWorthwhile(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                  Passes passes);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_SURVEY_H_
