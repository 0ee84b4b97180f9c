#ifndef TAGFLOW_TRANSFORM_GRADIENTS_GRADIENTS_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_GRADIENTS_H_

// Gradients: adds to a graph the nodes that compute dy/dx, through branches and loops nested in any
// way, and through the gradients of gradients.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// A loop that keeps no history, but saves its variables now and then: what lies between is computed
// again. What its body changes outside is not changed again, and what effects, reads and random
// numbers gave is kept: one value for each iteration.
//
// A loop in such a loop keeps its history while an iteration of the outer one is gone back over,
// unless it is named too.
struct Rematerialization {
  // The frame's name; "*": every loop that no other entry names.
  std::string loop;
  // Unset: the variables are saved before iterations 0, 1, 3, 6, 10, …, whatever the number of
  // iterations will be. Of N that keeps at most sqrt(2N) + 1 states, and sqrt(2N) values of each
  // history; each iteration is computed once more.
  // Set, at least 1: that many states are saved at a time, beside the one at hand, and no history.
  // The number N of iterations must be known (below; with "*", loops of unknown numbers are gone
  // back over as if it were unset). Iterations are computed again as rarely as that allows: each
  // once where it is reversed, and t(N, states) - N + 1 to come there (binomial_schedule.h).
  std::optional<int64_t> states = {};
  // How many iterations the loop makes, where that is not plain from a counter that is compared
  // with a constant. Where it makes another number, the run of its gradient fails.
  std::optional<int64_t> trips = {};
};

struct GradientOptions {
  // Outlives the call.
  const GradientRegistry* registry = &GradientRegistry::Standard();
  // An x that no path leads to from a y gets zeros instead of an invalid Output.
  bool zeros_for_unreached = false;
  History history = History::kLists;
  // The loops that keep no history.
  std::vector<Rematerialization> rematerialize = {};
  // The entry for the loop of a frame; null where it keeps its history.
  const Rematerialization* RematerializationOf(std::string_view frame) const;
};

// For each x the sum, over all elements of all ys, of grad_ys times the derivative by x. An x that
// no path leads to from a y gets an invalid Output.
//   ys: floating or complex tensors; xs: such tensors of any shape, and handles of such variables,
//   which stand for the value of the variable, wherever it is read.
//   grad_ys: one per y, of its type and shape; none at all: ones.
//   Output: one per x, of its type and shape, or its variable's; live when x is.
//   Errors: INVALID_ARGUMENT for ys and xs that are no tensors of `scope`'s graph, that are
//   integers, strings or flows of TensorArrays, or of another frame than `scope`, naming the frame;
//   for a budget of states below 1, for a loop of unknown length, or for none of a name
//   (GradientOptions); UNIMPLEMENTED for an op without gradient on the path, which is named with
//   the path, for control flow that is no nest of branches and loops, and for a variable that is
//   changed between its reads. An error leaves the graph as it was and the scope usable.
Result<OutputList> Gradients(const Scope& scope, const OutputList& ys, const OutputList& xs,
                             const OutputList& grad_ys = {}, const GradientOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_GRADIENTS_H_
