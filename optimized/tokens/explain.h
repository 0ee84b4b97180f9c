#ifndef TAGFLOW_OPTIMIZED_TOKENS_EXPLAIN_H_
#define TAGFLOW_OPTIMIZED_TOKENS_EXPLAIN_H_

// Why a fetched tensor is dead, from what is left of the root's state (optimized/explain.h).
//                                                                              Spec: [fetch.1]

#include <string>

#include "optimized/tokens/state.h"

namespace tagflow::optimized::tokens {

// REQUIRES: the step is over, and `output`, of the root frame, was dead
template <typename Sync>
std::string ExplainDeath(const TokenPlan& plan, const Iteration<Sync>& root, OutputRef output);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_EXPLAIN_H_
