#include "graph/frame_mismatch.h"

#include <vector>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

std::string Describe(const FrameTree& tree, int frame) {
  return frame == FrameTree::kRoot ? "the root frame" : "frame '" + tree.Path(frame) + "'";
}

// Whether `outer` is one of the frames around `inner`.
bool IsAround(const FrameTree& tree, int outer, int inner) {
  while (inner > outer) inner = tree.frames[static_cast<size_t>(inner)].parent;
  return inner == outer;
}

std::vector<bool> ReachedInLoop(const Graph& graph, const CallConsumers& consumers,
                                const Node& enter) {
  std::vector<bool> reached(graph.id_limit());
  std::vector<NodeId> queue = {enter.id};
  while (!queue.empty()) {
    const NodeId from = queue.back();
    queue.pop_back();
    for (const NodeId to : consumers.Of(from)) {
      if (reached[Index(to)] || IsExit(graph.node(to))) continue;
      reached[Index(to)] = true;
      queue.push_back(to);
    }
  }
  return reached;
}

// Whether what two Enters bring in comes together before it leaves by an Exit.
bool MeetInLoop(const Graph& graph, const CallConsumers& consumers, const Node& a, const Node& b) {
  const std::vector<bool> by_a = ReachedInLoop(graph, consumers, a);
  const std::vector<bool> by_b = ReachedInLoop(graph, consumers, b);
  for (size_t i = 0; i < by_a.size(); ++i) {
    if (by_a[i] && by_b[i]) return true;
  }
  return false;
}

// Advice on one loop, of which one Enter takes what is outside of the frame that the other is in.
std::string AdviceOnOneLoop(const CallEdges& edges, const FrameTree& tree, const Node& a,
                            int parent_of_a, const Node& b, int parent_of_b) {
  const bool b_is_outside = IsAround(tree, parent_of_b, parent_of_a);
  if (!b_is_outside && !IsAround(tree, parent_of_a, parent_of_b)) return "";
  const Node& outside = b_is_outside ? b : a;
  const std::string loop = Describe(tree, b_is_outside ? parent_of_a : parent_of_b);
  if (outside.inputs.empty() || !edges.Includes(outside.inputs[0].node)) return "";
  const Node& source = edges.graph().node(outside.inputs[0].node);
  std::string advice = ": '" + source.name + "', which '" + outside.name + "' takes, stands " +
                       "outside " + loop + ": bring it in through an Enter of that frame";
  if (source.inputs.empty()) advice += ", or give it a control edge from a node in there";
  return advice;
}

}  // namespace

Status DifferentFrames(const Graph& graph, const FrameTree& tree, const Node& node, NodeId first,
                       const Node& from, int frame) {
  return InvalidArgument("node '" + node.name + "' (op " + node.op +
                         ") has inputs from different frames: '" + graph.node(first).name +
                         "' gives it a token in " + Describe(tree, tree.frame_of[Index(node.id)]) +
                         ", '" + from.name + "' one in " + Describe(tree, frame) +
                         ": bring a value into a loop through an Enter, out of it through an "
                         "Exit, also for control edges")
      .WithNode(node.name)
      .WithRule("frame.2");
}

Status MismatchedParents(const CallEdges& edges, const CallConsumers& consumers,
                         const FrameTree& tree, const StaticFrame& frame, const Node& enter,
                         int parent) {
  const Node& first = edges.graph().node(frame.enters.front());
  std::string advice;
  if (IsAround(tree, static_cast<int>(&frame - tree.frames.data()), parent)) {
    advice = ": it is in there already, and a loop in it needs another name";
  } else if (!MeetInLoop(edges.graph(), consumers, first, enter)) {
    advice = ": these are two loops: give them different frame names";
  } else {
    advice = AdviceOnOneLoop(edges, tree, first, frame.parent, enter, parent);
  }
  return Internal("Mismatched parent frames of frame '" + frame.name + "': node '" + first.name +
                  "' enters it from " + Describe(tree, frame.parent) + ", node '" + enter.name +
                  "' from " + Describe(tree, parent) + advice)
      .WithNode(enter.name)
      .WithRule("frame.3");
}

}  // namespace tagflow
