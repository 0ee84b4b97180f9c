#include "optimized/tokens/explain.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tagflow::optimized::tokens {
namespace {

constexpr size_t kMaxListed = 8;

template <typename Sync>
class Explainer {
 public:
  Explainer(const TokenPlan& plan, const Iteration<Sync>& root) : plan_(plan), root_(root) {}

  std::string Explain(OutputRef output) {
    Follow(output);
    const Node& origin = *path_.back();
    std::string text =
        ": " + origin.op + " '" + origin.name + "' " +
        (reason_.empty() ? "had no value" : "sent its value the other way (" + reason_ + ")");
    text += "; path: ";
    std::reverse(path_.begin(), path_.end());
    for (size_t i = 0; i < path_.size(); ++i) {
      if (path_.size() > kMaxListed && i == kMaxListed / 2) {
        text += " -> ...";
        i = path_.size() - kMaxListed / 2;
      }
      text += (i == 0 ? "" : " -> ") + path_[i]->name;
    }
    return text + ". Fetch the Merge that joins the branches instead";
  }

 private:
  // From a dead token back to where it was live.
  void Follow(OutputRef output) {
    std::optional<OutputRef> at = output;
    while (at.has_value() && path_.size() <= plan_.nodes.size()) {
      const Node& node = plan_.graph->node(at->node);
      path_.push_back(&node);
      if (!IsWayNotTaken(*at)) {
        at = Cause(node);
      } else if (const NodeId send = SendTo(node); send != NodeId::kNone) {
        at = OutputRef{send, 0};
      } else {
        reason_ = ReasonOf(*at);
        return;
      }
    }
  }

  bool IsHere(NodeId id) const {
    const int32_t index = plan_.index[Index(id)];
    return index >= 0 && static_cast<uint32_t>(index) < plan_.frames[0].num_nodes;
  }
  const PlanNode& PlanOf(NodeId id) const {
    return plan_.nodes[static_cast<size_t>(plan_.index[Index(id)])];
  }
  uint32_t WordOf(NodeId id) const {
    return root_.words[static_cast<size_t>(plan_.index[Index(id)])].load();
  }
  bool IsFed(OutputRef output) const {
    const std::vector<OutputRef>& feeds = plan_.call.feeds;
    return std::find(feeds.begin(), feeds.end(), output) != feeds.end();
  }

  // Of a Recv, the Send in this step that told it; kNone.
  NodeId SendTo(const Node& recv) const {
    if (PlanOf(recv.id).role != Role::kRecv) return NodeId::kNone;
    const uint32_t channel = plan_.transfers[PlanOf(recv.id).detail].channel;
    for (uint32_t place = 0; place < plan_.frames[0].num_nodes; ++place) {
      const PlanNode& node = plan_.nodes[place];
      if (node.role == Role::kSend && plan_.transfers[node.detail].channel == channel) {
        return plan_.infos[place].node->id;
      }
    }
    return NodeId::kNone;
  }

  // A Switch or Recv that fired live, and gave this output no value.
  bool IsWayNotTaken(OutputRef output) const {
    if (!IsHere(output.node) || PlanOf(output.node).role == Role::kMerge) return false;
    const uint32_t word = WordOf(output.node);
    return Arrivals::HasGone(word) && Arrivals::Way(word) != static_cast<uint32_t>(output.index);
  }
  std::string ReasonOf(OutputRef output) const {
    const PlanNode& node = PlanOf(output.node);
    if (node.role != Role::kSwitch) return "";
    const uint32_t way = Arrivals::Way(WordOf(output.node));
    if (plan_.info(node).signature.inputs[1].dtype == DType::kInt32) {
      return "index " + std::to_string(way);
    }
    return way == 1 ? "predicate true" : "predicate false";
  }

  bool IsDeadInstance(NodeId id) const {
    if (!IsHere(id)) return false;
    const PlanNode& node = PlanOf(id);
    if (node.role == Role::kTrigger) return false;
    if (node.role != Role::kMerge) {
      return WordOf(id) == Arrivals::kDead || DiedInClass(plan_, root_, node);
    }
    const uint64_t word = root_.merges[node.detail].word.load();
    return MergeArrivals::Due(word) && !MergeArrivals::Live(word);
  }
  bool IsDead(OutputRef output) const {
    return !IsFed(output) && (IsDeadInstance(output.node) || IsWayNotTaken(output));
  }

  // What made a dead instance so; nothing when that is not known.
  std::optional<OutputRef> Cause(const Node& node) const {
    if (!IsHere(node.id)) return DeadEnter(node);
    for (OutputRef input : node.inputs) {
      if (IsDead(input)) return input;
    }
    for (NodeId control : node.control_inputs) {
      if (IsDeadInstance(control)) return OutputRef{control, 0};
    }
    for (OutputRef input : node.inputs) {
      if (!IsFed(input) && IsExit(input.node)) return input;
    }
    for (NodeId control : node.control_inputs) {
      if (IsExit(control)) return OutputRef{control, 0};
    }
    return std::nullopt;
  }
  bool IsExit(NodeId id) const { return plan_.index[Index(id)] >= 0 && !IsHere(id); }

  // The loop was dead when an Enter of it was.
  std::optional<OutputRef> DeadEnter(const Node& exit) const {
    const int32_t index = plan_.index[Index(exit.id)];
    if (index < 0) return std::nullopt;
    const int frame = plan_.infos[static_cast<size_t>(index)].frame;
    for (uint32_t place = 0; place < plan_.frames[0].num_nodes; ++place) {
      const PlanNode& node = plan_.nodes[place];
      if (node.role != Role::kEnter || plan_.enters[node.detail].frame != frame) continue;
      const NodeId id = plan_.infos[place].node->id;
      if (IsDeadInstance(id)) return OutputRef{id, 0};
    }
    return std::nullopt;
  }

  const TokenPlan& plan_;
  const Iteration<Sync>& root_;
  std::vector<const Node*> path_;  // from the fetch back
  std::string reason_;             // of the Switch at its end
};

}  // namespace

template <typename Sync>
std::string ExplainDeath(const TokenPlan& plan, const Iteration<Sync>& root, OutputRef output) {
  return Explainer<Sync>(plan, root).Explain(output);
}

template std::string ExplainDeath(const TokenPlan&, const Iteration<Sequential>&, OutputRef);
template std::string ExplainDeath(const TokenPlan&, const Iteration<Concurrent>&, OutputRef);

}  // namespace tagflow::optimized::tokens
