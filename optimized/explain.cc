#include "optimized/explain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/join_of.h"
#include "graph/validate.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::optimized {
namespace {

constexpr size_t kMaxListed = 8;
constexpr int32_t kControl = -1;  // as an OutputRef's index: a control edge

// A dead token, and those that made it so: of a Merge one for each dead input, with the number of
// that input; else at most one. None where its way began.
struct Link {
  OutputRef token;
  std::vector<std::pair<size_t, OutputRef>> because;
};

class Explainer {
 public:
  Explainer(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
            const RootDeaths& deaths)
      : graph_(graph),
        frames_(valid.frames),
        feeds_(graph, call.feeds),
        deaths_(deaths),
        died_inside_(graph.id_limit()) {
    FindThoseThatDieInside(valid.needed);
  }

  std::string Explain(OutputRef fetch) const {
    const std::vector<Link> path = PathOf(fetch);
    std::string text = TextOf(path);
    const Link& end = path.back();
    for (const auto& [input, cause] : end.because) {
      const OutputRef source = graph_.node(end.token.node).inputs[input];
      text += "; '" + OutputName(graph_, source) + "'" + TextOf(PathOf(cause));
    }
    return text + Advice(fetch, end);
  }

 private:
  bool IsInRoot(NodeId id) const { return frames_.frame_of[Index(id)] == FrameTree::kRoot; }

