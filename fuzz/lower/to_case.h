#ifndef TAGFLOW_FUZZ_LOWER_TO_CASE_H_
#define TAGFLOW_FUZZ_LOWER_TO_CASE_H_

// Programs as conformance cases, which any engine can be held to.

#include <string>
#include <vector>

#include "conformance/case.pb.h"
#include "fuzz/direct/direct.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// The step that gives the variables their first values, where there are any, then one step per run,
// with what the direct evaluator gives. `about`: one sentence. Where an engine may round otherwise
// the whole tensor gets the widest of its elements' tolerances, times kToleranceFactor.
//   Errors: Lower's; Evaluate's, for a program that fails.
Result<conformance::Case> ToCase(const Program& program, const std::string& name,
                                 const std::string& about);

// As above, from what is known already. `expected`: one per run.
Result<conformance::Case> ToCase(const Program& program, const Lowered& lowered,
                                 const std::vector<RunResult>& expected, const std::string& name,
                                 const std::string& about);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_TO_CASE_H_
