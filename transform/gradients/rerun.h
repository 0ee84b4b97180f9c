#ifndef TAGFLOW_TRANSFORM_GRADIENTS_RERUN_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_RERUN_H_

// Iterations of a forward loop, run again in the body of its gradient loop from a state (the values
// of all variables of the forward loop), and the way back over them.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/body_copy.h"
#include "transform/gradients/effect_replay.h"
#include "transform/gradients/gradient_loop.h"

namespace tagflow::internal {

class Rerun {
 public:
  // scope: of the gradient loop's body
  Rerun(Region& outer, LoopHistory& history, const Scope& scope);

  // A state that was saved last, taken off the lists of LoopHistory, or put onto them.
  OutputList Pop(std::vector<Output>& lists) const;
  void Push(const Scope& scope, const OutputList& state, std::vector<Output>& lists) const;

  // Makes it the initial values of variables of `loop`.
  void AddState(LoopBuilder& loop, const OutputList& state) const;

  // What iterations are run again for: for their gradient, or to come to those that are. The latter
  // take what the loop captures by another way, for their share is added up when their turn comes.
  enum class Way : uint8_t { kToDifferentiate, kToPass };

  // Iterations `begin` to `end` - 1, int32 scalars, from `state`: a loop in `scope`.
  Result<OutputList> Run(const Scope& scope, const char* name, const Output& begin,
                         const Output& end, const OutputList& state, Way way);
  // The iteration `number`, in the gradient loop's body itself.
  Result<OutputList> RunOne(const Output& number, const OutputList& state) {
    return CopyBody(scope_, number, state, Way::kToDifferentiate);
  }

  // The way back over iterations that went from `state` to `results`: the next values of the
  // gradient loop's variables that hold gradients.
  Status GoBack(const OutputList& state, const OutputList& results, const GradientLoop& gradient,
                const OutputList& given, std::vector<Output>& next);
  // Takes the effects out of what was run again. REQUIRES: the gradient loop's body is complete
  Status TakeOutEffects();

 private:
  Result<OutputList> CopyBody(const Scope& in, const Output& number, const OutputList& state,
                              Way way);
  void Choose(int frame, const std::string& copy);
  PartialShape ShapeOf(const ForwardVariable& variable) const {
    return forward_.state().shape({variable.merge, 0});
  }
  bool IsFlow(const ForwardVariable& variable) const {
    return forward_.IsFlow({variable.merge, 0});
  }

  Forward& forward_;
  const ForwardLoop& loop_;
  Scope scope_;
  EffectHistory effects_;
  std::map<NodeId, Output> captured_;  // by the loop's constant Enters: to differentiate by
  std::map<NodeId, Output> passed_;    // the same, to pass
  std::deque<std::pair<BodyCopy, Output>> copies_;  // with the number of their iteration
  std::vector<Rematerialization> inner_;            // of loops in the copies
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_RERUN_H_
