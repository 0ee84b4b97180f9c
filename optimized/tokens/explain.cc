#include "optimized/tokens/explain.h"

#include <unordered_map>

#include "optimized/explain.h"

namespace tagflow::optimized::tokens {
namespace {

template <typename Sync>
class StateOfRoot : public RootDeaths {
 public:
  StateOfRoot(const TokenPlan& plan, const Iteration<Sync>& root) : plan_(plan), root_(root) {
    for (size_t place = 0; place < plan_.nodes.size(); ++place) {
      if (plan_.nodes[place].role != Role::kSend) continue;
      sends_.emplace(ChannelOf(plan_.nodes[place]), plan_.infos[place].node->id);
    }
  }

  bool Died(NodeId id) const override {
    if (!IsHere(id)) return false;
    const PlanNode& node = PlanOf(id);
    if (node.role == Role::kTrigger) return false;
    if (node.role != Role::kMerge) {
      return WordOf(id) == Arrivals::kDead || DiedInClass(plan_, root_, node);
    }
    const uint64_t word = root_.merges[node.detail].word.load();
    return MergeArrivals::Due(word) && !MergeArrivals::Live(word);
  }

  std::optional<uint32_t> Way(NodeId id) const override {
    if (!IsHere(id) || PlanOf(id).role == Role::kMerge) return std::nullopt;
    const uint32_t word = WordOf(id);
    if (!Arrivals::HasGone(word)) return std::nullopt;
    return Arrivals::Way(word);
  }

  NodeId SendTo(NodeId recv) const override {
    if (!IsPlanned(recv) || PlanOf(recv).role != Role::kRecv) return NodeId::kNone;
    const auto send = sends_.find(ChannelOf(PlanOf(recv)));
    return send == sends_.end() ? NodeId::kNone : send->second;
  }

 private:
  bool IsPlanned(NodeId id) const { return plan_.index[Index(id)] >= 0; }
  bool IsHere(NodeId id) const {
    return IsPlanned(id) &&
           static_cast<uint32_t>(plan_.index[Index(id)]) < plan_.frames[0].num_nodes;
  }
  uint32_t ChannelOf(const PlanNode& transfer) const {
    return plan_.transfers[transfer.detail].channel;
  }
  const PlanNode& PlanOf(NodeId id) const {
    return plan_.nodes[static_cast<size_t>(plan_.index[Index(id)])];
  }
  uint32_t WordOf(NodeId id) const {
    return root_.words[static_cast<size_t>(plan_.index[Index(id)])].load();
  }

  const TokenPlan& plan_;
  const Iteration<Sync>& root_;
  std::unordered_map<uint32_t, NodeId> sends_;  // by channel, the first
};

}  // namespace

template <typename Sync>
std::string ExplainDeath(const TokenPlan& plan, const Iteration<Sync>& root, OutputRef output) {
  return optimized::ExplainDeath(*plan.graph, plan.call, StateOfRoot<Sync>(plan, root), output);
}

template std::string ExplainDeath(const TokenPlan&, const Iteration<Sequential>&, OutputRef);
template std::string ExplainDeath(const TokenPlan&, const Iteration<Concurrent>&, OutputRef);

}  // namespace tagflow::optimized::tokens
