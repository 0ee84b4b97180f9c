// How frames are found. A walk from the sources (nodes that wait for nothing in the part looked at,
// and nodes that take a feed) gives each node the frame of the first input that reaches it and
// checks every other input against it. An Enter leads into the child frame that its frame_name and
// its own frame identify, an Exit back to the parent.
//
// Invariants: 1. every edge is looked at once, when its source is; 2. the result does not depend on
// the order of the walk, only which of several errors is reported does (and the order is that of
// ids); 3. no recursion: graphs may be as deep as memory allows.
//
// Cost: linear in nodes and edges. Tested by frames_test.cc.

#include "graph/frames.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/call_edges.h"
#include "graph/control_ops.h"
#include "graph/frame_mismatch.h"

namespace tagflow {
namespace {

Status FeedConsumedInFrame(const Graph& graph, OutputRef feed, const Node& consumer,
                           const std::string& path) {
  return InvalidArgument("feed '" + OutputName(graph, feed) + "' is consumed by node '" +
                         consumer.name + "' in frame '" + path +
                         "', and a feed is a value of the root frame: feed what enters the loop "
                         "instead")
      .WithNode(consumer.name)
      .WithRule("feed.3");
}

// Where the Enters of a frame differ in parallel_iterations ([frame.5]).
std::optional<std::string> WarningOf(const Graph& graph, const StaticFrame& frame) {
  for (const NodeId id : frame.enters) {
    const int64_t parallel = *IntAttr(graph.node(id), "parallel_iterations");
    if (parallel == frame.parallel_iterations) continue;
    return "the Enters of frame '" + frame.name + "' differ in parallel_iterations (node '" +
           graph.node(id).name + "' has " + std::to_string(parallel) + "): the smallest, " +
           std::to_string(frame.parallel_iterations) + ", applies";
  }
  return std::nullopt;
}

// The tree before anything is reached.
FrameTree EmptyTree(const Graph& graph) {
  FrameTree tree;
  tree.frames.push_back(StaticFrame());
  tree.frame_of.assign(graph.id_limit(), FrameTree::kUnreached);
  tree.output_frame_of.assign(graph.id_limit(), FrameTree::kUnreached);
  return tree;
}

// Whether every node is in the root frame as a matter of course: none has to do with frames, and
// inputs come before what takes them, so that a source reaches each.
bool IsFlat(const CallEdges& edges) {
  for (size_t i = 0; i < edges.graph().id_limit(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!edges.Includes(id)) continue;
    const Node& node = edges.graph().node(id);
    const ControlOp op = ControlOpOf(node.op);
    if (op != ControlOp::kNone && op != ControlOp::kSwitch && op != ControlOp::kMerge) return false;
    bool come_first = true;
    edges.ForEachInput(
        node, [&](NodeId from) { come_first &= from < id; }, [](const OutputRef&) {});
    if (!come_first) return false;
  }
  return true;
}

class FrameWalk {
 public:
  explicit FrameWalk(const CallEdges& edges)
      : graph_(edges.graph()),
        edges_(edges),
        consumers_(edges),
        tree_(EmptyTree(graph_)),
        reached_by_(graph_.id_limit()) {}

  Result<FrameTree> Run() {
    QueueSources();
    for (size_t next = 0; next < queue_.size(); ++next) {
      TAGFLOW_RETURN_IF_ERROR(Visit(graph_.node(queue_[next])));
    }
    TAGFLOW_RETURN_IF_ERROR(outside_);
    for (const StaticFrame& frame : tree_.frames) {
      if (auto warning = WarningOf(graph_, frame)) tree_.warnings.push_back(*std::move(warning));
    }
    return std::move(tree_);
  }

 private:
  // What gave a node its frame: an input of it, by name, or nothing (a source).
  struct Reason {
    NodeId from = NodeId::kNone;
    OutputRef feed;  // set when the node takes a feed
  };

