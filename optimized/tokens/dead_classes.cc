#include "optimized/tokens/dead_classes.h"

#include <algorithm>
#include <map>
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
  DeadClasses(const ExecutableSpec& spec, TokenPlan& plan)
      : spec_(spec),
        plan_(plan),
        fed_(spec.graph, spec.call.feeds),
        set_of_(plan.nodes.size(), EntrySets::kNone) {}

  void Find() {
    if (std::ranges::none_of(plan_.nodes, HasPorts)) return;
    for (const NodeId id : DependencyOrder(spec_.graph, spec_.valid.needed, fed_)) Classify(id);
    ChooseClasses();
    const auto num_nodes = static_cast<uint32_t>(plan_.nodes.size());
    AppendClasses();
    LayOutPorts(num_nodes);
    LayOutClasses(num_nodes);
    Seal();
  }

 private:
  // Of edges that were appended.
  struct Range {
    size_t begin = 0, end = 0;
  };
  struct PortRanges {
    Range live, dead;
  };

  static bool HasPorts(const PlanNode& node) {
    return node.role == Role::kSwitch || node.role == Role::kRecv;
  }
  uint32_t FirstPort(const PlanNode& node) const {
    return node.role == Role::kRecv ? plan_.transfers[node.detail].first_port : node.detail;
  }
  const FramePlan& FrameOf(uint32_t node) const {
    return plan_.frames[static_cast<size_t>(plan_.infos[node].frame)];
  }

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
    const int32_t index = plan_.index[Index(id)];
    if (index < 0 || !MayBeMember(plan_.nodes[static_cast<size_t>(index)])) return;
    const Node& node = spec_.graph.node(id);
    uint32_t all = EntrySets::kNone;
    bool is_member = true;
    const auto add = [&](uint32_t set) {
      is_member = is_member && set != EntrySets::kNone;
      if (is_member) all = all == EntrySets::kNone ? set : sets_.Union(all, set);
      is_member = is_member && all != EntrySets::kNone;
    };
    for (const OutputRef& input : node.inputs) add(SetOfOutput(input));
    for (const NodeId control : node.control_inputs) add(SetOfNode(plan_.index[Index(control)]));
    if (is_member) set_of_[static_cast<size_t>(index)] = all;
  }
  uint32_t SetOfNode(int32_t index) const {
    return index < 0 ? EntrySets::kNone : set_of_[static_cast<size_t>(index)];
  }
  uint32_t SetOfOutput(OutputRef output) {
    const int32_t index = plan_.index[Index(output.node)];
    if (fed_.Contains(output) || index < 0) return EntrySets::kNone;
    const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
    if (!HasPorts(node)) return SetOfNode(index);
    if (node.role == Role::kSwitch && EndsLoop(*plan_.info(node).node)) return EntrySets::kNone;
    return sets_.Of(FirstPort(node) + static_cast<uint32_t>(output.index));
  }
  bool EndsLoop(const Node& way) const {
    const OutputRef predicate = way.inputs[1];
    const int32_t index = plan_.index[Index(predicate.node)];
    return !fed_.Contains(predicate) && index >= 0 &&
           plan_.nodes[static_cast<size_t>(index)].role == Role::kLoopCond;
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
    const PlanNode& from = plan_.nodes[node];
    if (from.role == Role::kEnter || from.role == Role::kExit) return;  // they lead elsewhere
    for (const Edge* edge = from.edges; edge != from.edges_end(); ++edge) {
      if (edge->kind == EdgeKind::kFetch) continue;
      const uint32_t target = FrameOf(node).first_node + edge->target;
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
    const auto num_nodes = static_cast<uint32_t>(set_of_.size());
    for (uint32_t i = 0; i < num_nodes; ++i) {
      const uint32_t set = set_of_[i];
      if (set == EntrySets::kNone || !chosen_[set]) continue;
      if (members_[set].empty()) AppendClass(i, set);
      plan_.infos[i].dead_class = class_of_set_[set];
      members_[set].push_back(i);
    }
  }
  void AppendClass(uint32_t member, uint32_t set) {
    const auto made = static_cast<uint32_t>(plan_.nodes.size());
    FramePlan& frame = plan_.frames[static_cast<size_t>(plan_.infos[member].frame)];
    PlanNode node;
    node.role = Role::kDeadClass;
    node.detail = static_cast<uint32_t>(frame.counts[0].size());
    NodeInfo info;
    info.node = plan_.infos[member].node;
    info.frame = plan_.infos[member].frame;
    plan_.nodes.push_back(node);
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

  // Those that lead out of classes.
  void CopyOutside(uint32_t node, const Edge* begin, const Edge* end) {
    for (const Edge* edge = begin; edge != end; ++edge) {
      if (edge->kind == EdgeKind::kNext) continue;  // a dead token ends there
      const uint32_t target = FrameOf(node).first_node + edge->target;
      const bool leads_inside = edge->kind != EdgeKind::kFetch && edge->kind != EdgeKind::kExit &&
                                plan_.infos[target].dead_class != NodeInfo::kNoClass;
      if (!leads_inside) added_.push_back(*edge);
    }
  }
  void Tell(uint32_t node, const std::vector<uint32_t>& classes) {
    for (const uint32_t each : classes) {
      added_.emplace_back(EdgeKind::kDeadClass, each - FrameOf(node).first_node, 0);
    }
  }
  template <typename Add>
  Range Append(const Add& add) {
    const size_t begin = added_.size();
    add();
    return {begin, added_.size()};
  }

  void LayOutPorts(uint32_t num_nodes) {
    ranges_.resize(plan_.ports.size());
    for (uint32_t i = 0; i < num_nodes; ++i) {
      const PlanNode& node = plan_.nodes[i];
      if (!HasPorts(node)) continue;
      size_t most = 0;
      for (uint32_t port = 0; port < node.num_outputs; ++port) {
        const uint32_t entry = FirstPort(node) + port;
        const Edge* const begin = node.edges + plan_.ports[entry];
        const Edge* const end = node.edges + plan_.ports[entry + 1];
        PortRanges& made = ranges_[entry];
        made.live = Append([&] {
          added_.insert(added_.end(), begin, end);
          Tell(i, classes_of_entry_[entry]);
        });
        made.dead = Append([&] {
          CopyOutside(i, begin, end);
          Tell(i, classes_of_entry_[entry]);
        });
        most += made.live.end - made.live.begin;
      }
      NoteMost(most + node.num_edges);
    }
  }

  void LayOutClasses(uint32_t num_nodes) {
    class_ranges_.resize(plan_.nodes.size() - num_nodes);
    for (size_t set = 0; set < members_.size(); ++set) {
      if (members_[set].empty()) continue;
      const Range made = Append([&] {
        for (const uint32_t member : members_[set]) AppendFrontier(member);
      });
      class_ranges_[class_of_set_[set] - num_nodes] = made;
      NoteMost(made.end - made.begin);
    }
    first_class_ = num_nodes;
  }
  void AppendFrontier(uint32_t member) {
    const PlanNode& node = plan_.nodes[member];
    const Edge* rest = node.edges;
    if (node.role == Role::kSwitch) {
      for (uint32_t port = 0; port < node.num_outputs; ++port) {
        const Range dead = ranges_[node.detail + port].dead;
        for (size_t e = dead.begin; e < dead.end; ++e) added_.push_back(Edge(added_[e]));
      }
      rest += plan_.ports[node.detail + node.num_outputs];
    }
    CopyOutside(member, rest, node.edges_end());
  }
  void NoteMost(size_t edges) {
    plan_.most_edges = std::max(plan_.most_edges, static_cast<uint32_t>(edges));
  }

  // Pointers, now that the arrays stay where they are.
  void Seal() {
    std::vector<Edge> edges;
    edges.reserve(plan_.edges.size() + added_.size());
    edges.insert(edges.end(), plan_.edges.begin(), plan_.edges.end());
    edges.insert(edges.end(), added_.begin(), added_.end());
    const Edge* const added = edges.data() + plan_.edges.size();
    for (uint32_t i = 0; i < first_class_; ++i) {
      plan_.nodes[i].edges = edges.data() + (plan_.nodes[i].edges - plan_.edges.data());
    }
    for (size_t i = 0; i < class_ranges_.size(); ++i) {
      PlanNode& node = plan_.nodes[first_class_ + i];
      node.edges = added + class_ranges_[i].begin;
      node.num_edges = static_cast<uint32_t>(class_ranges_[i].end - class_ranges_[i].begin);
    }
    for (const PortRanges& port : ranges_) {
      plan_.port_edges.push_back({added + port.live.begin, added + port.live.end,
                                  added + port.dead.begin, added + port.dead.end});
    }
    plan_.edges = std::move(edges);
  }

  const ExecutableSpec& spec_;
  TokenPlan& plan_;
  const FeedSet fed_;
  EntrySets sets_;
  std::vector<uint32_t> set_of_;                         // by node; of those that are members
  std::vector<bool> chosen_;                             // by set
  std::vector<std::vector<uint32_t>> members_;           // by set that is a class
  std::vector<uint32_t> class_of_set_;                   // its node
  std::vector<std::vector<uint32_t>> classes_of_entry_;  // their nodes
  std::vector<Edge> added_;
  std::vector<PortRanges> ranges_;   // by entry
  std::vector<Range> class_ranges_;  // by class
  uint32_t first_class_ = 0;         // node
};

}  // namespace

void FindDeadClasses(const ExecutableSpec& spec, TokenPlan& plan) {
  DeadClasses(spec, plan).Find();
}

}  // namespace tagflow::optimized::tokens