  // One pass over nodes that stand in order, and one that finds nothing more; further ones where
  // deadness takes a way that is in no order: to a Recv, or around a cycle of no loop variable.
  void FindThoseThatDieInside(const std::vector<bool>& needed) {
    std::vector<NodeId> nodes = DependencyOrder(graph_, needed, feeds_);
    std::vector<bool> is_left = needed;
    for (const NodeId id : nodes) is_left[Index(id)] = false;
    for (const NodeId id : graph_.NodeIds()) {
      if (is_left[Index(id)]) nodes.push_back(id);
    }
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const NodeId id : nodes) {
        if (IsInRoot(id) || died_inside_[Index(id)] || !DiesInside(graph_.node(id))) continue;
        has_changed = died_inside_[Index(id)] = true;
      }
    }
  }

  // In the one iteration of a frame that is entered by dead tokens. What is not known to be dead is
  // taken for live.
  bool DiesInside(const Node& node) const {
    if (node.op == "ControlTrigger") return false;
    const auto is_dead = [this](const OutputRef& input) { return IsDead(input); };
    if (IsMerge(node)) {
      return std::ranges::any_of(node.inputs, is_dead) &&
             std::ranges::all_of(node.inputs, [this](const OutputRef& input) {
               return IsDead(input) || IsOfALaterIteration(input);
             });
    }
    return std::ranges::any_of(node.inputs, is_dead) ||
           std::ranges::any_of(node.control_inputs, [this](NodeId id) {
             return IsDead({id, kControl});
           });
  }
  bool IsOfALaterIteration(OutputRef input) const {
    return !feeds_.Contains(input) && IsNextIteration(graph_.node(input.node));
  }

  bool IsDead(OutputRef token) const {
    if (token.index != kControl && feeds_.Contains(token)) return false;
    if (feeds_.IsFedPlaceholder(graph_.node(token.node))) return false;
    if (!IsInRoot(token.node)) return died_inside_[Index(token.node)] || IsToldInside(token);
    return deaths_.Died(token.node) || IsWayNotTaken(token);
  }
  // Whether a Recv in a loop was told by a Send there that its value is dead.
  bool IsToldInside(OutputRef token) const {
    if (token.index == kControl || IsInRoot(token.node)) return false;
    const NodeId send = deaths_.SendTo(token.node);
    return send != NodeId::kNone && died_inside_[Index(send)];
  }
  bool IsWayNotTaken(OutputRef token) const {
    if (token.index == kControl || !IsInRoot(token.node)) return false;
    const std::optional<uint32_t> way = deaths_.Way(token.node);
    return way.has_value() && *way != static_cast<uint32_t>(token.index);
  }

  Link LinkOf(OutputRef token) const {
    Link link{token, {}};
    const bool is_told = IsToldInside(token) && !died_inside_[Index(token.node)];
    if (!is_told && !IsWayNotTaken(token)) {
      link.because = CausesOf(graph_.node(token.node));
    } else if (const NodeId send = deaths_.SendTo(token.node); send != NodeId::kNone) {
      link.because.emplace_back(0, OutputRef{send, kControl});
    }
    return link;
  }

  std::vector<std::pair<size_t, OutputRef>> CausesOf(const Node& node) const {
    std::vector<std::pair<size_t, OutputRef>> causes;
    const bool all_are = IsMerge(node) && IsInRoot(node.id);  // also Exits of loops that ran
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (IsMerge(node) && IsOfALaterIteration(node.inputs[i])) continue;
      if (all_are || IsDead(node.inputs[i])) causes.emplace_back(i, node.inputs[i]);
      if (!causes.empty() && !IsMerge(node)) return causes;
    }
    for (size_t i = 0; i < node.control_inputs.size() && causes.empty(); ++i) {
      const OutputRef token{node.control_inputs[i], kControl};
      if (IsDead(token)) causes.emplace_back(i, token);
    }
    if (causes.empty()) FindExit(node, causes);
    return causes;
  }

  // What came out of a loop that ran, and was dead.
  void FindExit(const Node& node, std::vector<std::pair<size_t, OutputRef>>& causes) const {
    if (!IsInRoot(node.id)) return;
    const auto note = [&](OutputRef token) {
      const bool is_fed = token.index != kControl && feeds_.Contains(token);
      if (causes.empty() && !is_fed && IsExit(graph_.node(token.node))) {
        causes.emplace_back(0, token);
      }
    };
    for (const OutputRef& input : node.inputs) note(input);
    for (const NodeId control : node.control_inputs) note({control, kControl});
  }

  // By first causes, to where the way began or to a Merge that is dead for several reasons.
  std::vector<Link> PathOf(OutputRef token) const {
    std::vector<Link> path = {LinkOf(token)};
    while (!path.back().because.empty() && path.size() <= graph_.id_limit()) {
      if (IsDeadTwice(path.back())) return path;
      path.push_back(LinkOf(path.back().because[0].second));
    }
    path.back().because.clear();
    return path;
  }
  bool IsDeadTwice(const Link& link) const {
    if (link.because.size() < 2) return false;
    const OutputRef first = OriginOf(link.because[0].second);
    return std::ranges::any_of(
        link.because, [&](const auto& cause) { return OriginOf(cause.second).node != first.node; });
  }
  OutputRef OriginOf(OutputRef token) const {
    for (size_t steps = 0; steps < graph_.id_limit(); ++steps) {
      const Link link = LinkOf(token);
      if (link.because.empty()) break;
      token = link.because[0].second;
    }
    return token;
  }

  std::string TextOf(const std::vector<Link>& path) const {
    std::string text = ": " + EndText(path.back()) + "; path: ";
    for (size_t i = 0; i < path.size(); ++i) {
      if (path.size() > kMaxListed && i == kMaxListed / 2) {
        text += " -> ...";
        i = path.size() - kMaxListed / 2;
      }
      text += (i == 0 ? "" : " -> ") + graph_.node(path[path.size() - 1 - i].token.node).name;
    }
    return text;
  }
  std::string EndText(const Link& end) const {
    const Node& node = graph_.node(end.token.node);
    const std::string who = node.op + " '" + node.name + "'";
    if (!end.because.empty()) return "all inputs of " + who + " are dead";
    if (IsExit(node)) {
      return who + " got no value from '" + OutputName(graph_, node.inputs[0]) +
             "' in any iteration of its loop";
    }
    if (!IsWayNotTaken(end.token) || node.inputs.size() < 2) return who + " had no value";
    return who + " sent its value the other way (" + ReasonOf(node) + ")";
  }
  std::string ReasonOf(const Node& node) const {
    const uint32_t way = *deaths_.Way(node.id);
    if (!IsSwitch(node)) return "output " + std::to_string(way) + " was chosen";
    return way == 1 ? "predicate true" : "predicate false";
  }

  std::string Advice(OutputRef fetch, const Link& end) const {
    if (!IsWayNotTaken(end.token) || graph_.node(end.token.node).inputs.size() < 2) return "";
    const auto way = static_cast<int32_t>(*deaths_.Way(end.token.node));
    const NodeId join = FindJoinOf(graph_, fetch, {end.token.node, way});
    if (join == NodeId::kNone) return "";
    return ". Fetch '" + graph_.node(join).name + "', which joins the branches, instead";
  }

  const Graph& graph_;
  const FrameTree& frames_;
  const FeedSet feeds_;
  const RootDeaths& deaths_;
  std::vector<bool> died_inside_;  // by node id, of nodes in loops
};

}  // namespace

std::string ExplainDeath(const Graph& graph, const CallSpec& call, const RootDeaths& deaths,
                         OutputRef fetch) {
  const Result<ValidatedCall> valid = ValidateCall(graph, call);
  return valid.ok() ? Explainer(graph, call, *valid, deaths).Explain(fetch) : "";
}

}  // namespace tagflow::optimized