  void QueueSources() {
    for (NodeId id : graph_.NodeIds()) {
      if (!edges_.Includes(id)) continue;
      bool is_source = true;
      edges_.ForEachInput(
          graph_.node(id), [&](NodeId) { is_source = false; },
          [&](const OutputRef& feed) { AddSource(id, feed); });
      if (is_source) AddSource(id, OutputRef());
    }
  }

  void AddSource(NodeId id, OutputRef feed) {
    if (tree_.frame_of[Index(id)] != FrameTree::kUnreached) return;
    tree_.frame_of[Index(id)] = FrameTree::kRoot;
    reached_by_[Index(id)].feed = feed;
    queue_.push_back(id);
  }

  Status Visit(const Node& node) {
    if (IsOutside(node)) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(const int frame, FrameAfter(node));
    tree_.output_frame_of[Index(node.id)] = frame;
    for (const NodeId consumer : consumers_.Of(node.id)) {
      TAGFLOW_RETURN_IF_ERROR(Reach(graph_.node(consumer), node, frame));
    }
    return Status();
  }

  // Whether the node has no frame to act in. The first such is noted and led no further: it may be
  // there because a node before it mixes frames, and that error says more.
  bool IsOutside(const Node& node) {
    const ControlOp op = ControlOpOf(node.op);
    const bool acts_in_frame = op == ControlOp::kExit || op == ControlOp::kNextIteration;
    if (!acts_in_frame || tree_.frame_of[Index(node.id)] != FrameTree::kRoot) return false;
    if (!outside_.ok()) return true;
    outside_ = InvalidArgument("node '" + node.name + "' (op " + node.op +
                               ") is in the root frame, and no loop is there to " +
                               (op == ControlOp::kExit ? "leave" : "iterate") +
                               ": its input must come from inside a frame, by way of an Enter")
                   .WithNode(node.name)
                   .WithRule("frame.4");
    return true;
  }

  // TensorFlow's rule, by name and all: its partitioner wants one pivot per frame, and its gradient
  // counters share a frame with the loop they count.
  Status NoteLoopCond(const Node& node, int frame) {
    NodeId& first = loop_conds_.try_emplace(frame, node.id).first->second;
    auto is_counter = [](const Node& cond) {
      return cond.name.find("LoopCounter") != std::string::npos;
    };
    if (first == node.id || is_counter(node) || is_counter(graph_.node(first))) return Status();
    return InvalidArgument("frame '" + tree_.Path(frame) + "' has more than one LoopCond node: '" +
                           graph_.node(first).name + "' and '" + node.name +
                           "': let one of them drive every Switch, or give the second loop a "
                           "frame of its own")
        .WithNode(node.name)
        .WithRule("frame.9");
  }

  // The frame of what the node sends.
  Result<int> FrameAfter(const Node& node) {
    const int frame = tree_.frame_of[Index(node.id)];
    const ControlOp op = ControlOpOf(node.op);
    if (op == ControlOp::kEnter) return Entered(node, frame);
    if (op == ControlOp::kLoopCond && frame != FrameTree::kRoot) {
      TAGFLOW_RETURN_IF_ERROR(NoteLoopCond(node, frame));
    }
    if (op == ControlOp::kExit) return tree_.frames[static_cast<size_t>(frame)].parent;
    return frame;
  }

  // The child frame that an Enter in frame `parent` leads into, made at its first Enter.
  Result<int> Entered(const Node& enter, int parent) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string name, StringAttr(enter, "frame_name"));
    if (name.empty()) {
      return InvalidArgument("node '" + enter.name + "' (op " + enter.op +
                             ") must have a frame name: set its attr frame_name")
          .WithNode(enter.name)
          .WithRule("frame.3");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t parallel, IntAttr(enter, "parallel_iterations"));
    if (parallel < 1) {
      return InvalidArgument("node '" + enter.name + "' (op " + enter.op +
                             ") has parallel_iterations = " + std::to_string(parallel) +
                             ", and a loop needs at least 1 iteration at a time: set it to 1 or "
                             "more")
          .WithNode(enter.name)
          .WithRule("frame.5");
    }
    const auto [place, is_new] = frame_named_.try_emplace(name, tree_.frames.size());
    if (is_new) tree_.frames.push_back({name, parent, parallel, {}});
    StaticFrame& frame = tree_.frames[place->second];
    if (frame.parent != parent) {
      return MismatchedParents(edges_, consumers_, tree_, frame, enter, parent);
    }
    frame.parallel_iterations = std::min(frame.parallel_iterations, parallel);
    frame.enters.push_back(enter.id);
    return static_cast<int>(place->second);
  }

