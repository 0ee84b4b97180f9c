#ifndef TAGFLOW_FUZZ_PROPERTIES_WITH_FUNCTIONS_H_
#define TAGFLOW_FUZZ_PROPERTIES_WITH_FUNCTIONS_H_

// A lowered program by way of functions.
//
// Tested by properties_test.cc.

#include "fuzz/generate/choices.h"
#include "fuzz/lower/lower.h"
#include "graph/call.h"
#include "transform/structure/recover_functions.h"

namespace tagflow::fuzz {

// The call of all that the program fetches, and of the step that initializes its variables.
Result<CallSpec> WholeCallOf(const Lowered& lowered);

// Its loops and conds made While, If and Case, and parts of it functions that they call.
//   Errors: those of RecoverFunctions and OutlineCalls
Result<RecoveredGraph> WithFunctions(const Lowered& lowered, const CallSpec& call,
                                     Choices& choices);

// The names of what initializes, in a graph of WithFunctions.
std::vector<std::string> TargetsOf(const Graph& graph, const CallSpec& call);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_WITH_FUNCTIONS_H_
