#ifndef TAGFLOW_FUZZ_FUNCTIONS_OUTLINE_H_
#define TAGFLOW_FUZZ_FUNCTIONS_OUTLINE_H_

// Graphs whose parts become functions that they call, so that functions call functions, are called
// from several places, have effects, and call themselves.
//
// Tested by outline_test.cc and, through the property `functions`, by properties_test.cc.

#include "fuzz/generate/choices.h"
#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow::fuzz {

// Runs of nodes of the graph, and of the functions of its library, become functions; calls take
// their places, some of them twice. A call gives what its nodes gave; only parts where no token
// can be dead are taken, since calls are strict.                        Spec: [functional.strict]
// What the call feeds, fetches and runs keeps its name.
//   Errors: of InstantiateFunction
Status OutlineCalls(Graph& graph, const CallSpec& call, Choices& choices);

// A While of the graph becomes a function that calls itself once for each iteration: it gives
// RESOURCE_EXHAUSTED where these are more than about half of kMostNestedCalls. False where there is
// no While whose name is not that of a feed, fetch or target.
bool MakeRecursive(Graph& graph, const CallSpec& call, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_FUNCTIONS_OUTLINE_H_
