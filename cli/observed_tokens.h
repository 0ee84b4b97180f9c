#ifndef TAGFLOW_CLI_OBSERVED_TOKENS_H_
#define TAGFLOW_CLI_OBSERVED_TOKENS_H_

// What the kernels of the engine gave, by node and tag, also inside of loops: an observer's view.
//
// Partial: Switch, Merge and the like are no kernels, dead instances run none, and what an engine
// simplifies away never runs. So of a firing that is not there nothing follows.
//
// Tested by observed_tokens_test.cc.

#include <memory>
#include <string>

#include "cli/run_session.h"
#include "conformance/op_library.h"
#include "fuzz/harness/token_trace.h"

namespace tagflow::cli {

// A step of `calls` on the optimized engine of this name (OpenSession), of which the firings are
// told that `guide` has too.
//   Errors: INVALID_ARGUMENT for another engine; the calls cannot be made at all.
Result<fuzz::TokenTrace> TraceObserved(const std::string& engine, const OpLibrary& library,
                                       double timeout_s, const fuzz::CallSequence& calls,
                                       const fuzz::TokenTrace& guide);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_OBSERVED_TOKENS_H_
