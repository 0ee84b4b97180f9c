#include "optimized/tokens/explain.h"

#include "optimized/explain.h"

namespace tagflow::optimized::tokens {
namespace {

template <typename Sync>
class StateOfRoot : public RootDeaths {
 public:
  StateOfRoot(const TokenPlan& plan, const Iteration<Sync>& root) : plan_(plan), root_(root) {}

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
    if (PlanOf(recv).role != Role::kRecv) return NodeId::kNone;
    const uint32_t channel = plan_.transfers[PlanOf(recv).detail].channel;
    for (uint32_t place = 0; place < plan_.frames[0].num_nodes; ++place) {
      const PlanNode& node = plan_.nodes[place];
      if (node.role == Role::kSend && plan_.transfers[node.detail].channel == channel) {
        return plan_.infos[place].node->id;
      }
    }
    return NodeId::kNone;
  }

 private:
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

  const TokenPlan& plan_;
  const Iteration<Sync>& root_;
};

}  // namespace

template <typename Sync>
std::string ExplainDeath(const TokenPlan& plan, const Iteration<Sync>& root, OutputRef output) {
  return optimized::ExplainDeath(*plan.graph, plan.call, StateOfRoot<Sync>(plan, root), output);
}

template std::string ExplainDeath(const TokenPlan&, const Iteration<Sequential>&, OutputRef);
template std::string ExplainDeath(const TokenPlan&, const Iteration<Concurrent>&, OutputRef);

}  // namespace tagflow::optimized::tokens
