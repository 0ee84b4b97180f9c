#ifndef TAGFLOW_FUZZ_HARNESS_MIXTURE_H_
#define TAGFLOW_FUZZ_HARNESS_MIXTURE_H_

// The mixture of properties that a plain `tagflow fuzz` checks: one table says how often each has
// its turn.

#include <string>
#include <vector>

#include "fuzz/harness/campaign.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// The properties that the engine of that name is held to where nobody names one, each with the
// profile of its programs and its share of the samples.
//   Errors: INVALID_ARGUMENT for "reference:" with an order that is no number.
Result<std::vector<Claim>> PlainRun(const std::string& engine);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_MIXTURE_H_
