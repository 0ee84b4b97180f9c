#ifndef TAGFLOW_TRANSFORM_GRADIENTS_GRADIENTS_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_GRADIENTS_H_

// Gradients: adds to a graph the nodes that compute dy/dx, through branches and loops nested in any
// way, and through the gradients of gradients.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/builder/output.h"
#include "graph/builder/scope.h"
#include "graph/status.h"
#include "transform/gradients/gradient_function.h"

namespace tagflow {

// What a loop keeps the values on that its way back needs.
enum class History : uint8_t {
  // Lists that are loop variables: values, so that gradients have gradients, and what is pushed is
  // ordered by the data alone.
  kLists,
  // Stacks, as in the paper: pushes and pops are ordered by control edges and the iteration
  // counters. For graphs that others read; a stack has no gradient.
  kStacks,
};

struct GradientOptions {
  // Outlives the call.
  const GradientRegistry* registry = &GradientRegistry::Standard();
  // An x that no path leads to from a y gets zeros instead of an invalid Output.
  bool zeros_for_unreached = false;
  History history = History::kLists;
  // The loops, by frame name ("*": every one), that keep no history: they save their variables
  // before iterations 0, 1, 3, 6, 10, …, and what lies between is computed again, a block of
  // iterations at a time. Of N iterations that keeps at most sqrt(2N) + 1 states, and sqrt(2N)
  // values of each history; each iteration is computed once more. A loop in such a loop keeps its
  // history, within a block, unless it is named too.
  std::vector<std::string> rematerialize = {};
};

// For each x the sum, over all elements of all ys, of grad_ys times the derivative by x. An x that
// no path leads to from a y gets an invalid Output.
//   ys: floating or complex tensors; xs: such tensors of any shape.
//   grad_ys: one per y, of its type and shape; none at all: ones.
//   Output: one per x, of its type and shape; live when x is.
//   Errors: INVALID_ARGUMENT for ys and xs that are no tensors of `scope`'s graph, that are
//   integers or strings, or of another frame than `scope`, naming the frame; UNIMPLEMENTED for an
//   op without gradient on the path, which is named with the path, and for control flow that is no
//   nest of branches and loops. An error leaves the graph as it was and the scope usable.
Result<OutputList> Gradients(const Scope& scope, const OutputList& ys, const OutputList& xs,
                             const OutputList& grad_ys = {}, const GradientOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_GRADIENTS_H_
