#ifndef TAGFLOW_GRAPH_FRAMES_H_
#define TAGFLOW_GRAPH_FRAMES_H_

// Static frames: which loop nest each node belongs to, found by walking from the nodes without
// inputs through Enter (into a child frame) and Exit (back to the parent). Spec:
// [frame.2]-[frame.5]

#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

struct StaticFrame {
  std::string name;                 // frame_name of its Enters; "" for the root
  int parent = -1;                  // index into FrameTree::frames; -1 for the root
  int64_t parallel_iterations = 1;  // the smallest of its Enters' ([frame.5])
  std::vector<NodeId> enters;       // of the nodes considered
};

struct FrameTree {
  static constexpr int kRoot = 0;
  static constexpr int kUnreached =
      -1;                           // only of nodes not considered, or on a cycle nothing enters
  std::vector<StaticFrame> frames;  // parents before children; frames[0] is the root
  std::vector<int> frame_of;  // by node id. An Enter is in its *parent's* frame; its output in the
                              // child. An Exit is in the loop's frame; its output in the parent's.
  std::vector<int> output_frame_of;   // by node id: the frame of a node's tokens, data and control
  std::vector<std::string> warnings;  // e.g. differing parallel_iterations in one frame

  int OutputFrame(const Node& node) const;  // the frame of a node's output tokens
  // "" for the root, "outer/inner" otherwise.
  std::string Path(int frame) const;
};

// Frames of the nodes with included[id] set; feeds are sources in the frame of ... the root.
//   Errors (naming the nodes; INVALID_ARGUMENT but for differing parents, INTERNAL as in
//   TensorFlow): inputs from different frames; an Enter without frame_name; two Enters of one
//   frame_name with different parents; parallel_iterations below 1; an Exit or NextIteration at the
//   root; a feed consumed in a non-root frame.
Result<FrameTree> AssignFrames(const Graph& graph, const std::vector<bool>& included,
                               const CallSpec& call);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_FRAMES_H_
