#include "optimized/tokens/dead_classes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "graph/feed_set.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::optimized::tokens {
namespace {

constexpr size_t kEntriesMax = 64;
constexpr uint32_t kMembersMin = 8;

// ---- Sets of entries ----

// Equal sets have equal numbers. An entry is the number of its port in TokenPlan::ports.
class EntrySets {
 public:
  static constexpr uint32_t kNone = ~0u;

  uint32_t Of(uint32_t entry) { return Intern({entry}); }
  // kNone where it would be too large.
  uint32_t Union(uint32_t a, uint32_t b) {
    if (a == b) return a;
    const auto [place, is_new] = unions_.try_emplace(std::minmax(a, b), kNone);
    if (!is_new) return place->second;
    std::vector<uint32_t> both;
    std::ranges::set_union(*entries_[a], *entries_[b], std::back_inserter(both));
    if (both.size() <= kEntriesMax) place->second = Intern(std::move(both));
    return place->second;
  }
  const std::vector<uint32_t>& entries(uint32_t set) const { return *entries_[set]; }
  size_t size() const { return entries_.size(); }

 private:
  uint32_t Intern(std::vector<uint32_t> entries) {
    const auto [place, is_new] =
        numbers_.try_emplace(std::move(entries), static_cast<uint32_t>(entries_.size()));
    if (is_new) entries_.push_back(&place->first);
    return place->second;
  }

  std::map<std::vector<uint32_t>, uint32_t> numbers_;
  std::vector<const std::vector<uint32_t>*> entries_;  // by number
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> unions_;
};

// ---- The classes ----

class DeadClasses {
 public:
  explicit DeadClasses(PlanDraft& draft)
      : draft_(draft),
        plan_(draft.plan),
        fed_(draft.graph, draft.spec.call.feeds),
        num_nodes_(draft.num_nodes()),
        set_of_(num_nodes_, EntrySets::kNone) {}

  void Find() {
    if (plan_.ports.empty()) return;
    const std::vector<bool>& needed = draft_.spec.valid.needed;
    for (const NodeId id : DependencyOrder(draft_.graph, needed, fed_)) Classify(id);
    ChooseClasses();
    AppendClasses();
    LayOutPorts();
    LayOutClasses();
  }

 private:
  const FramePlan& FrameOf(uint32_t node) const { return draft_.frame(plan_.infos[node].frame); }

  // ---- Which nodes are of which ----

  static bool MayBeMember(const PlanNode& node) {
    switch (node.role) {
      case Role::kKernel:
      case Role::kPass:
      case Role::kLoopCond:
      case Role::kSwitch:
      case Role::kAsync:
        return !node.is_target;
      default:
        return false;
    }
  }

  void Classify(NodeId id) {
    const std::optional<uint32_t> number = draft_.NumberOf(id);
    if (!number || !MayBeMember(plan_.nodes[*number])) return;
    const Node& node = draft_.graph.node(id);
    uint32_t all = EntrySets::kNone;
    bool is_member = true;
    const auto add = [&](uint32_t set) {
      is_member = is_member && set != EntrySets::kNone;
      if (is_member) all = all == EntrySets::kNone ? set : sets_.Union(all, set);
      is_member = is_member && all != EntrySets::kNone;
    };
    for (const OutputRef& input : node.inputs) add(SetOfOutput(input));
    for (const NodeId control : node.control_inputs) add(SetOfNode(draft_.NumberOf(control)));
    if (is_member) set_of_[*number] = all;
  }
  uint32_t SetOfNode(std::optional<uint32_t> number) const {
    return number ? set_of_[*number] : EntrySets::kNone;
  }
  uint32_t SetOfOutput(OutputRef output) {
    const std::optional<uint32_t> number = draft_.NumberOf(output.node);
    if (fed_.Contains(output) || !number) return EntrySets::kNone;
    if (!draft_.HasPorts(*number)) return SetOfNode(number);
    if (plan_.nodes[*number].role == Role::kSwitch && EndsLoop(*plan_.infos[*number].node)) {
      return EntrySets::kNone;
    }
    return sets_.Of(draft_.FirstPort(*number) + static_cast<uint32_t>(output.index));
  }
  bool EndsLoop(const Node& way) const {
    const OutputRef predicate = way.inputs[1];
    const std::optional<uint32_t> number = draft_.NumberOf(predicate.node);
    return !fed_.Contains(predicate) && number && plan_.nodes[*number].role == Role::kLoopCond;
  }

