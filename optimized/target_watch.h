#ifndef TAGFLOW_OPTIMIZED_TARGET_WATCH_H_
#define TAGFLOW_OPTIMIZED_TARGET_WATCH_H_

// Which targets of a call ran. A target that is dead is no error ([step.2]) and leaves no trace in
// an executor, so the graph is asked: each target gets a witness, a node that comes after it, and
// so is live where the target was live, under the same tag; it makes a variable of the step. A
// target of whose witness the step has no variable was dead wherever it fired.
//
// The executors know nothing of it. It costs a clone of the graph for the call, and a kernel for
// each live firing of a target; sessions do it where they are asked to.
// Tested by target_watch_test.cc.

#include <memory>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"
#include "transform/simplify/prune.h"

namespace tagflow::optimized {

// The graph with a witness for each target, and the call with the witnesses as more targets.
CallGraph WithWitnesses(const Graph& graph, const CallSpec& call);

// The same kernels; but that a witness, which may run again and again, makes one variable.
std::unique_ptr<KernelRegistry> WitnessKernels(const KernelRegistry& kernels);

// The names of the targets that had no live firing in the step, in the order of `targets`.
std::vector<std::string> DeadTargets(const std::vector<std::string>& targets, StepState& step);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_TARGET_WATCH_H_
