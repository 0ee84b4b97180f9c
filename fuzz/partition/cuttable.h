#ifndef TAGFLOW_FUZZ_PARTITION_CUTTABLE_H_
#define TAGFLOW_FUZZ_PARTITION_CUTTABLE_H_

// Whether the frames of a call may be put on several devices ([partition.3]), by a proof that is
// simple and may miss some: where it succeeds, nobody may refuse to cut them.
//
// Tested by cuttable_test.cc.

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"

namespace tagflow::fuzz {

// Whether every frame has one LoopCond, and each NextIteration is plainly dead where that is false:
// by data or control edges, from output 1 of a Switch on it.
bool CanSurelyBeCut(const Graph& graph, const CallSpec& call, const ValidatedCall& valid);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_CUTTABLE_H_