  // Large ones, and those that their nodes take something from.
  void ChooseClasses() {
    std::vector<uint32_t> sizes(sets_.size());
    for (const uint32_t set : set_of_) {
      if (set != EntrySets::kNone) ++sizes[set];
    }
    std::vector<std::vector<uint32_t>> sources(sets_.size());
    for (uint32_t i = 0; i < set_of_.size(); ++i) {
      ForMemberTargets(i, [&](uint32_t target) {
        if (set_of_[i] == EntrySets::kNone || set_of_[i] == set_of_[target]) return;
        sources[set_of_[target]].push_back(set_of_[i]);
      });
    }
    chosen_.assign(sets_.size(), false);
    std::vector<uint32_t> follow;
    for (uint32_t set = 0; set < sizes.size(); ++set) {
      if (sizes[set] >= kMembersMin) follow.push_back(set);
    }
    while (!follow.empty()) {
      const uint32_t set = follow.back();
      follow.pop_back();
      if (chosen_[set]) continue;
      chosen_[set] = true;
      follow.insert(follow.end(), sources[set].begin(), sources[set].end());
    }
  }
  template <typename Visit>
  void ForMemberTargets(uint32_t node, const Visit& visit) const {
    const Role role = plan_.nodes[node].role;
    if (role == Role::kEnter || role == Role::kExit) return;  // they lead elsewhere
    for (const Edge& edge : draft_.edges(node)) {
      if (edge.kind == EdgeKind::kFetch) continue;
      const uint32_t target = FrameOf(node).first_node + edge.target;
      if (set_of_[target] != EntrySets::kNone) visit(target);
    }
  }

  // ---- Their nodes and words ----

  void AppendClasses() {
    for (FramePlan& frame : plan_.frames) {
      frame.first_class_word = static_cast<uint32_t>(frame.counts[0].size());
    }
    members_.resize(sets_.size());
    classes_of_entry_.resize(plan_.ports.size());
    class_of_set_.assign(sets_.size(), NodeInfo::kNoClass);
    for (uint32_t i = 0; i < num_nodes_; ++i) {
      const uint32_t set = set_of_[i];
      if (set == EntrySets::kNone || !chosen_[set]) continue;
      if (members_[set].empty()) AppendClass(i, set);
      plan_.infos[i].dead_class = class_of_set_[set];
      members_[set].push_back(i);
    }
  }
  void AppendClass(uint32_t member, uint32_t set) {
    const auto made = static_cast<uint32_t>(plan_.nodes.size());
    FramePlan& frame = draft_.frame(plan_.infos[member].frame);
    PlanNode node;
    node.role = Role::kDeadClass;
    node.detail = static_cast<uint32_t>(frame.counts[0].size());
    NodeInfo info;
    info.node = plan_.infos[member].node;
    info.frame = plan_.infos[member].frame;
    plan_.nodes.push_back(node);
    draft_.nodes.emplace_back();
    plan_.infos.push_back(std::move(info));
    const std::vector<uint32_t>& entries = sets_.entries(set);
    for (std::vector<uint32_t>& counts : frame.counts) {
      counts.push_back(Arrivals::Initial(static_cast<uint32_t>(entries.size())));
    }
    for (const uint32_t entry : entries) classes_of_entry_[entry].push_back(made);
    frame.classes.push_back(made);
    class_of_set_[set] = made;
  }

