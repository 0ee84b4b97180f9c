#ifndef TAGFLOW_TRANSFORM_GRADIENTS_LOOP_VALUES_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_LOOP_VALUES_H_

// Forward values in a gradient loop, whose iterations are those of the forward loop in reverse. A
// tensor is had in the first of these ways that there is:
//
//   1. what the loop captures from outside is captured here, too;
//   2. a constant is made again;
//   3. any other is saved (loop_history.h), and popped here, in the branch that it was pushed in.

#include <map>
#include <utility>
#include <vector>

#include "graph/builder/loop_builder.h"
#include "transform/gradients/forward_values.h"
#include "transform/gradients/gates.h"
#include "transform/gradients/loop_history.h"

namespace tagflow::internal {

class LoopValues : public ForwardValues {
 public:
  // `outer`: values in the frame around the loop. `builder`: the gradient loop, whose body `scope`
  // is being built.
  // iteration: a node that runs once in each iteration of the gradient loop
  LoopValues(Forward& forward, LoopHistory& history, ForwardValues& outer, LoopBuilder& builder,
             const Operation& iteration, Scope scope)
      : forward_(forward),
        history_(history),
        outer_(outer),
        builder_(builder),
        iteration_(iteration),
        scope_(std::move(scope)),
        gates_(forward, *this, scope_,
               forward.conditions().With(ConditionId::kAlways, history.loop().repeats)) {}

  Output Value(OutputRef tensor) override;
  Output ShapeOf(OutputRef tensor) override;
  Gates& gates() { return gates_; }

  // What the next iteration has to wait for.
  const std::vector<Operation>& popped() const { return popped_; }
  // The variables that were added to the gradient loop, and what comes next of them.
  const std::vector<std::pair<size_t, Output>>& added() const { return added_; }

 private:
  Output Find(OutputRef tensor);
  Output PopList(OutputRef tensor);
  Output PopStack(OutputRef tensor);
  // The tensor of the frame that this one is only another name of.
  OutputRef Origin(OutputRef tensor);
  OutputRef PastNames(OutputRef tensor) const;

  Forward& forward_;
  LoopHistory& history_;
  ForwardValues& outer_;
  LoopBuilder& builder_;
  Operation iteration_;
  Scope scope_;
  Gates gates_;
  std::map<OutputRef, Output> known_;
  std::map<OutputRef, OutputRef> captured_;  // what ports of Switches lead to, if that is outside
  std::vector<std::pair<size_t, Output>> added_;
  std::vector<Operation> popped_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_LOOP_VALUES_H_
