#ifndef TAGFLOW_TRANSFORM_PARTITION_CONTROL_LOOPS_H_
#define TAGFLOW_TRANSFORM_PARTITION_CONTROL_LOOPS_H_

// The control loops of the parts: which there are, and their nodes. partition.h draws one.  Spec:
// [partition.3]
//
// Tested by partition_test.cc.

#include <cstdint>
#include <vector>

#include "graph/feed_set.h"
#include "graph/validate.h"
#include "transform/partition/layout.h"
#include "transform/partition/parts.h"

namespace tagflow {

// Whether every frame of several participants can be cut.
//   Errors: INVALID_ARGUMENT, naming frame, devices and node, as PartitionCall says
Status CheckFrames(const Graph& graph, const ValidatedCall& valid, const Layout& layout,
                   const Placement& placement);

// Of one frame on one device. The nodes are in the device's part.
struct ControlLoop {
  int frame = 0;
  int device = 0;
  NodeId merge = NodeId::kNone;        // live in every iteration
  NodeId loop_switch = NodeId::kNone;  // its predicate is still to come
  NodeId next = NodeId::kNone;
};

class ControlLoops {
 public:
  // tree, layout: outlive this.
  ControlLoops(const FrameTree& tree, const Layout& layout, size_t devices)
      : tree_(tree), layout_(layout), starts_(devices, NodeId::kNone) {}

  // Decides where loops are: on all participants of each frame that has several.
  void Choose(const Graph& graph, const FeedSet& fed, const PartitionOptions& options);
  // Adds their nodes, those of outer frames first.
  void Add(const Graph& graph, Parts& parts);

  const std::vector<ControlLoop>& all() const { return loops_; }
  // Null when there is none.
  const ControlLoop* Find(int frame, int device) const;
  int64_t ParallelIterations(int frame) const {
    return tree_.frames[static_cast<size_t>(frame)].parallel_iterations;
  }

 private:
  void KeepReceiving(const Graph& graph, const FeedSet& fed);
  ControlLoop AddLoop(const Graph& graph, Parts& parts, int frame, int device);
  OutputRef StartOf(Parts& parts, int parent, int device);

  const FrameTree& tree_;
  const Layout& layout_;
  std::vector<Devices> devices_of_;  // by frame
  std::vector<ControlLoop> loops_;   // by frame, then device
  std::vector<NodeId> starts_;       // by device: what starts loops of the root
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_CONTROL_LOOPS_H_
