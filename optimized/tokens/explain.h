#ifndef TAGFLOW_OPTIMIZED_TOKENS_EXPLAIN_H_
#define TAGFLOW_OPTIMIZED_TOKENS_EXPLAIN_H_

// Why a fetched tensor is dead: which Switch sent its value the other way, and by what path its
// deadness came. Nothing is recorded for that while a step runs: what is left of the root's state
// tells which of its instances were dead and which output every Switch chose, and the way is
// followed back through that. What happened inside a loop is gone by then: a dead Exit is explained
// by an Enter of its loop that was dead, if one was.                             Spec: [fetch.1]

#include <string>

#include "optimized/tokens/state.h"

namespace tagflow::optimized::tokens {

// ": Switch 's' sent its value the other way (predicate true); path: s -> a -> b. Fetch …".
// REQUIRES: the step is over, and `output`, of the root frame, was dead
template <typename Sync>
std::string ExplainDeath(const TokenPlan& plan, const Iteration<Sync>& root, OutputRef output);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_EXPLAIN_H_
