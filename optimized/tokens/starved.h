#ifndef TAGFLOW_OPTIMIZED_TOKENS_STARVED_H_
#define TAGFLOW_OPTIMIZED_TOKENS_STARVED_H_

// Which instances wait for tokens that do not come, as sentences. Those of an iteration that ends
// are noted then, since its memory is used again.

#include <mutex>
#include <string>
#include <vector>

#include "optimized/tokens/worker.h"

namespace tagflow::optimized::tokens {

constexpr size_t kMaxListed = 8;

std::string AtTag(const Tag& tag);

template <typename Sync>
class Starved {
 public:
  using IterationT = Iteration<Sync>;

  explicit Starved(const TokenPlan& plan) : plan_(plan) {}

  // Called when an iteration ends; whether something may be left in its slots, since some instance
  // of it starves or died with its class.
  bool NoteStarved(const IterationT& iteration) {
    if (!iteration.IsHalfFed()) [[likely]]
      return false;
    std::lock_guard lock(starved_mutex_);
    if (starved_.size() < kMaxListed) ListHalfFed(iteration, starved_);
    return true;
  }

  // Appends those of an iteration.
  void ListHalfFed(const IterationT& iteration, std::vector<std::string>& waits) const {
    const FramePlan& plan = iteration.frame->plan;
    for (uint32_t place = 0; place < plan.num_nodes && waits.size() < kMaxListed; ++place) {
      const PlanNode& node = iteration.nodes[place];
      if (node.role == Role::kMerge) {
        if (iteration.index > 0 && node.detail >= plan.num_later_merges) continue;
        const uint64_t word = iteration.merges[node.detail].word.load();
        const uint64_t initial = plan.merges[iteration.index == 0 ? 0 : 1][node.detail];
        if (!MergeArrivals::HalfFed(word, initial)) continue;
      } else if (place >= plan.num_words ||
                 !Arrivals::HalfFed(iteration.words[place].load(), plan.initial_word(place)) ||
                 DiedInClass(plan_, iteration, node)) {
        continue;
      }
      waits.push_back(Missing(iteration, node));
    }
    for (const uint32_t dead_class : plan.classes) {
      const PlanNode& node = plan_.nodes[dead_class];
      if (!Arrivals::HalfFed(iteration.words[node.detail].load(), plan.initial_word(node.detail))) {
        continue;
      }
      waits.push_back(Missing(iteration, node));
    }
  }

  // REQUIRES: no worker runs
  const std::vector<std::string>& noted() const { return starved_; }
  void Clear() { starved_.clear(); }

 private:
  // "'add' at tag f[1] waits for 1 of 'x', 'y'": which of them it is, nothing keeps.
  std::string Missing(const IterationT& iteration, const PlanNode& node) const {
    const Node& source = *plan_.info(node).node;
    std::string inputs;
    for (OutputRef input : source.inputs) {
      inputs += (inputs.empty() ? "'" : ", '") + OutputName(*plan_.graph, input) + "'";
    }
    for (NodeId control : source.control_inputs) {
      inputs += (inputs.empty() ? "'^" : ", '^") + plan_.graph->node(control).name + "'";
    }
    uint32_t missing = 0;
    if (node.role == Role::kMerge) {
      missing = MergeArrivals::ControlsMissing(iteration.merges[node.detail].word.load());
    } else if (node.role != Role::kDeadClass) {
      missing = iteration.words[&node - iteration.nodes].load() / Arrivals::Step(1);
    }
    const std::string count = missing == 0 ? "the rest" : std::to_string(missing);
    return "'" + source.name + "'" + AtTag(TagOf(iteration)) + " waits for " + count + " of " +
           inputs;
  }

  const TokenPlan& plan_;
  std::mutex starved_mutex_;
  std::vector<std::string> starved_;  // in iterations that have ended; guarded by starved_mutex_
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_STARVED_H_
