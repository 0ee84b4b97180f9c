#include "fuzz/partition/cuttable.h"

#include <algorithm>
#include <map>

#include "graph/control_ops.h"
#include "graph/feed_set.h"

namespace tagflow::fuzz {
namespace {

// Of one LoopCond.
class Proof {
 public:
  Proof(const Graph& graph, const FeedSet& fed, const ValidatedCall& valid, NodeId loop_cond)
      : graph_(graph),
        fed_(fed),
        valid_(valid),
        loop_cond_(loop_cond),
        frame_(valid.frames.frame_of[Index(loop_cond)]) {}

  // Whether the node is dead in an iteration where the LoopCond is not true.
  bool IsDead(NodeId id) {
    if (is_dead_.emplace(id, false).second) is_dead_[id] = Look(graph_.node(id));
    return is_dead_.at(id);
  }

 private:
  bool Look(const Node& node) {
    const NodeId id = node.id;
    if (!IsInside(valid_.frames.frame_of[Index(id)])) return false;
    if (FiresAlways(node) || fed_.IsFedPlaceholder(node)) return false;
    if (IsExit(node)) return IsNeverBegun(valid_.frames.frame_of[Index(id)]);
    const auto is_dead = [this](const OutputRef& input) { return IsDead(input); };
    if (IsMerge(node)) return std::ranges::all_of(node.inputs, is_dead);
    return std::ranges::any_of(node.inputs, is_dead) ||
           std::ranges::any_of(node.control_inputs, [this](NodeId control) {
             return !IsNextIteration(graph_.node(control)) && IsDead(control);
           });
  }

  bool IsDead(OutputRef output) {
    const Node& node = graph_.node(output.node);
    if (fed_.Contains(output) || IsNextIteration(node)) return false;
    const bool is_chosen = IsSwitch(node) && output.index == 1 &&
                           node.inputs[1].node == loop_cond_ && !fed_.Contains(node.inputs[1]);
    return is_chosen || IsDead(output.node);
  }

  bool IsInside(int frame) const {
    while (frame > frame_) frame = valid_.frames.frames[static_cast<size_t>(frame)].parent;
    return frame == frame_;
  }

  static bool FiresAlways(const Node& node) {
    return node.op == "ControlTrigger" || node.op == "_Recv" || node.op == "_HostRecv";
  }

  // Whether all that enters a frame within is dead, and nothing in it or further within fires
  // though it is.
  bool IsNeverBegun(int inner) {
    if (inner == frame_) return false;
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      if (!valid_.needed[Index(id)]) continue;
      if (FiresAlways(node) && IsInside(valid_.frames.frame_of[Index(id)])) return false;
      const bool enters = IsEnter(node) && valid_.frames.output_frame_of[Index(id)] == inner;
      if (enters && !IsDead(id)) return false;
    }
    return true;
  }

  const Graph& graph_;
  const FeedSet& fed_;
  const ValidatedCall& valid_;
  const NodeId loop_cond_;
  const int frame_;
  std::map<NodeId, bool> is_dead_;  // while a node is looked at, false: what goes round is no proof
};

}  // namespace

bool CanSurelyBeCut(const Graph& graph, const CallSpec& call, const ValidatedCall& valid) {
  const FeedSet fed(graph, call.feeds);
  std::map<int, NodeId> loop_conds;  // by frame
  for (const NodeId id : graph.NodeIds()) {
    if (!valid.needed[Index(id)] || !IsLoopCond(graph.node(id))) continue;
    if (!loop_conds.emplace(valid.frames.frame_of[Index(id)], id).second) return false;
  }
  const auto lacks_one = [&](NodeId id) {
    return valid.needed[Index(id)] && IsEnter(graph.node(id)) &&
           !loop_conds.contains(valid.frames.output_frame_of[Index(id)]);
  };
  const std::vector<NodeId> ids = graph.NodeIds();
  if (std::ranges::any_of(ids, lacks_one)) return false;
  return std::ranges::all_of(ids, [&](NodeId id) {
    if (!valid.needed[Index(id)] || !IsNextIteration(graph.node(id))) return true;
    const auto found = loop_conds.find(valid.frames.frame_of[Index(id)]);
    return found != loop_conds.end() && Proof(graph, fed, valid, found->second).IsDead(id);
  });
}

}  // namespace tagflow::fuzz
