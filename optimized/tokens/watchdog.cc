#include "optimized/tokens/watchdog.h"

#include <algorithm>

#include "graph/feed_set.h"

namespace tagflow::optimized::tokens {
namespace {

template <typename Sync>
class Watchdog {
 public:
  explicit Watchdog(const EndedStep<Sync>& step)
      : step_(step),
        plan_(step.plan),
        fed_(*plan_.graph, plan_.call.feeds),
        may_starve_(plan_.frames[0].num_nodes),
        is_counted_(plan_.frames[0].num_nodes, true) {}

  std::vector<std::string> Find() {
    for (const auto& frame : step_.frames.frames()) {
      if (frame->is_alive) LookAtFrame(*frame);
    }
    FindWhatMayStarve();
    FindUncounted();
    LookAtRoot();
    return std::move(lost_);
  }

 private:
  using FrameT = Frame<Sync>;
  using IterationT = Iteration<Sync>;

  void LookAtFrame(const FrameT& frame) {
    const int32_t enters_missing = frame.enters_missing.load();
    for (const IterationT* at = frame.oldest; at != nullptr; at = at->next.load()) {
      const auto recvs = std::ranges::count(step_.waiting_recvs, at);
      const auto accounted = static_cast<int32_t>(recvs) + FramesBegunIn(*at);
      const int32_t busy = at->busy.load();
      if (busy != accounted) {
        lost_.push_back(ToString(TagOf(*at)) + " counts " + std::to_string(busy) +
                        " busy, and there are " + std::to_string(accounted));
      }
    }
    if (frame.oldest != nullptr &&
        IterationEnded(frame.oldest->index, frame.oldest->busy.load(), enters_missing)) {
      lost_.push_back(ToString(TagOf(*frame.oldest)) + " has ended and is still there");
    }
    if (!frame.deferred.empty() &&
        MayBegin(frame.live_iterations, frame.plan.parallel_iterations)) {
      lost_.push_back("an iteration of frame '" + frame.plan.name + "' may begin and has not");
    }
  }

  int32_t FramesBegunIn(const IterationT& iteration) const {
    int32_t count = 0;
    for (const auto& frame : step_.frames.frames()) {
      count += frame->is_alive && frame->parent == &iteration ? 1 : 0;
    }
    return count;
  }

  // Of the root's nodes: the Recvs, the consumers of Exits that gave no token and of nodes that no
  // frame has, and what depends on them.
  void FindWhatMayStarve() {
    for (uint32_t place = 0; place < may_starve_.size(); ++place) {
      const PlanNode& node = plan_.nodes[place];
      if (node.role == Role::kRecv || WaitsForUnreached(*plan_.info(node).node)) Starve(place);
    }
    for (size_t index = 1; index < plan_.frames.size(); ++index) {
      const FramePlan& frame = plan_.frames[index];
      if (frame.parent != FrameTree::kRoot) continue;
      for (size_t ordinal = 0; ordinal < frame.exits.size(); ++ordinal) {
        const PlanNode& exit = plan_.nodes[frame.first_node + frame.exits[ordinal]];
        if (!GaveToken(static_cast<int>(index), ordinal)) StarveTargets(exit);
      }
    }
  }
  // Whether an input comes out of a cycle that nothing enters.
  bool WaitsForUnreached(const Node& node) const {
    const auto is_absent = [&](NodeId id) {
      return plan_.index[Index(id)] < 0 && !fed_.IsFedPlaceholder(plan_.graph->node(id));
    };
    return std::ranges::any_of(
               node.inputs,
               [&](const OutputRef& in) { return !fed_.Contains(in) && is_absent(in.node); }) ||
           std::ranges::any_of(node.control_inputs, is_absent);
  }
  bool GaveToken(int static_frame, size_t exit) const {
    const FrameT* const frame = ChildOfRoot(static_frame);
    if (frame == nullptr) return false;
    const uint8_t state = frame->exits[exit].load();
    return (state & ExitState::kWasLive) != 0 || (state != 0 && !frame->is_alive);
  }
  // Null when it has not begun.
  const FrameT* ChildOfRoot(int static_frame) const {
    if (!step_.frames.HasBegun(static_frame)) return nullptr;
    for (const auto& frame : step_.frames.frames()) {
      if (frame->static_frame == static_frame) return frame.get();
    }
    return nullptr;
  }
  void Starve(uint32_t place) {
    std::vector<uint32_t> follow = {place};
    while (!follow.empty()) {
      const uint32_t next = follow.back();
      follow.pop_back();
      if (may_starve_[next]) continue;
      may_starve_[next] = true;
      ForTargets(plan_.nodes[next], [&](uint32_t target) { follow.push_back(target); });
    }
  }
  void StarveTargets(const PlanNode& exit) {
    ForEdges(exit, [&](uint32_t target) { Starve(target); });
  }
  template <typename Visit>
  static void ForEdges(const PlanNode& node, Visit visit) {
    for (const Edge* edge = node.edges; edge != node.edges_end(); ++edge) {
      if (edge->kind != EdgeKind::kFetch) visit(edge->target);
    }
  }
  // The targets in the root of a node of the root.
  template <typename Visit>
  static void ForTargets(const PlanNode& node, Visit visit) {
    if (node.role != Role::kEnter) ForEdges(node, visit);
  }

