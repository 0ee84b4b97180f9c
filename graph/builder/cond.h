#ifndef TAGFLOW_GRAPH_BUILDER_COND_H_
#define TAGFLOW_GRAPH_BUILDER_COND_H_

// Cond: one of two branches, by a Switch per captured tensor and a Merge per output.
//
//            ┌ port 0 ─ false branch ─┐
//   x ─ Switch                        Merge ─ output     (the false branch is Merge input 0)
//            └ port 1 ─ true branch ──┘

#include <functional>
#include <string_view>

#include "graph/builder/input.h"
#include "graph/builder/output.h"
#include "graph/builder/scope.h"

namespace tagflow {

// Builds a branch in the scope it is given, and returns its outputs. Tensors from outside are used
// as they are: the builder captures them.
using BranchFunction = std::function<OutputList(const Scope&)>;

// The outputs of a Cond, and the operation that waits for the branch that ran.
class CondResult {
 public:
  CondResult(OutputList outputs, Operation done)
      : outputs_(std::move(outputs)), done_(std::move(done)) {}

  const OutputList& outputs() const { return outputs_; }
  size_t size() const { return outputs_.size(); }
  Output operator[](size_t i) const { return outputs_[i]; }
  operator Output() const { return outputs_[0]; }   // NOLINT
  operator OutputList() const { return outputs_; }  // NOLINT
  operator Input() const { return outputs_[0]; }    // NOLINT
  // Runs after the effects of the branch that was taken; with outputs and no effects, the first
  // output's Merge.
  const Operation& done() const { return done_; }

 private:
  OutputList outputs_;
  Operation done_;
};

// Runs `then_branch` when `pred` (a bool scalar) is true, else `else_branch`. Both give the same
// number of outputs (possibly none) of the same types. Nothing a branch function makes runs when
// its branch is not taken; what was made outside it always runs. Each output is live as soon as
// its branch has made it (not strict). Effects (assignments, Assert) of the branch taken run before
// done().
//   Errors: INVALID_ARGUMENT for a predicate that is not a bool scalar, branches whose outputs
//   differ in number or type, a tensor of one branch used elsewhere.
CondResult Cond(const Scope& scope, const Output& pred, const BranchFunction& then_branch,
                const BranchFunction& else_branch, std::string_view name = "cond");

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_COND_H_
