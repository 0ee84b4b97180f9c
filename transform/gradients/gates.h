#ifndef TAGFLOW_TRANSFORM_GRADIENTS_GATES_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_GATES_H_

// Gradients under conditions. The gradient of a tensor must be live exactly when the tensor was,
// and what is added up to it may come from branches of which only one was taken:
//
//   x ─┬─ Switch(p) ─ port 1 ─ f      the contributions to x: one that is live under p, from f;
//      └─ g                           one that is always live, from g.
//
//   d f ─────────────────────────┐
//   zeros, live where p is false ┴ Merge ─┐
//   d g ──────────────────────────────────┴ Add ─ d x
//
// So every contribution carries its condition, and Sum joins those of the ways a predicate can go,
// with zeros for the ways that have none, until all have the tensor's own condition. That is the
// gradient of Switch, and of any other way by which a node comes to be live less often than its
// inputs: a control edge from a branch, an operand from one. The gradient of Merge is Gate.
//
// Invariant: a condition here holds what `base` says, too, which is true wherever the scope's nodes
// run: the branches around the call, and in a gradient loop that the forward loop went on.

#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transform/gradients/forward.h"
#include "transform/gradients/forward_values.h"

namespace tagflow::internal {

// A summand of the gradient of a tensor: a whole one, or an update of the sum.
struct Contribution {
  ConditionId condition;
  Output whole;
  GradientUpdate update;
};

class Gates {
 public:
  Gates(Forward& forward, ForwardValues& values, Scope scope, ConditionId base)
      : forward_(forward), values_(values), scope_(std::move(scope)), base_(base) {}

  ConditionId base() const { return base_; }
  // kNever where the two contradict each other.
  ConditionId UnderBase(ConditionId condition) {
    return forward_.conditions().Both(base_, condition);
  }

  // `output`, live under `from`, made dead where `to` does not hold.
  Output Gate(Output output, ConditionId from, ConditionId to);
  // `change` applied to `output` where the literals hold; elsewhere it stays as it is.
  Output Guarded(const Output& output, std::span<const ConditionLiteral> literals,
                 const std::function<Output(const Output&)>& change);
  // A node that is live exactly where the condition holds. REQUIRES: more than the base
  Operation Pivot(ConditionId condition);
  // A tensor that is, of any value.
  Output Token(ConditionId condition);
  // Where what takes no input is live exactly where the condition holds.
  Scope Under(ConditionId condition);
  // A zero gradient of `like`, live exactly where the condition holds.
  Output Zeros(OutputRef like, ConditionId condition);
  // The gradient of `like`, live where it was. REQUIRES: there are contributions
  Output Sum(OutputRef like, std::vector<Contribution> contributions);
  // `sum` and all contributions; live where the base holds.
  Output Accumulate(OutputRef like, Output sum, const std::vector<Contribution>& contributions);

 private:
  // By the number of literals.
  using Groups = std::map<std::pair<int32_t, ConditionId>, std::vector<Contribution>>;
  std::pair<int32_t, ConditionId> Key(ConditionId condition) {
    return {forward_.conditions().num_literals(condition), condition};
  }

  Operation SwitchOn(const Output& output, int32_t predicate);
  Output Add(OutputRef like, const std::vector<Output>& summands);
  // The sum of contributions of one condition.
  Output SumOf(OutputRef like, const std::vector<Contribution>& group, ConditionId condition);
  // Joins those of the innermost predicate of `condition`.
  void JoinWays(OutputRef like, ConditionId condition, ConditionId to, Groups& groups);
  ConditionLiteral Innermost(ConditionId condition, ConditionId to);

  Forward& forward_;
  ForwardValues& values_;
  Scope scope_;
  ConditionId base_;
  std::map<std::pair<OutputRef, int32_t>, Operation> switches_;
  std::unordered_map<ConditionId, Operation> pivots_;
  std::unordered_map<ConditionId, Output> tokens_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_GATES_H_
