#ifndef TAGFLOW_TRANSFORM_GRADIENTS_FORWARD_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_FORWARD_H_

// What the way back has to know of the graph that is differentiated, found before a node is added:
// frames and loops, under which condition each tensor is live (transform/deadness), and which nodes
// lie between the xs and the ys.
//
// Where `scope` is in a loop body that is still being built, the loop is closed in a copy by
// handing each variable on as it is; what the copy shows holds of the graph.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/builder/build_state.h"
#include "graph/builder/scope.h"
#include "graph/validate.h"
#include "transform/deadness/structure.h"
#include "transform/gradients/gradients.h"
#include "transform/gradients/variable_handles.h"

namespace tagflow::internal {

// One variable of a loop, with the nodes that the primitives make of it.
struct ForwardVariable {
  NodeId merge = NodeId::kNone;
  NodeId enter = NodeId::kNone;
  NodeId next = NodeId::kNone;
  std::vector<NodeId> switches;  // on the loop's predicate
  std::vector<NodeId> exits;
};

struct ForwardLoop {
  int frame = 0;
  int parent = 0;
  ConditionId entered = ConditionId::kAlways;  // in the parent
  ConditionLiteral repeats;                    // under which there is a next iteration
  OutputRef predicate;                         // as its Switches take it
  std::vector<ForwardVariable> variables;
  std::vector<NodeId> constants;    // constant Enters
  std::vector<NodeId> other_exits;  // of what is no variable
};

class Forward {
 public:
  // `flows`: as for BuildGradients. REQUIRES: ys and xs are tensors of the scope's graph.
  //   Errors: as Gradients.
  static Result<Forward> Analyze(const Scope& scope, const std::vector<OutputRef>& ys,
                                 const std::vector<OutputRef>& xs, const GradientOptions& options,
                                 const std::map<OutputRef, DType>& flows = {});

  const Graph& graph() const { return state_->graph(); }
  BuildState& state() const { return *state_; }
  const GradientOptions& options() const { return *options_; }
  const GradientRegistry& registry() const { return *options_->registry; }

  // How the names begin of what is added: "" or "gradients/".
  const std::string& name_prefix() const { return name_prefix_; }

  // The frame of ys and xs, and what is known to hold wherever the scope's nodes run.
  int frame() const { return frame_; }
  ConditionId base() const { return base_; }

  Conditions& conditions() { return structure_.conditions; }
  // Of a tensor in the frame it is in.
  ConditionId ConditionOf(OutputRef output);
  // Of a node in its frame. REQUIRES: it was there before.
  ConditionId ConditionOf(NodeId node) const { return structure_.condition[Index(node)]; }
  // Says of a node that was added to the forward part when its output is live.
  void NoteInserted(NodeId node, ConditionId condition) { inserted_[node] = condition; }
  // The tensor that a literal's predicate is.
  OutputRef PredicateTensor(int32_t predicate) const {
    return structure_.predicates[static_cast<size_t>(predicate)].tensor;
  }
  bool IsIndex(int32_t predicate) const {
    return structure_.predicates[static_cast<size_t>(predicate)].is_index;
  }
  // What `to` says and `from` does not, each after what its predicate hangs on.
  std::vector<ConditionLiteral> Path(ConditionId from, ConditionId to);
  // The predicate of a Switch, or -1.
  int32_t SwitchedOn(NodeId node) const {
    return Index(node) < limit_ ? structure_.switched_on[Index(node)] : -1;
  }

