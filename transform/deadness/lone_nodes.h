#ifndef TAGFLOW_TRANSFORM_DEADNESS_LONE_NODES_H_
#define TAGFLOW_TRANSFORM_DEADNESS_LONE_NODES_H_

// What runs in a frame whose loop does not. Where a constant enters and the variables do not, the
// frame is there without its loop, and so it is where all that enters is dead: what hangs on such
// constants and on ControlTriggers alone fires in it ([enter.2], [control.2]), which is nobody's
// business unless it acts, fails or leaves.
//
// Cost: linear. Tested by structure_test.cc.

#include <vector>

#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "transform/deadness/structure.h"

namespace tagflow {

struct LoneNodesQuestion {
  const Graph& graph;
  const ValidatedCall& valid;
  const FeedSet& fed;
  const Structure& found;                // conditions of all nodes, and of frames
  const std::vector<NodeId>& constants;  // constant Enters of frames that variables enter, too
  const std::vector<NodeId>& triggers;
  const std::vector<bool>& is_apart;  // by frame: it is not looked at
};

// A node because of which the frame does not mean what its loop does.
struct LoneNode {
  size_t frame = 0;
  NodeId node = NodeId::kNone;
  const char* why = "";
};

std::vector<LoneNode> FindLoneNodes(const LoneNodesQuestion& question);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_DEADNESS_LONE_NODES_H_
