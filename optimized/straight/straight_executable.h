#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_STRAIGHT_EXECUTABLE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_STRAIGHT_EXECUTABLE_H_

// The executor of structured graphs: what is live when is known by plan (transform/deadness), so
// that a step is code over slots, without tokens, pending counts or queues.
//
//   structure -> schedule (order) -> emitter (instructions) -> last_use (moves, reuse) -> machine
//
// When it applies: graphs whose structure is recovered, on one thread. When not: see `irregular`.
// Cost: one indirect call per kernel; nothing for Switch, Merge of loop invariants, Enter, Exit,
// Identity; nothing for what is dead.

#include <memory>
#include <string>

#include "graph/status.h"
#include "optimized/executable.h"

namespace tagflow::optimized {

struct StraightResult {
  std::string irregular;  // why the graph wants tokens; empty: there is an executable
  std::unique_ptr<Executable> executable;
};

//   Errors: UNIMPLEMENTED for an op without kernel, naming the node.
// The spec's graph outlives the executable.
Result<StraightResult> MakeStraightExecutable(const ExecutableSpec& spec);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_STRAIGHT_EXECUTABLE_H_