  bool IsNeeded(NodeId node) const { return Index(node) < limit_ && valid_.needed[Index(node)]; }
  int FrameOf(NodeId node) const { return valid_.frames.frame_of[Index(node)]; }
  int OutputFrameOf(NodeId node) const { return valid_.frames.output_frame_of[Index(node)]; }
  std::string FrameName(int frame) const { return valid_.frames.Path(frame); }
  // As its Enters name it.
  const StaticFrame& Frame(int frame) const {
    return valid_.frames.frames[static_cast<size_t>(frame)];
  }
  // Every node that the ys need, each after what it takes but for the loops' ways back.
  const std::vector<NodeId>& order() const { return structure_.order; }
  // The loop of a frame. Errors: UNIMPLEMENTED where the frame is no loop.
  Result<const ForwardLoop*> LoopOf(int frame) const;
  // Whether it, or a loop in it, keeps no history (GradientOptions::rematerialize).
  bool RunsAgain(int frame) const { return runs_again_[static_cast<size_t>(frame)]; }

  // Whether the derivative by this tensor is part of what is asked for: it is an x, or comes from
  // one.
  bool LeadsToX(OutputRef output) const;
  // Whether the node is between an x and a y.
  bool OnPath(NodeId node) const { return Index(node) < limit_ && on_path_[Index(node)]; }
  // Whether the tensor is the flow of a TensorArray, whose gradient is a list (array_flow.h).
  bool IsFlow(OutputRef output) const { return flows_.contains(output); }
  // The dtype of that array's elements; kInvalid for any other tensor.
  DType FlowDType(OutputRef output) const {
    const auto flow = flows_.find(output);
    return flow == flows_.end() ? DType::kInvalid : flow->second;
  }

  // What the gradient of a tensor is like: as the tensor is; of a variable's handle, which is among
  // these where the gradient by one is asked for, as the variable.
  bool IsHandle(OutputRef output) const { return handles_.contains(output); }
  // The other handles of the variable of an x, which it stands for, too.
  const std::vector<OutputRef>& OtherHandles(OutputRef x) const;
  DType GradientDType(OutputRef output) const {
    const auto handle = handles_.find(output);
    return handle == handles_.end() ? state_->type(output).dtype : handle->second.dtype;
  }
  const PartialShape& GradientShape(OutputRef output) const {
    const auto handle = handles_.find(output);
    return handle == handles_.end() ? state_->shape(output) : handle->second.shape;
  }

  // Whether gradients exist of tensors of this type.
  static bool IsTrainable(DType dtype) {
    return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kVariant;
  }

 private:
  Forward(std::shared_ptr<BuildState> state, const GradientOptions& options)
      : state_(std::move(state)), options_(&options) {}

  Status Validate(const Scope& scope, const std::vector<OutputRef>& ys);
  Status FindFrame(const Scope& scope, const std::vector<OutputRef>& ys);
  Status FindBase(const Scope& scope);
  void FindLoops();
  Status FindHandles(const std::vector<OutputRef>& xs);
  Status CheckFrames(const std::vector<OutputRef>& xs) const;
  void FindPath(const std::vector<OutputRef>& ys);
  Status CheckPath(const std::vector<OutputRef>& ys) const;
  Status CheckStacks() const;
  Status CheckChanges() const;
  std::string HintOfStacks() const;
  std::string PathTo(NodeId node, const std::vector<OutputRef>& ys) const;
  bool IsTrainable(OutputRef output) const { return IsTrainable(GradientDType(output)); }

  std::shared_ptr<BuildState> state_;
  const GradientOptions* options_;
  std::string name_prefix_;
  Graph closed_;  // the graph as it was analyzed
  ValidatedCall valid_;
  Structure structure_;
  size_t limit_ = 0;  // node ids below it were there before
  int frame_ = 0;
  ConditionId base_ = ConditionId::kAlways;
  std::vector<std::optional<ForwardLoop>> loops_;  // by frame
  std::vector<bool> runs_again_;                   // by frame
  std::vector<bool> from_x_;                       // by node id
  std::vector<bool> on_path_;
  std::map<OutputRef, DType> flows_;
  VariableHandles handles_;                             // where an x is one
  std::map<OutputRef, std::vector<OutputRef>> others_;  // by x
  std::vector<OutputRef> xs_;
  std::unordered_map<NodeId, ConditionId> inserted_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_FORWARD_H_
