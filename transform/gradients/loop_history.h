#ifndef TAGFLOW_TRANSFORM_GRADIENTS_LOOP_HISTORY_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_LOOP_HISTORY_H_

// What a forward loop keeps for its way back: variables that are added to the loop, an iteration
// counter and lists onto which each iteration pushes a value.
//
//   empty list ─ Enter ─ Merge ─ Switch ─ port 0 ─ Exit: the history
//                         ▲        └ port 1 ─ TensorListPushBack(·, value) ─┐
//                         └───────────────────────── NextIteration ◀────────┘
//
// A list is an immutable value, so iterations overlap as far as the data allow, no control edge
// orders anything, and a gradient can be taken of it again. A value of a branch is pushed where its
// branch is taken. For a loop in a loop the Exit is a value of the outer loop like any other: where
// the way back needs it, it is pushed onto a list there.
//
// Stacks, the other kind of history, are no values, and control edges must keep a push in its
// iteration: it waits for the counter's addition, and the next iteration's count waits for it
// (through a ControlTrigger, since a push in a branch that is not taken is dead). So what is pushed
// in one iteration is there before anything is pushed in the next, and all of it before the trip
// count leaves the loop. An inner loop has another stack in each iteration of the outer one.
//
// Nothing that was there before is changed.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transform/gradients/forward.h"

namespace tagflow::internal {

// The attrs of another Enter into the same frame: frame_name, parallel_iterations, marks for the
// gradient.
AttrMap EnterAttrsLike(const Node& enter, DType dtype, bool is_constant);

class LoopHistory {
 public:
  // The scope is told of errors.
  LoopHistory(Forward& forward, const ForwardLoop& loop, Scope scope)
      : forward_(forward), loop_(loop), scope_(std::move(scope)) {}

  const ForwardLoop& loop() const { return loop_; }

  // Whether the loop says that its history may be moved out of a device's memory.
  bool SwapsMemory() const;

  // How many iterations the loop made: an int32 scalar in the parent's frame.
  OutputRef TripCount();
  // The list of the values that a tensor of the body had, in the parent's frame: one for each
  // iteration in which it was live.
  OutputRef Save(OutputRef value);
  // A stack, in the parent's frame, with these values: the latest on top, and all of them there
  // once the trip count is.
  OutputRef SaveOnStack(OutputRef value);
  // The list of the values that a tensor of the loop had, in the parent's frame, with an element
  // for each iteration: one without value where the tensor was dead. A tensor that is live in the
  // last iteration, too, which only the predicate is computed in, has one for that as well.
  OutputRef SaveEach(OutputRef value);
  // The lists, in the parent's frame, of the values that each variable had before the iterations
  // that are named, which ascend. The flow of an array is not saved.
  std::vector<OutputRef> SaveBefore(const std::vector<int32_t>& iterations);
  // The same, before iterations 0, 1, 3, 6, 10, …: block b, from 1, begins with iteration b(b-1)/2.
  struct Blocks {
    OutputRef more_than;  // one more than there are, an int32 scalar in the parent's frame
    std::vector<OutputRef> lists;
  };
  Blocks SaveBlockStarts();
  // The shape of a tensor of the body, an int32 vector there.
  OutputRef ShapeOf(OutputRef value);
  // The last value of a variable, in the parent's frame.
  OutputRef FinalValue(const ForwardVariable& variable);

 private:
  // A variable under construction.
  struct Variable {
    NodeId merge;
    OutputRef body;   // in the iterations that have a next one
    OutputRef final;  // in the last
  };

  // The value of `known`, made by `make` the first time.
  template <typename Key>
  OutputRef Once(std::map<Key, OutputRef>& known, const Key& key,
                 const std::function<OutputRef()>& make);
  Variable AddVariable(const char* name, OutputRef initial);
  NodeId AddMerge(const char* name, OutputRef initial);
  Variable AddPorts(const char* name, NodeId merge, OutputRef value);
  OutputRef Close(const char* name, const Variable& variable, OutputRef next);
  using Change = std::function<OutputRef(OutputRef)>;
  // `push` applied where the literals hold, `otherwise`, if there is such a thing, elsewhere.
  OutputRef Guarded(OutputRef list, std::span<const ConditionLiteral> literals, const Change& push,
                    const Change& otherwise = nullptr);
  OutputRef Push(OutputRef list, OutputRef value);
  OutputRef Skip(OutputRef list, OutputRef one);
  NodeId AddSwitch(OutputRef value, int32_t predicate);
  OutputRef PushOnStack(OutputRef value);
  OutputRef EmptyList(OutputRef value);
  std::vector<OutputRef> SaveStates(OutputRef due);
  OutputRef SaveWhere(OutputRef due, OutputRef value);
  OutputRef OutsideConst(const char* name, Tensor value);
  OutputRef EnterConstant(OutputRef value);
  NodeId EntryPivot();
  AttrMap EnterAttrs(DType dtype, bool is_constant) const;
  NodeId AddInside(const char* name, const char* op, std::vector<OutputRef> inputs, AttrMap attrs,
                   std::vector<NodeId> controls = {});
  NodeId AddOutside(const char* name, const char* op, std::vector<OutputRef> inputs, AttrMap attrs,
                    std::vector<NodeId> controls = {});
  NodeId Insert(NodeId like, const char* name, const char* op, std::vector<OutputRef> inputs,
                AttrMap attrs, std::vector<NodeId> controls);

  Forward& forward_;
  const ForwardLoop& loop_;
  Scope scope_;
  std::optional<NodeId> entry_pivot_;
  std::optional<OutputRef> trip_count_;
  OutputRef one_;                      // in the body, once there is a trip count
  OutputRef count_;                    // the number of the iteration, likewise
  NodeId counted_ = NodeId::kNone;     // the addition of the counter
  NodeId next_count_ = NodeId::kNone;  // its NextIteration
  std::map<OutputRef, OutputRef> saved_;
  std::map<OutputRef, OutputRef> each_;
  std::map<OutputRef, OutputRef> shapes_;
  std::map<NodeId, OutputRef> finals_;  // by Merge
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_LOOP_HISTORY_H_
