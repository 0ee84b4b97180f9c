#ifndef TAGFLOW_FUZZ_HARNESS_CALL_AGREEMENT_H_
#define TAGFLOW_FUZZ_HARNESS_CALL_AGREEMENT_H_

// Whether an engine gives for a call of an op what the reference gives, but for the rounding that
// the op allows (graph/rounding.h). Tested by equal_kernels_test.cc.

#include <vector>

#include "fuzz/graphs/sample.h"
#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// Whether there is one right answer: the call draws no random numbers that no seed says, and its
// graph can be handed to an engine as it is.
bool IsKnown(const GraphSample& call);

// Compares what one run gave on the reference with what it gave on an engine.
//   has_our_codes: whether the engine gives an error the code that it has on the reference
Finding CompareCalls(const GraphSample& call, const Result<std::vector<Tensor>>& wanted,
                     const Result<std::vector<Tensor>>& actual, bool has_our_codes);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_CALL_AGREEMENT_H_