  Status Reach(const Node& node, const Node& from, int frame) {
    int& known = tree_.frame_of[Index(node.id)];
    if (known == frame) return Status();
    if (known == FrameTree::kUnreached) {
      known = frame;
      reached_by_[Index(node.id)].from = from.id;
      queue_.push_back(node.id);
      return Status();
    }
    const Reason& reason = reached_by_[Index(node.id)];
    if (reason.feed.node != NodeId::kNone) {
      return FeedConsumedInFrame(graph_, reason.feed, node, tree_.Path(frame));
    }
    return DifferentFrames(graph_, tree_, node, reason.from, from, frame);
  }

  const Graph& graph_;
  const CallEdges& edges_;
  const CallConsumers consumers_;
  FrameTree tree_;
  std::vector<Reason> reached_by_;
  std::vector<NodeId> queue_;
  std::unordered_map<std::string, size_t> frame_named_;
  std::unordered_map<int, NodeId> loop_conds_;  // the first of each frame
  Status outside_;  // the first Exit or NextIteration met in the root frame
};

Result<FrameTree> FramesOf(const Graph& graph, const std::vector<bool>& included,
                           const CallSpec& call) {
  const CallEdges edges(graph, included, call);
  if (!IsFlat(edges)) return FrameWalk(edges).Run();
  FrameTree tree = EmptyTree(graph);
  for (size_t i = 0; i < included.size(); ++i) {
    if (included[i]) tree.frame_of[i] = tree.output_frame_of[i] = FrameTree::kRoot;
  }
  return tree;
}

// A feed inside a loop often cuts the loop from its Enters, so that an error names a node far away.
// The frames of the graph without feeds then say which feed it was.
std::optional<Status> BlameFeed(const Graph& graph, const CallSpec& call) {
  CallSpec without_feeds = call;
  without_feeds.feeds.clear();
  const std::vector<bool> needed = NeededNodes(graph, call);
  const std::vector<bool> needed_without = NeededNodes(graph, without_feeds);
  const Result<FrameTree> tree = FramesOf(graph, needed_without, without_feeds);
  if (!tree.ok()) return std::nullopt;
  const FeedSet fed(graph, call.feeds);
  for (NodeId id : graph.NodeIds()) {
    const int frame = tree->frame_of[Index(id)];
    if (!needed[Index(id)] || frame <= FrameTree::kRoot) continue;
    for (const OutputRef& input : graph.node(id).inputs) {
      if (!fed.Contains(input)) continue;
      return FeedConsumedInFrame(graph, input, graph.node(id), tree->Path(frame));
    }
  }
  return std::nullopt;
}

}  // namespace

int FrameTree::OutputFrame(const Node& node) const { return output_frame_of[Index(node.id)]; }

std::string FrameTree::Path(int frame) const {
  std::vector<int> inner_first;
  for (; frame > kRoot; frame = frames[static_cast<size_t>(frame)].parent) {
    inner_first.push_back(frame);
  }
  std::string path;
  for (size_t i = inner_first.size(); i-- > 0;) {
    if (!path.empty()) path += '/';
    path += frames[static_cast<size_t>(inner_first[i])].name;
  }
  return path;
}

Result<FrameTree> AssignFrames(const Graph& graph, const std::vector<bool>& included,
                               const CallSpec& call) {
  Result<FrameTree> tree = FramesOf(graph, included, call);
  // What takes a feed and a token of a frame is to blame itself.
  if (!tree.ok() && !call.feeds.empty() && tree.status().rule() != "feed.3") {
    if (const std::optional<Status> blamed = BlameFeed(graph, call)) return *blamed;
  }
  return tree;
}

}  // namespace tagflow