  // Nodes all of whose inputs come by one edge: x + x.
  void FindUncounted() {
    const auto look = [this](const Edge* edge, const Edge* end) {
      for (; edge != end; ++edge) {
        if (edge->kind == EdgeKind::kOnly) is_counted_[edge->target] = false;
      }
    };
    const Edge* const edges = plan_.edges.data();
    for (const FeedPlan& feed : plan_.feeds) look(edges + feed.first_edge, edges + feed.end_edge);
    for (const PlanNode& node : plan_.nodes) {
      if (LeadsToRoot(node)) look(node.edges, node.edges_end());
    }
  }
  bool LeadsToRoot(const PlanNode& node) const {
    const int frame = plan_.info(node).frame;
    if (frame == FrameTree::kRoot) return node.role != Role::kEnter;
    return node.role == Role::kExit &&
           plan_.frames[static_cast<size_t>(frame)].parent == FrameTree::kRoot;
  }

  void LookAtRoot() {
    for (uint32_t place = 0; place < may_starve_.size(); ++place) {
      if (!may_starve_[place]) LookAtNode(place);
    }
    for (size_t frame = 1; frame < plan_.frames.size(); ++frame) {
      if (plan_.frames[frame].parent == FrameTree::kRoot) LookAtEnters(static_cast<int>(frame));
    }
    for (const OutputRef fetch : step_.missing_fetches) {
      const int32_t index = plan_.index[Index(fetch.node)];
      if (index < 0 || static_cast<size_t>(index) >= may_starve_.size()) continue;
      if (!may_starve_[static_cast<size_t>(index)]) {
        NeverFired(plan_.nodes[static_cast<size_t>(index)]);
      }
    }
  }
  // A node that is not counted leaves no mark: what waits for it does.
  void LookAtNode(uint32_t place) {
    const PlanNode& node = plan_.nodes[place];
    if (DiedInClass(plan_, step_.root, node)) return;
    if (node.role == Role::kMerge) {
      if (!MergeArrivals::Due(step_.root.merges[node.detail].word.load())) NeverFired(node);
    } else if (is_counted_[place] && plan_.frames[0].initial_word(place) > Arrivals::Initial(1)) {
      const uint32_t word = step_.root.words[place].load();
      if (!Arrivals::Due(word) && !Arrivals::HasGone(word)) NeverFired(node);
    }
  }
  // A frame in the root that waits for Enters none of which may starve.
  void LookAtEnters(int static_frame) {
    const FrameT* const frame = ChildOfRoot(static_frame);
    if (frame != nullptr && frame->enters_missing.load() == 0) return;
    for (uint32_t place = 0; place < may_starve_.size(); ++place) {
      const PlanNode& node = plan_.nodes[place];
      if (node.role != Role::kEnter || !may_starve_[place]) continue;
      if (plan_.enters[node.detail].frame == static_frame) return;
    }
    lost_.push_back("an Enter of frame '" + plan_.frames[static_cast<size_t>(static_frame)].name +
                    "' did not fire, and nothing held it up");
  }
  void NeverFired(const PlanNode& node) {
    lost_.push_back("'" + plan_.info(node).node->name + "' did not fire, and nothing held it up");
  }

  const EndedStep<Sync>& step_;
  const TokenPlan& plan_;
  const FeedSet fed_;
  std::vector<bool> may_starve_;  // by place in the root
  std::vector<bool> is_counted_;  // by place in the root
  std::vector<std::string> lost_;
};

}  // namespace

template <typename Sync>
std::vector<std::string> FindLost(const EndedStep<Sync>& step) {
  return Watchdog<Sync>(step).Find();
}

template std::vector<std::string> FindLost(const EndedStep<Sequential>&);
template std::vector<std::string> FindLost(const EndedStep<Concurrent>&);

}  // namespace tagflow::optimized::tokens
