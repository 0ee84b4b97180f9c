#ifndef TAGFLOW_GRAPH_BUILDER_WHILE_LOOP_H_
#define TAGFLOW_GRAPH_BUILDER_WHILE_LOOP_H_

// WhileLoop: a loop of any number of variables, as the primitives.
//
//   initial ─ Enter ─ Merge ──────────────── Switch ─ port 0 ─ Exit ─ output
//                      ▲ └ predicate ─ LoopCond ┘└ port 1 ─ Identity ─ body ┐
//                      └───────────────── NextIteration ◀───────────────────┘

#include <functional>
#include <string>
#include <vector>

#include "graph/builder/input.h"
#include "graph/builder/output.h"
#include "graph/builder/scope.h"
#include "graph/partial_shape.h"

namespace tagflow {

// Given the loop variables, a bool scalar: whether to go round again.
using PredicateFunction = std::function<Output(const Scope&, const OutputList&)>;
// Given the loop variables, their next values, as many and of the same types.
using BodyFunction = std::function<OutputList(const Scope&, const OutputList&)>;

struct WhileOptions {
  std::string name = "while";
  std::string frame_name = {};       // "": the loop's full name. Unique in the graph.
  int64_t parallel_iterations = 10;  // how many iterations may run at once; at least 1
  // At most so many iterations, whatever the predicate says: a number, or an integer scalar made
  // outside the loop.
  Input maximum_iterations = {};
  bool back_prop = true;     // for the gradient pass; recorded on the nodes
  bool swap_memory = false;  // for the gradient pass; recorded on the nodes
  // Per variable (or none at all) what every iteration's value has in common: needed where the
  // shape changes from one iteration to the next.
  std::vector<PartialShape> shape_invariants = {};
  // Effects of the body (assignments, Assert) run in every iteration, and before the next one
  // begins; those of the predicate before it is answered. False: they run only where control edges
  // or data lead from them to something fetched.
  bool run_effects = true;
  bool create_while_context = true;  // as TensorFlow: see WhileContext::listed
};

// The values of the variables once `predicate` is false, one output per input. Tensors from outside
// may be used in both functions as they are: the builder captures them, at every depth. An output
// is live as soon as its variable's last value is (not strict).
//   Errors: INVALID_ARGUMENT for no variable, a predicate that is no bool scalar, a body that gives
//   another number of tensors, another type, or a shape that cannot be that of the variable,
//   parallel_iterations below 1, shape_invariants of another number or that do not fit;
//   ALREADY_EXISTS for a frame_name in use.
OutputList WhileLoop(const Scope& scope, const OutputList& inputs,
                     const PredicateFunction& predicate, const BodyFunction& body,
                     const WhileOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_WHILE_LOOP_H_
