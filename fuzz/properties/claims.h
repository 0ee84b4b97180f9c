#ifndef TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_
#define TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_

// The properties by themselves; properties.cc says in a line what each claims.

#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

// Against the tree's evaluator (direct_claims.cc).
Violation EqualsDirect(const Program&, Choices&, const Runner&);

// The graph, written down and read again (graph_claims.cc).
Violation ShuffledNodes(const Program&, Choices&, const Runner&);
Violation RoundTrip(const Program&, Choices&, const Runner&);

// Steps and calls (session_claims.cc).
Violation Runs(const Program&, Choices&, const Runner&);
Violation FetchSubset(const Program&, Choices&, const Runner&);
Violation FeedInner(const Program&, Choices&, const Runner&);

// Steps that are stopped (stop_claims.cc).
Violation StepLimit(const Program&, Choices&, const Runner&);
Violation Cancellation(const Program&, Choices&, const Runner&);

// Orders (order_claims.cc).
Violation RandomOrder(const Program&, Choices&, const Runner&);
Violation Parallel(const Program&, Choices&, const Runner&);

// Passes (simplify_claim.cc).
Violation Simplification(const Program&, Choices&, const Runner&);

// Devices (placement_claim.cc).
Violation Placed(const Program&, Choices&, const Runner&);
Violation PlacedByCost(const Program&, Choices&, const Runner&);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_
