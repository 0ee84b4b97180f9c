#include "cli/branches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "graph/control_ops.h"

namespace tagflow::cli {
namespace {

// (branch, side), sorted: where a token is live only if each of these went that way.
using Under = std::vector<std::pair<int, int>>;
constexpr size_t kUnderMax = 32;

class BranchFinder {
 public:
  explicit BranchFinder(const Graph& graph) : graph_(graph), under_(graph.id_limit()) {}

  std::vector<Branch> Run() {
    for (NodeId id : graph_.NodeIds()) AddSwitch(graph_.node(id));
    if (branches_.empty()) return {};
    for (NodeId id : ForwardOrder()) Visit(graph_.node(id));
    return std::move(branches_);
  }

 private:
  void AddSwitch(const Node& node) {
    if (!IsSwitch(node) || node.inputs.size() != 2) return;
    const OutputRef predicate = Origin(node.inputs[1]);
    if (IsLoopCond(graph_.node(predicate.node))) return;
    const auto [place, is_new] = branch_on_.try_emplace(predicate, branches_.size());
    if (is_new) branches_.push_back({predicate, {}, {}});
    branches_[place->second].switches.push_back(node.id);
  }

  // TensorFlow gives each cond an Identity of its predicate.
  OutputRef Origin(OutputRef output) const {
    constexpr int kStepsMax = 1000;  // there may be a cycle
    for (int step = 0; step < kStepsMax; ++step) {
      const Node& node = graph_.node(output.node);
      if (node.op != "Identity" || node.inputs.size() != 1) break;
      output = node.inputs[0];
    }
    return output;
  }

  template <typename Edge>
  void ForEachInput(const Node& node, Edge edge) const {
    for (const OutputRef& input : node.inputs) edge(input);
    for (NodeId control : node.control_inputs) edge(OutputRef{control, kControl});
  }

  // Every node after its inputs, but for what comes around a loop. Nodes on other cycles are left
  // out.
  std::vector<NodeId> ForwardOrder() const {
    std::vector<std::vector<NodeId>> consumers(graph_.id_limit());
    std::vector<int> waiting(graph_.id_limit());
    std::vector<NodeId> order;
    for (NodeId id : graph_.NodeIds()) {
      ForEachInput(graph_.node(id), [&](OutputRef input) {
        if (IsNextIteration(graph_.node(input.node))) return;
        consumers[Index(input.node)].push_back(id);
        ++waiting[Index(id)];
      });
      if (waiting[Index(id)] == 0) order.push_back(id);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      for (NodeId id : consumers[Index(order[i])]) {
        if (--waiting[Index(id)] == 0) order.push_back(id);
      }
    }
    return order;
  }

  void Visit(const Node& node) {
    Under& under = under_[Index(node.id)];
    bool first = true;
    ForEachInput(node, [&](OutputRef input) {
      if (IsNextIteration(graph_.node(input.node))) return;
      const Under incoming = Along(input);
      const bool joins = IsMerge(node) && input.index != kControl;
      // A Merge ignores the deadness of control inputs, and is live where any data input is.
      if (IsMerge(node) && !joins) return;
      under = first ? incoming : joins ? Join(node, under, incoming) : Union(under, incoming);
      first = false;
    });
    if (under.size() > kUnderMax) under.resize(kUnderMax);
  }

  Under Along(OutputRef input) const {
    Under under = under_[Index(input.node)];
    const Node& from = graph_.node(input.node);
    if (!IsSwitch(from) || from.inputs.size() != 2 || input.index == kControl) return under;
    const auto found = branch_on_.find(Origin(from.inputs[1]));
    if (found == branch_on_.end()) return under;
    const std::pair<int, int> side{static_cast<int>(found->second), input.index};
    return Union(under, {side});
  }

  static Under Union(const Under& a, const Under& b) {
    Under both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
  }

  Under Join(const Node& merge, const Under& a, const Under& b) {
    for (const auto& [branch, side] : a) {
      if (!std::binary_search(b.begin(), b.end(), std::pair(branch, 1 - side))) continue;
      std::vector<NodeId>& merges = branches_[static_cast<size_t>(branch)].merges;
      if (merges.empty() || merges.back() != merge.id) merges.push_back(merge.id);
    }
    Under common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return common;
  }

  static constexpr int kControl = TensorName::kControl;

  const Graph& graph_;
  std::vector<Branch> branches_;
  std::map<OutputRef, size_t> branch_on_;
  std::vector<Under> under_;  // of a node's firing, by id
};

}  // namespace

std::vector<Branch> FindBranches(const Graph& graph) { return BranchFinder(graph).Run(); }

}  // namespace tagflow::cli
