#include "optimized/straight/straight_executable.h"

#include <mutex>
#include <utility>
#include <vector>

#include "optimized/straight/chains.h"
#include "optimized/straight/emitter.h"
#include "optimized/straight/last_use.h"
#include "optimized/straight/machine.h"
#include "optimized/straight/schedule.h"
#include "optimized/straight/sums.h"
#include "optimized/straight/values.h"
#include "transform/deadness/structure.h"

namespace tagflow::optimized {
namespace {

using Slots = std::vector<Tensor>;

// Slots for steps, used again and again.
class SlotPool {
 public:
  explicit SlotPool(const Code& code) : code_(code), is_constant_(code.num_slots) {
    for (const auto& [slot, value] : code.constants) is_constant_[slot] = true;
  }

  std::unique_ptr<Slots> Take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Slots> slots = std::move(free_.back());
        free_.pop_back();
        return slots;
      }
    }
    auto slots = std::make_unique<Slots>(code_.num_slots);
    for (const auto& [slot, value] : code_.constants) (*slots)[slot] = value;
    return slots;
  }

  // Nothing that a step made outlives it here.
  void Give(std::unique_ptr<Slots> slots) {
    for (size_t i = 0; i < slots->size(); ++i) {
      if (!(*slots)[i].is_inline() && !is_constant_[i]) (*slots)[i] = Tensor();
    }
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(slots));
  }

 private:
  const Code& code_;
  std::vector<bool> is_constant_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slots>> free_;  // guarded by mutex_
};

class StraightExecutable : public Executable {
 public:
  StraightExecutable(const ExecutableSpec& spec, Code code, Structure structure)
      : graph_(spec.graph),
        call_(spec.call),
        frames_(spec.valid.frames),
        code_(std::move(code)),
        structure_(std::move(structure)),
        pool_(code_) {}

  Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds,
                                  const StepControl& control) const override {
    std::unique_ptr<Slots> slots = pool_.Take();
    for (size_t i = 0; i < feeds.size(); ++i) (*slots)[i] = std::move(feeds[i]);
    std::vector<Tensor> results(call_.fetches.size());
    Status status = Machine(code_, Origin{graph_, frames_}, *slots, control).Run(results);
    for (size_t i = 0; i < results.size() && status.ok(); ++i) {
      if (!results[i].has_value()) status = DeadFetch(i, *slots);
    }
    pool_.Give(std::move(slots));
    if (!status.ok()) return status;
    return results;
  }

 private:
  // Says which Switch sent the value the other way.                            Spec: [fetch.1]
  Status DeadFetch(size_t i, const Slots& slots) const;

  const Graph& graph_;
  const CallSpec call_;
  const FrameTree frames_;
  const Code code_;
  const Structure structure_;
  mutable SlotPool pool_;
};

Status StraightExecutable::DeadFetch(size_t i, const Slots&) const {
  const OutputRef fetch = call_.fetches[i];
  const Node& node = graph_.node(fetch.node);
  std::string why;
  const ConditionId condition = structure_.condition[Index(fetch.node)];
  std::vector<int32_t> predicates;
  if (condition != ConditionId::kNever) {
    for (const ConditionLiteral& literal : structure_.conditions.literals(condition)) {
      predicates.push_back(literal.predicate);
    }
  }
  if (structure_.switched_on[Index(fetch.node)] >= 0) {
    predicates.push_back(structure_.switched_on[Index(fetch.node)]);
  }
  for (const int32_t predicate : predicates) {
    const Predicate& asked = structure_.predicates[static_cast<size_t>(predicate)];
    why += (why.empty() ? "Switch '" : ", Switch '") + graph_.node(asked.witness).name + "' on '" +
           OutputName(graph_, asked.tensor) + "'";
  }
  return InvalidArgument("Retval[0] does not have value: the fetched tensor '" +
                         OutputName(graph_, fetch) +
                         "' is dead: its value was sent the other way by " +
                         (why.empty() ? "a Switch on the way to it" : "one of: " + why) +
                         ". Fetch the Merge that joins the branches instead")
      .WithRule("fetch.1")
      .WithNode(node.name);
}

}  // namespace

Result<StraightResult> MakeStraightExecutable(const ExecutableSpec& spec) {
  Structure structure = RecoverStructure(spec.graph, spec.call, spec.valid);
  if (!structure.irregular.empty()) return StraightResult{structure.irregular, nullptr};
  const FeedSet fed(spec.graph, spec.call.feeds);
  const auto schedule = ScheduleFrames(spec.graph, fed, spec.valid, structure);
  if (!schedule) return StraightResult{"a loop waits for what comes out of it", nullptr};
  Values values(spec, fed);
  TAGFLOW_RETURN_IF_ERROR(values.Bind(structure.order));
  Code code = EmitCode(spec, fed, structure, *schedule, values);
  MarkLastUses(code);
  // Kernels of others, an observer's among them, are called one by one.
  if (&spec.kernels == &KernelRegistry::Standard()) {
    FuseChains(spec.graph, spec.call, values, code);
    FuseSums(spec.graph, code);
  }
  return StraightResult{
      "", std::make_unique<StraightExecutable>(spec, std::move(code), std::move(structure))};
}

}  // namespace tagflow::optimized
