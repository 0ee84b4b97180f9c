#ifndef TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_
#define TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_

// The properties by themselves; properties.cc says in a line what each claims.

#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

// Against the tree's evaluator (direct_claims.cc).
Violation EqualsDirect(const Program&, Choices&, const Engine&);

// The graph, written down and read again (graph_claims.cc).
Violation ShuffledNodes(const Program&, Choices&, const Engine&);
Violation RoundTrip(const Program&, Choices&, const Engine&);

// Steps and calls (session_claims.cc).
Violation Runs(const Program&, Choices&, const Engine&);
Violation FetchSubset(const Program&, Choices&, const Engine&);
Violation FeedInner(const Program&, Choices&, const Engine&);

// Steps that are stopped (stop_claims.cc).
Violation StepLimit(const Program&, Choices&, const Engine&);
Violation Cancellation(const Program&, Choices&, const Engine&);

// Orders (order_claims.cc).
Violation RandomOrder(const Program&, Choices&, const Engine&);
Violation Parallel(const Program&, Choices&, const Engine&);

// Passes (simplify_claim.cc).
Violation Simplification(const Program&, Choices&, const Engine&);

// Functions (recover_claim.cc).
Violation Recovered(const Program&, Choices&, const Engine&);
Violation Functional(const Program&, Choices&, const Engine&);

// Devices (placement_claim.cc).
Violation Placed(const Program&, Choices&, const Engine&);
Violation PlacedByCost(const Program&, Choices&, const Engine&);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_
