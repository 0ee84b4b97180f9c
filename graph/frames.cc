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

#include "graph/control_ops.h"
#include "graph/feed_set.h"

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

class FrameWalk {
 public:
  FrameWalk(const Graph& graph, const std::vector<bool>& included, const CallSpec& call)
      : graph_(graph), included_(included), fed_(graph, call.feeds) {
    tree_.frames.push_back(StaticFrame());
    tree_.frame_of.assign(graph.id_limit(), FrameTree::kUnreached);
    tree_.output_frame_of.assign(graph.id_limit(), FrameTree::kUnreached);
    reached_by_.resize(graph.id_limit());
  }

  Result<FrameTree> Run() {
    if (IsFlat()) return Flat();
    IndexConsumers();
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

  // Whether every node is in the root frame as a matter of course: none has to do with frames, and
  // inputs come before what takes them, so that a source reaches each.
  bool IsFlat() const {
    for (size_t i = 0; i < included_.size(); ++i) {
      if (!included_[i]) continue;
      const auto id = static_cast<NodeId>(i);
      const Node& node = graph_.node(id);
      const ControlOp op = ControlOpOf(node.op);
      if (op != ControlOp::kNone && op != ControlOp::kSwitch && op != ControlOp::kMerge)
        return false;
      bool come_first = true;
      ForEachInput(
          node, [&](NodeId from) { come_first &= from < id; }, [](const OutputRef&) {});
      if (!come_first) return false;
    }
    return true;
  }
  FrameTree Flat() {
    for (size_t i = 0; i < included_.size(); ++i) {
      if (included_[i]) tree_.frame_of[i] = tree_.output_frame_of[i] = FrameTree::kRoot;
    }
    return std::move(tree_);
  }

  bool Included(NodeId id) const { return Index(id) < included_.size() && included_[Index(id)]; }

  // Calls edge(source) for each data and control edge of `node` inside the part looked at, and
  // feed(output) for each input that is fed.
  template <typename Edge, typename Feed>
  void ForEachInput(const Node& node, Edge edge, Feed feed) const {
    if (fed_.IsFedPlaceholder(node)) return;
    for (const OutputRef& input : node.inputs) {
      if (fed_.Contains(input)) {
        feed(input);
      } else if (Included(input.node)) {
        edge(input.node);
      }
    }
    for (NodeId control : node.control_inputs) {
      if (Included(control)) edge(control);
    }
  }

  // Fills consumers_ (of node i: from first_consumer_[i] to first_consumer_[i + 1]) and queues the
  // sources.
  void IndexConsumers() {
    first_consumer_.assign(graph_.id_limit() + 1, 0);
    auto no_feed = [](const OutputRef&) {};
    for (NodeId id : graph_.NodeIds()) {
      if (!Included(id)) continue;
      bool is_source = true;
      ForEachInput(
          graph_.node(id),
          [&](NodeId from) {
            ++first_consumer_[Index(from) + 1];
            is_source = false;
          },
          [&](const OutputRef& feed) { AddSource(id, feed); });
      if (is_source) AddSource(id, OutputRef());
    }
    for (size_t i = 1; i < first_consumer_.size(); ++i)
      first_consumer_[i] += first_consumer_[i - 1];
    consumers_.resize(first_consumer_.back());
    std::vector<size_t> next(first_consumer_.begin(), first_consumer_.end() - 1);
    for (NodeId id : graph_.NodeIds()) {
      if (!Included(id)) continue;
      ForEachInput(
          graph_.node(id), [&](NodeId from) { consumers_[next[Index(from)]++] = id; }, no_feed);
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
    for (size_t i = first_consumer_[Index(node.id)]; i < first_consumer_[Index(node.id) + 1]; ++i) {
      TAGFLOW_RETURN_IF_ERROR(Reach(graph_.node(consumers_[i]), node, frame));
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
    if (frame.parent != parent) return MismatchedParents(enter, parent, frame);
    frame.parallel_iterations = std::min(frame.parallel_iterations, parallel);
    frame.enters.push_back(enter.id);
    return static_cast<int>(place->second);
  }

  Status MismatchedParents(const Node& enter, int parent, const StaticFrame& frame) const {
    const Node& first = graph_.node(frame.enters.front());
    const int itself = static_cast<int>(&frame - tree_.frames.data());
    const std::string advice = IsAround(itself, parent)
                                   ? ": it is in there already, and a loop in it needs another name"
                                   : AdviceOn(first, frame.parent, enter, parent);
    return Internal("Mismatched parent frames of frame '" + frame.name + "': node '" + first.name +
                    "' enters it from " + Describe(frame.parent) + ", node '" + enter.name +
                    "' from " + Describe(parent) + advice)
        .WithNode(enter.name)
        .WithRule("frame.3");
  }

  // Two loops of one name; or one loop, of which one Enter takes what is outside of the frame that
  // the other is in.
  std::string AdviceOn(const Node& a, int parent_of_a, const Node& b, int parent_of_b) const {
    if (!MeetInLoop(a, b)) return ": these are two loops: give them different frame names";
    const bool b_is_outside = IsAround(parent_of_b, parent_of_a);
    if (!b_is_outside && !IsAround(parent_of_a, parent_of_b)) return "";
    const Node& outside = b_is_outside ? b : a;
    const std::string loop = Describe(b_is_outside ? parent_of_a : parent_of_b);
    if (outside.inputs.empty() || !Included(outside.inputs[0].node)) return "";
    const Node& source = graph_.node(outside.inputs[0].node);
    std::string advice = ": '" + source.name + "', which '" + outside.name + "' takes, stands " +
                         "outside " + loop + ": bring it in through an Enter of that frame";
    if (source.inputs.empty()) advice += ", or give it a control edge from a node in there";
    return advice;
  }

  // Whether `outer` is one of the frames around `inner`.
  bool IsAround(int outer, int inner) const {
    while (inner > outer) inner = tree_.frames[static_cast<size_t>(inner)].parent;
    return inner == outer;
  }

  // Whether what two Enters bring in comes together before it leaves by an Exit.
  bool MeetInLoop(const Node& a, const Node& b) const {
    const std::vector<bool> by_a = ReachedInLoop(a);
    const std::vector<bool> by_b = ReachedInLoop(b);
    for (size_t i = 0; i < by_a.size(); ++i) {
      if (by_a[i] && by_b[i]) return true;
    }
    return false;
  }
  std::vector<bool> ReachedInLoop(const Node& enter) const {
    std::vector<bool> reached(graph_.id_limit());
    std::vector<NodeId> queue = {enter.id};
    while (!queue.empty()) {
      const size_t from = Index(queue.back());
      queue.pop_back();
      for (size_t i = first_consumer_[from]; i < first_consumer_[from + 1]; ++i) {
        const NodeId to = consumers_[i];
        if (reached[Index(to)] || IsExit(graph_.node(to))) continue;
        reached[Index(to)] = true;
        queue.push_back(to);
      }
    }
    return reached;
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
    return DifferentFrames(node, from, frame);
  }

  Status DifferentFrames(const Node& node, const Node& from, int frame) const {
    const NodeId first = reached_by_[Index(node.id)].from;
    return InvalidArgument("node '" + node.name + "' (op " + node.op +
                           ") has inputs from different frames: '" + graph_.node(first).name +
                           "' gives it a token in " + Describe(tree_.frame_of[Index(node.id)]) +
                           ", '" + from.name + "' one in " + Describe(frame) +
                           ": bring a value into a loop through an Enter, out of it through an "
                           "Exit, also for control edges")
        .WithNode(node.name)
        .WithRule("frame.2");
  }

  std::string Describe(int frame) const {
    return frame == FrameTree::kRoot ? "the root frame" : "frame '" + tree_.Path(frame) + "'";
  }

  const Graph& graph_;
  const std::vector<bool>& included_;
  const FeedSet fed_;
  FrameTree tree_;
  std::vector<Reason> reached_by_;
  std::vector<size_t> first_consumer_;
  std::vector<NodeId> consumers_;
  std::vector<NodeId> queue_;
  std::unordered_map<std::string, size_t> frame_named_;
  std::unordered_map<int, NodeId> loop_conds_;  // the first of each frame
  Status outside_;  // the first Exit or NextIteration met in the root frame
};

// A feed inside a loop often cuts the loop from its Enters, so that an error names a node far away.
// The frames of the graph without feeds then say which feed it was.
std::optional<Status> BlameFeed(const Graph& graph, const CallSpec& call) {
  CallSpec without_feeds = call;
  without_feeds.feeds.clear();
  const std::vector<bool> needed = NeededNodes(graph, call);
  const std::vector<bool> needed_without = NeededNodes(graph, without_feeds);
  const Result<FrameTree> tree = FrameWalk(graph, needed_without, without_feeds).Run();
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
  Result<FrameTree> tree = FrameWalk(graph, included, call).Run();
  // What takes a feed and a token of a frame is to blame itself.
  if (!tree.ok() && !call.feeds.empty() && tree.status().rule() != "feed.3") {
    if (const std::optional<Status> blamed = BlameFeed(graph, call)) return *blamed;
  }
  return tree;
}

}  // namespace tagflow
