#ifndef TAGFLOW_TRANSFORM_GRADIENTS_EFFECT_REPLAY_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_EFFECT_REPLAY_H_

// What a loop's effects gave, for the iterations that are run again (rematerialize.cc). An
// assignment, a read of a variable or an array, a random number must not happen twice, or may give
// something else the second time. So the forward loop keeps what such nodes gave, one element of a
// list for each iteration, and in a copy of the body
//
//   the copy of a node                        is replaced by
//   with outputs                              TensorListGetItem(the node's list, the iteration)
//   that gives the flow of an array           a constant: a flow says nothing
//   that others only wait for                 nothing: they wait for what tells that it was live
//
// which is live exactly where the node was. What has to do with a reference to a variable is such a
// node, too, and of a reference the value that it shows is kept. In an inner loop of the body the
// list is an element of the outer loop's list of lists, and the iteration is counted there.
//
// The copies are there until the gradient of the body is built, which is found through them: that
// an array's element is what was written to it is seen in no list.

#include <map>
#include <utility>
#include <vector>

#include "transform/gradients/body_copy.h"
#include "transform/gradients/loop_history.h"
#include "transform/gradients/region.h"

namespace tagflow::internal {

// The lists that a loop and those in it keep of what their effects gave.
class EffectHistory {
 public:
  EffectHistory(Region& outer, LoopHistory& history) : outer_(outer), history_(history) {}

  // Of the values of a tensor of the loop: a tensor where its gradient loop is built.
  Output ListFor(OutputRef tensor) { return outer_.values().Value(history_.SaveEach(tensor)); }
  // Of a tensor of a loop in it: a forward tensor of the frame around that.
  //   Errors: Forward::LoopOf's
  Result<OutputRef> InnerList(int frame, OutputRef tensor);

 private:
  Region& outer_;
  LoopHistory& history_;
  std::map<int, LoopHistory> inner_;  // by frame
};

// Takes the effects out of one copy of the body.
class EffectReplay {
 public:
  // iteration: which one the copy runs, an int32 scalar of the copy's frame
  EffectReplay(Forward& forward, const ForwardLoop& loop, EffectHistory& history,
               const BodyCopy& copy, const Output& iteration);

  // REQUIRES: the nodes that take what the copy gives are all there.
  //   Errors: UNIMPLEMENTED for references to variables that meet in a branch; Forward::LoopOf's
  Status Run();

 private:
  struct Use {
    NodeId user;
    int32_t slot;      // kControl: a control edge
    OutputRef effect;  // in the forward loop
  };
  static constexpr int32_t kControl = -1;

  void FindUses();
  bool RunsAlways(NodeId node) const;
  Result<OutputRef> Recorded(OutputRef tensor);
  Result<OutputRef> WhereLive(OutputRef tensor);
  Result<OutputRef> WhereLive(NodeId node);
  Result<NodeId> Witness(OutputRef input);
  Result<OutputRef> IterationOf(int frame);
  Result<OutputRef> CountIterations(int frame);
  Result<OutputRef> ListIn(int frame, OutputRef tensor);
  Result<OutputRef> ElementOf(OutputRef list, OutputRef index, OutputRef like);
  Result<NodeId> EnterOf(int frame) const;
  Result<OutputRef> PredicateOf(const ForwardLoop& loop) const;
  Result<OutputRef> EnterInto(int frame, OutputRef value, bool is_constant);
  Result<OutputRef> Add(const char* op, std::vector<OutputRef> inputs, AttrMap attrs,
                        std::vector<NodeId> controls = {});

  Forward& forward_;
  BuildState& state_;
  const ForwardLoop& loop_;
  EffectHistory& history_;
  const BodyCopy& copy_;
  Output iteration_;
  std::map<NodeId, NodeId> originals_;  // of the copies of effects
  std::vector<Use> uses_;
  std::map<OutputRef, OutputRef> recorded_;  // by forward tensor
  std::map<NodeId, OutputRef> where_live_;   // by forward node
  std::map<int, OutputRef> iterations_;      // by frame
  std::map<OutputRef, OutputRef> lists_;     // by forward tensor
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_EFFECT_REPLAY_H_
