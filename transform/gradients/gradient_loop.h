#ifndef TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_LOOP_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_LOOP_H_

// The frame of a gradient loop, whatever one of its iterations goes back over: a variable that
// counts down, one for the gradient of each forward variable on the path, one that adds up the
// gradient of each constant on the path. loop_gradient.cc and rematerialize.cc are the bodies.

#include <utility>
#include <vector>

#include "graph/builder/loop_builder.h"
#include "transform/gradients/loop_history.h"
#include "transform/gradients/region.h"

namespace tagflow::internal {

class GradientLoop {
 public:
  // The loop is added to the region's scope. `count`: how many iterations it makes.
  GradientLoop(Region& outer, const ForwardLoop& loop, LoopHistory& history, const Output& count);

  LoopBuilder& builder() { return builder_; }
  // Of the variables of the gradient loop: the counter, from `count` down to 1.
  size_t counter() const { return counter_; }
  // The forward variable or constant Enter, and the variable of its gradient.
  const std::vector<std::pair<const ForwardVariable*, size_t>>& gradients() const {
    return gradients_;
  }
  const std::vector<std::pair<NodeId, size_t>>& accumulators() const { return accumulators_; }

  // The next iteration's count waits for what is done in this one.
  void NextWaitsFor(const std::vector<Operation>& done) { awaited_ = done; }
  // Ends the loop, and hands what it gives to the region: the gradients of what enters the forward
  // loop.
  Status Finish();

 private:
  void AddVariable(const ForwardVariable& variable);
  void AddAccumulator(NodeId enter);

  Region& outer_;
  Forward& forward_;
  const ForwardLoop& loop_;
  LoopHistory& history_;
  LoopBuilder builder_;
  size_t counter_ = 0;
  std::vector<Operation> awaited_;
  std::vector<std::pair<const ForwardVariable*, size_t>> gradients_;
  std::vector<std::pair<NodeId, size_t>> accumulators_;
};

// The gradient loop of a loop that is rematerialized (GradientOptions::rematerialize).
//   Errors: INVALID_ARGUMENT for a number of iterations that is wrong, or needed and not known;
//   UNIMPLEMENTED for a body that cannot be run again; those of Gradients.
Status AddRematerializedGradient(Region& outer, const ForwardLoop& loop,
                                 const Rematerialization& chosen);

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_LOOP_H_
