#ifndef TAGFLOW_FUZZ_HARNESS_EXPLAIN_H_
#define TAGFLOW_FUZZ_HARNESS_EXPLAIN_H_

// A failure told by what went wrong first.

#include <string>

#include "fuzz/harness/worker_engines.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// The first token that the engine under test makes otherwise than the reference, with its causes
// (token_diff.h). Where there is none, the first value of the program that differs from the direct
// evaluator's. Empty where there is nothing to tell.
std::string Explain(const Program& program, const EngineChoice& engines);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EXPLAIN_H_
