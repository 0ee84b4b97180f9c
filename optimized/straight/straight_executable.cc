#include "optimized/straight/straight_executable.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "optimized/errors.h"
#include "optimized/explain.h"
#include "optimized/limits.h"
#include "optimized/native/native_loops.h"
#include "optimized/straight/device_calls.h"
#include "optimized/straight/device_chain.h"
#include "optimized/straight/device_loops.h"
#include "optimized/straight/emitter.h"
#include "optimized/straight/fusion.h"
#include "optimized/straight/gather_calls.h"
#include "optimized/straight/last_use.h"
#include "optimized/straight/machine.h"
#include "optimized/straight/predicted_places.h"
#include "optimized/straight/schedule.h"
#include "optimized/straight/step_program.h"
#include "optimized/straight/values.h"
#include "transform/deadness/structure.h"

namespace tagflow::optimized {
namespace {

using Slots = std::vector<Tensor>;

// What a step left in its slots, for explaining what is dead: which predicates held.
class Deaths : public RootDeaths {
 public:
  Deaths(const Code& code, const Structure& structure, const Slots& slots)
      : code_(code), structure_(structure), slots_(slots) {}

  bool Died(NodeId node) const override { return !Held(structure_.condition[Index(node)]); }
  std::optional<uint32_t> Way(NodeId node) const override {
    const int32_t predicate = structure_.switched_on[Index(node)];
    if (predicate < 0 || Died(node)) return std::nullopt;
    return WayOf(predicate);
  }

 private:
  // In the order of their numbers: a later predicate was computed only if the earlier ones held.
  bool Held(ConditionId condition) const {
    return condition != ConditionId::kNever &&
           std::ranges::all_of(
               structure_.conditions.literals(condition), [this](const ConditionLiteral& literal) {
                 return WayOf(literal.predicate) == static_cast<uint32_t>(literal.value);
               });
  }
  uint32_t WayOf(int32_t predicate) const {
    const uint32_t slot = code_.predicate_slots[static_cast<size_t>(predicate)];
    if (slot == kNoSlot || !slots_[slot].is_inline()) return kNoWay;
    const Tensor& value = slots_[slot];
    if (!structure_.predicates[static_cast<size_t>(predicate)].is_index) {
      return value.inline_value<bool>() ? 1 : 0;
    }
    const auto ways = static_cast<uint32_t>(structure_.conditions.arity(predicate));
    return ChosenWay(value.inline_value<int32_t>(), ways);
  }

  static constexpr uint32_t kNoWay = ~uint32_t{0};
  const Code& code_;
  const Structure& structure_;
  const Slots& slots_;
};

// Slots for steps, used again and again.
class SlotPool {
 public:
  explicit SlotPool(const Code& code) : code_(code) {
    std::vector<bool> is_constant(code.num_slots);
    for (const auto& [slot, value] : code.constants) is_constant[slot] = true;
    for (uint32_t slot = 0; slot < code.num_slots; ++slot) {
      if (is_constant[slot]) continue;
      const bool goes_on = !filled_by_steps_.empty() && filled_by_steps_.back().second == slot;
      if (!goes_on) filled_by_steps_.emplace_back(slot, slot);
      filled_by_steps_.back().second = slot + 1;
    }
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
    for (const auto& [begin, end] : filled_by_steps_) {
      for (Tensor* value = slots->data() + begin; value != slots->data() + end; ++value) {
        if (!value->is_inline()) [[unlikely]]
          *value = Tensor();
      }
    }
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(slots));
  }

 private:
  const Code& code_;
  std::vector<std::pair<uint32_t, uint32_t>> filled_by_steps_;  // slots [begin, end)
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slots>> free_;  // guarded by mutex_
};

class StraightExecutable : public Executable {
 public:
  StraightExecutable(const ExecutableSpec& spec, const Values& values, Code code,
                     Structure structure)
      : graph_(spec.graph),
        call_(spec.call),
        frames_(spec.valid.frames),
        needed_(spec.valid.needed),
        devices_(spec.devices),
        kernels_(spec.kernels),
        code_(std::move(code)),
        structure_(std::move(structure)),
        pool_(code_) {
    // Over devices, chains of calls become their kernels (device_chain.h), and loops nothing.
    if (spec.native.choice != NativeChoice::kOff && spec.devices == nullptr) {
      const auto find_part = [&](NodeId node) {
        return PartOf(code_.kernels[values.kernel_number(node)]);
      };
      native_ = std::make_unique<NativeLoops>(ListedCall{graph_, call_}, code_, find_part,
                                              spec.native, spec.idle_threads);
    }
    if (spec.devices == nullptr || !values.has_devices()) return;
    loops_ = std::make_unique<DeviceLoops>(spec, values, code_);
    for (size_t i = 0; i < loops_->size(); ++i) {
      const uint32_t test = loops_->loop(static_cast<int>(i)).test;
      code_.instructions[test].loop = static_cast<int32_t>(i);
    }
    step_program_ = std::make_unique<StepProgram>(spec, values, code_, *loops_);
  }

  Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds,
                                  const StepControl& control) const override {
    has_run_.store(true, std::memory_order_relaxed);
    std::unique_ptr<Slots> slots = pool_.Take();
    for (size_t i = 0; i < feeds.size(); ++i) (*slots)[i] = std::move(feeds[i]);
    std::vector<Tensor> results(call_.fetches.size());
    if (step_program_ != nullptr && control.max_firings == 0) {
      const Result<bool> is_done = step_program_->Run(*slots, control.services, results);
      if (!is_done.ok() || *is_done) pool_.Give(std::move(slots));
      if (!is_done.ok()) return is_done.status();
      if (*is_done) return results;
    }
    Machine machine(code_, Origin{graph_, frames_}, *slots, control, loops_.get(), native_.get());
    Status status = machine.Run(results);
    if (control.firings != nullptr) *control.firings = machine.firings();
    for (size_t i = 0; i < results.size() && status.ok(); ++i) {
      if (!results[i].has_value()) status = DeadFetchOf(i, *slots);
    }
    pool_.Give(std::move(slots));
    if (!status.ok()) return status;
    return results;
  }

