#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_FOLD_CONSTANTS_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_FOLD_CONSTANTS_H_

// Replaces ops of which every input is a constant by constants: of one output, the node itself
// becomes a Const, so that it may be fetched and waited for as before; of several, each output gets
// a Const of its own.
//
// What is a constant: a Const, also where constant Enters and Identities hand it on. A Const in a
// branch or a loop has control inputs that say when it is live; an Enter says so by being waited
// for. The new Const waits for all of these and for what its node waited for, and so is live, and
// comes in every iteration, when the node would have ([control.3]).
//
// What is not folded: ops that are not pure; ops whose evaluation fails, so that the error comes
// when the step runs, if it comes there; operands or results of too large a size, or results
// of an unknown one; what would wait for more nodes than it did before, so that the graph has no
// more edges than it had.
//
// Cost: linear, and the evaluations.
// Tested by fold_constants_test.cc.

#include <cstddef>
#include <cstdint>

#include "graph/call.h"
#include "graph/evaluate.h"
#include "graph/graph.h"

namespace tagflow {

struct FoldLimits {
  size_t operand_bytes = 64 << 10;  // of the inputs of one node: a plan cannot be cancelled
  size_t result_bytes = 64 << 10;   // of the outputs of one node
  size_t total_bytes = 16 << 20;    // of all that one pass makes
};

// Returns how many nodes were folded.
int64_t FoldConstants(Graph& graph, const CallSpec& call, const Evaluate& evaluate,
                      const FoldLimits& limits = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_FOLD_CONSTANTS_H_
