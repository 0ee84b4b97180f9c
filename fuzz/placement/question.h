#ifndef TAGFLOW_FUZZ_PLACEMENT_QUESTION_H_
#define TAGFLOW_FUZZ_PLACEMENT_QUESTION_H_

// What a placer may be asked, at random: which devices there are, what each has kernels for, how
// quick they and the links between them are, what a run has measured, and what nodes ask for.

#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/program.h"
#include "graph/call.h"
#include "transform/placement/place.h"

namespace tagflow::fuzz {

struct PlacementQuestion {
  Graph graph;
  std::vector<CallSpec> calls;  // that are to be cut by what is placed
  DeviceCatalog catalog;
  PlacementOptions options;
};

// Two to four devices of kinds CPU and SIM, the first of kind CPU, which has a kernel for
// everything; some have a memory that is too small. Either nodes ask for nothing, or for what may
// not be there, and then softly or not.
PlacementQuestion DrawQuestion(const Graph& graph, std::vector<CallSpec> calls, Choices& choices);

// The calls of a lowered program: the one that gives variables their values, if there are any, and
// the one that fetches.
std::vector<CallSpec> CallsOf(const Lowered& lowered);

// What is placed when a question is drawn for the program and asked softly.
Result<PlacementReport> PlaceSoftly(const Lowered& lowered, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PLACEMENT_QUESTION_H_