  std::vector<std::string> Notes() const override {
    std::vector<std::string> notes;
    if (native_ != nullptr) notes = native_->Notes();
    if (step_program_ != nullptr) notes.push_back("steps run " + step_program_->HowItRuns());
    if (loops_ != nullptr) AddLoops(notes);
    for (const Instruction& at : code_.instructions) {
      if (at.op != OpCode::kTryFused || code_.fused[at.n].on_device == nullptr) continue;
      const NodeId last = code_.instructions[at.target - 1].node;
      notes.push_back("up to '" + graph_.node(last).name +
                      "': " + code_.fused[at.n].on_device->HowItRuns());
    }
    return notes;
  }

 private:
  // How each loop has run, or would.
  void AddLoops(std::vector<std::string>& notes) const {
    std::vector<PredictedPlace> places;
    if (!has_run_.load(std::memory_order_relaxed)) {
      places = PredictPlaces(graph_, call_, needed_, *devices_, kernels_);
    }
    for (const DeviceLoops::Known& loop : loops_->known()) {
      const bool has_name = loop.predicate != NodeId::kNone;
      const std::string name =
          has_name ? "the loop of '" + graph_.node(loop.predicate).name + "'" : "a loop";
      notes.push_back(name + " runs " + HowItRuns(loop, places));
    }
  }
  //   places: empty where it has
  std::string HowItRuns(const DeviceLoops::Known& loop,
                        const std::vector<PredictedPlace>& places) const {
    if (loop.number < 0) return "by the host: " + loop.why_not;
    if (places.empty()) return loops_->HowItRuns(loop.number);
    switch (places[Index(loop.predicate)]) {
      case PredictedPlace::kHost:
        return "by the host, which has its predicate, unless it is long";
      case PredictedPlace::kDevice:
        return "without the host, as its predicate is on a device, if it can be recorded";
      case PredictedPlace::kNone:
      case PredictedPlace::kUnknown:
        return "by the host, unless its predicate comes to be on a device";
    }
    return "";
  }

  //                                                                               Spec: [fetch.1]
  Status DeadFetchOf(size_t i, const Slots& slots) const {
    const OutputRef fetch = call_.fetches[i];
    const Deaths deaths(code_, structure_, slots);
    return DeadFetch(OutputName(graph_, fetch), ExplainDeath(graph_, call_, deaths, fetch))
        .WithNode(graph_.node(fetch.node).name);
  }

  const Graph& graph_;
  const CallSpec call_;
  const FrameTree frames_;
  const std::vector<bool> needed_;  // by node
  const Devices* const devices_;
  const KernelRegistry& kernels_;
  mutable std::atomic<bool> has_run_ = false;  // relaxed: for people
  Code code_;
  const Structure structure_;
  mutable SlotPool pool_;
  std::unique_ptr<NativeLoops> native_;        // null: all is interpreted
  std::unique_ptr<DeviceLoops> loops_;         // null: nothing is on a device
  std::unique_ptr<StepProgram> step_program_;  // as above
};

}  // namespace

Result<StraightResult> MakeStraightExecutable(const ExecutableSpec& spec) {
  Structure structure = RecoverStructure(spec.graph, spec.call, spec.valid);
  if (!structure.irregular.empty()) return StraightResult{structure.irregular, nullptr};
  const FeedSet fed(spec.graph, spec.call.feeds);
  const auto schedule = ScheduleFrames(spec.graph, fed, spec.valid, structure);
  if (!schedule) return StraightResult{"a loop waits for what comes out of it", nullptr};
  Values values(spec, fed);
  TAGFLOW_RETURN_IF_ERROR(values.Bind(structure.order));
  for (const NodeId id : structure.order) {
    if (values.num_outputs(id) <= kMaxStraightOutputs) continue;
    return StraightResult{"'" + spec.graph.node(id).name + "' has more than " +
                              std::to_string(kMaxStraightOutputs) + " outputs",
                          nullptr};
  }
  if (values.has_lists_on_device()) {
    return StraightResult{"a device's own kernel takes or gives lists", nullptr};
  }
  Code code = EmitCode(spec, fed, structure, *schedule, values);
  if (spec.devices != nullptr) ReadOnHost(spec.graph, values, code);
  if (values.has_device_parts()) GatherElementCalls(spec, values, code);
  MarkLastUses(code);
  FuseCalls(spec, values, code);
  return StraightResult{"", std::make_unique<StraightExecutable>(spec, values, std::move(code),
                                                                 std::move(structure))};
}

}  // namespace tagflow::optimized
