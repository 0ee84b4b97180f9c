#ifndef TAGFLOW_GRAPH_FRAME_MISMATCH_H_
#define TAGFLOW_GRAPH_FRAME_MISMATCH_H_

// What is said where frames do not fit together, and how to mend it.

#include "graph/call_edges.h"
#include "graph/frames.h"

namespace tagflow {

// `from` gives the node a token in `frame`, and `first` in the one that the tree has for the node
// ([frame.2]).
Status DifferentFrames(const Graph& graph, const FrameTree& tree, const Node& node, NodeId first,
                       const Node& from, int frame);

// `enter`, itself in the frame `parent`, leads into a frame of the tree that others enter from
// elsewhere ([frame.3]).
//   edges, consumers: of the part looked at, for advice
Status MismatchedParents(const CallEdges& edges, const CallConsumers& consumers,
                         const FrameTree& tree, const StaticFrame& frame, const Node& enter,
                         int parent);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_FRAME_MISMATCH_H_