  // ---- Edges ----

  uint32_t NumEdges() const { return static_cast<uint32_t>(plan_.edges.size()); }
  void Copy(EdgeRange edges) {
    for (uint32_t e = edges.first; e < edges.end; ++e) plan_.edges.push_back(Edge(plan_.edges[e]));
  }
  // Those of a node that lead out of classes.
  void CopyOutside(uint32_t node, EdgeRange edges) {
    for (uint32_t e = edges.first; e < edges.end; ++e) {
      const Edge edge = plan_.edges[e];
      if (edge.kind == EdgeKind::kNext) continue;  // a dead token ends there
      const uint32_t target = FrameOf(node).first_node + edge.target;
      const bool leads_inside = edge.kind != EdgeKind::kFetch && edge.kind != EdgeKind::kExit &&
                                plan_.infos[target].dead_class != NodeInfo::kNoClass;
      if (!leads_inside) plan_.edges.push_back(edge);
    }
  }
  void Tell(uint32_t node, const std::vector<uint32_t>& classes) {
    for (const uint32_t each : classes) {
      plan_.edges.emplace_back(EdgeKind::kDeadClass, each - FrameOf(node).first_node, 0);
    }
  }

  void LayOutPorts() {
    draft_.ports.resize(plan_.ports.size());
    for (uint32_t i = 0; i < num_nodes_; ++i) {
      if (!draft_.HasPorts(i)) continue;
      const EdgeRange all = draft_.nodes[i].edges;
      uint32_t most = all.end - all.first;
      for (uint32_t port = 0; port < plan_.nodes[i].num_outputs; ++port) {
        const uint32_t entry = draft_.FirstPort(i) + port;
        const EdgeRange edges = {all.first + plan_.ports[entry],
                                 all.first + plan_.ports[entry + 1]};
        const uint32_t live = NumEdges();
        Copy(edges);
        Tell(i, classes_of_entry_[entry]);
        const uint32_t dead = NumEdges();
        CopyOutside(i, edges);
        Tell(i, classes_of_entry_[entry]);
        draft_.ports[entry] = {{live, dead}, {dead, NumEdges()}};
        most += dead - live;
      }
      plan_.most_edges = std::max(plan_.most_edges, most);
    }
  }

  void LayOutClasses() {
    for (size_t set = 0; set < members_.size(); ++set) {
      if (members_[set].empty()) continue;
      const uint32_t first = NumEdges();
      for (const uint32_t member : members_[set]) AppendFrontier(member);
      draft_.nodes[class_of_set_[set]].edges = {first, NumEdges()};
      plan_.most_edges = std::max(plan_.most_edges, NumEdges() - first);
    }
  }
  void AppendFrontier(uint32_t member) {
    const PlanNode& node = plan_.nodes[member];
    EdgeRange rest = draft_.nodes[member].edges;
    if (node.role == Role::kSwitch) {
      for (uint32_t port = 0; port < node.num_outputs; ++port) {
        Copy(draft_.ports[node.detail + port].dead);
      }
      rest.first += plan_.ports[node.detail + node.num_outputs];
    }
    CopyOutside(member, rest);
  }

  PlanDraft& draft_;
  TokenPlan& plan_;
  const FeedSet fed_;
  const uint32_t num_nodes_;  // without classes
  EntrySets sets_;
  std::vector<uint32_t> set_of_;                         // by node; of those that are members
  std::vector<bool> chosen_;                             // by set
  std::vector<std::vector<uint32_t>> members_;           // by set that is a class
  std::vector<uint32_t> class_of_set_;                   // its node
  std::vector<std::vector<uint32_t>> classes_of_entry_;  // their nodes
};

}  // namespace

void FindDeadClasses(PlanDraft& draft) { DeadClasses(draft).Find(); }

}  // namespace tagflow::optimized::tokens
