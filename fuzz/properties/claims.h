#ifndef TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_
#define TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_

// The properties by themselves; properties.cc says in a line what each claims.

#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

// Against the tree's evaluator (direct_equals_reference.cc).
Violation DirectEqualsReference(const Program&, Choices&, const reference::Rules&);

// The graph, written down and read again (graph_claims.cc).
Violation ShuffledNodes(const Program&, Choices&, const reference::Rules&);
Violation RoundTrip(const Program&, Choices&, const reference::Rules&);

// Steps and calls (session_claims.cc).
Violation Runs(const Program&, Choices&, const reference::Rules&);
Violation FetchSubset(const Program&, Choices&, const reference::Rules&);
Violation FeedInner(const Program&, Choices&, const reference::Rules&);

// Steps that are stopped (stop_claims.cc).
Violation StepLimit(const Program&, Choices&, const reference::Rules&);
Violation Cancellation(const Program&, Choices&, const reference::Rules&);

// Orders (order_claims.cc).
Violation RandomOrder(const Program&, Choices&, const reference::Rules&);
Violation Parallel(const Program&, Choices&, const reference::Rules&);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_CLAIMS_H_
