#include "transform/partition/loop_ends.h"

#include <algorithm>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

class Claims {
 public:
  Claims(const Graph& graph, const ValidatedCall& valid, int frame, NodeId loop_cond)
      : graph_(graph), valid_(valid), frame_(frame), dead_(graph.id_limit()) {
    predicate_ = Origin({loop_cond, 0});
    for (NodeId id : graph.NodeIds()) {
      if (valid.needed[Index(id)] && IsInside(valid.frames.frame_of[Index(id)])) {
        inside_.push_back(id);
        dead_[Index(id)] = true;
      }
    }
  }

  NodeId Find() {
    while (DropUnfounded()) {
    }
    for (NodeId id : inside_) {
      if (IsOwnNext(id) && !dead_[Index(id)]) return id;
    }
    return NodeId::kNone;
  }

 private:
  bool IsInside(int frame) const {
    while (frame > frame_) frame = valid_.frames.frames[static_cast<size_t>(frame)].parent;
    return frame == frame_;
  }

  bool IsOwnNext(NodeId id) const {
    return IsNextIteration(graph_.node(id)) && valid_.frames.frame_of[Index(id)] == frame_;
  }

  // Where a predicate comes from, which may be handed on.
  OutputRef Origin(OutputRef output) const {
    while (true) {
      const Node& node = graph_.node(output.node);
      if (!IsLoopCond(node) && node.op != "Identity") return output;
      if (node.inputs.empty()) return output;
      output = node.inputs[0];
    }
  }

  bool TokenDead(OutputRef output) const {
    if (IsOwnNext(output.node)) return false;
    if (dead_[Index(output.node)]) return true;
    const Node& node = graph_.node(output.node);
    return output.index == 1 && (node.op == "Switch" || node.op == "RefSwitch") &&
           valid_.frames.frame_of[Index(output.node)] == frame_ &&
           Origin(node.inputs[1]) == predicate_;
  }

  bool IsFounded(const Node& node) const {
    auto token_dead = [this](const OutputRef& input) { return TokenDead(input); };
    if (IsMerge(node)) return std::ranges::all_of(node.inputs, token_dead);
    // These fire whatever comes.
    if (node.op == "ControlTrigger" || node.op == "_Recv" || node.op == "_HostRecv") return false;
    return std::ranges::any_of(node.inputs, token_dead) ||
           std::ranges::any_of(node.control_inputs, [this](NodeId control) {
             return dead_[Index(control)] && !IsOwnNext(control);
           });
  }

  bool DropUnfounded() {
    bool dropped = false;
    for (NodeId id : inside_) {
      if (!dead_[Index(id)] || IsFounded(graph_.node(id))) continue;
      dead_[Index(id)] = false;
      dropped = true;
    }
    return dropped;
  }

  const Graph& graph_;
  const ValidatedCall& valid_;
  const int frame_;
  OutputRef predicate_;
  std::vector<NodeId> inside_;
  std::vector<bool> dead_;  // by node id
};

}  // namespace

NodeId FindEndlessVariable(const Graph& graph, const ValidatedCall& valid, int frame,
                           NodeId loop_cond) {
  return Claims(graph, valid, frame, loop_cond).Find();
}

}  // namespace tagflow
