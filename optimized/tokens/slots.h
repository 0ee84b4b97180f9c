#ifndef TAGFLOW_OPTIMIZED_TOKENS_SLOTS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_SLOTS_H_

// The values of an instance's inputs: in which slots they are, who may have them, and when they go.
//
// What most firings do not need is never inlined: it would cost the others registers.

#include <cstring>
#include <utility>

#include "optimized/errors.h"
#include "optimized/resources.h"
#include "optimized/tokens/worker.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
class Slots {
 public:
  using IterationT = Iteration<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;

  explicit Slots(const TokenPlan& plan) : plan_(plan) {}

  // The value of an input, for who hands it on: moved where nobody else will read it.
  [[gnu::noinline]] Tensor TakeInput(const PlanNode& node, uint32_t input, IterationT& at) {
    const uint32_t at_slot = node.args[input].slot;
    Tensor& slot = at.slots[at_slot];
    if (slot.is_inline()) return slot;
    const uint32_t use = plan_.uses_of(node)[input];
    if (use == TokenPlan::kKept) return slot;
    if (use == TokenPlan::kSingleUse || at.uses[use].load() == 1) return std::move(slot);
    Tensor value = slot;  // before the others are told that this reader is done
    ReleaseUse(at, at_slot, use);
    return value;
  }

  [[gnu::always_inline]] void MoveInput(const PlanNode& node, uint32_t input, IterationT& at,
                                        Tensor& to) {
    const Tensor& value = at.slots[node.args[input].slot];
    if (value.is_inline() && to.is_inline()) [[likely]] {
      std::memcpy(static_cast<void*>(&to), &value, sizeof(Tensor));  // inline: that is all of it
    } else {
      to = TakeInput(node, input, at);
    }
  }

  // One reader less, for whom the value of the slot is kept until the last is done.
  [[gnu::noinline]] void ReleaseUse(IterationT& at, uint32_t slot, uint32_t use) {
    if (use == TokenPlan::kKept) return;
    if (use == TokenPlan::kSingleUse || at.uses[use].Add(static_cast<uint32_t>(-1)) == 0) {
      at.slots[slot] = Tensor();
    }
  }

  // Points the worker's context at an instance of a kernel whose inputs may hold memory, and lets
  // go of them when that has run.
  void PointAtBuffers(WorkerT& worker, const PlanNode& node, IterationT& at) {
    const uint32_t* const uses = plan_.uses_of(node);
    worker.args.assign(node.args, node.args + node.num_inputs);
    for (uint32_t i = 0; i < node.num_inputs; ++i) {
      if (uses[i] < TokenPlan::kKept) worker.args[i].is_last = at.uses[uses[i]].load() == 1;
    }
    worker.context.Enter(at);
    worker.context.Point(worker.args.data(), node.outputs, static_cast<int>(node.num_inputs));
  }

  // Those that the worker's context was pointed at.
  void ReleaseInputs(WorkerT& worker, const PlanNode& node, IterationT& at) {
    const uint32_t* const uses = plan_.uses_of(node);
    for (uint32_t i = 0; i < node.num_inputs; ++i) {
      const Arg arg = worker.args[i];
      if (at.slots[arg.slot].is_inline()) continue;
      ReleaseUse(at, arg.slot, arg.is_last ? TokenPlan::kSingleUse : uses[i]);
    }
  }

  [[gnu::noinline]] void ReleaseUnusedOutputs(const PlanNode& node, IterationT& at) {
    for (uint32_t unused : plan_.info(node).unused_outputs) {
      Tensor& slot = at.slots[node.outputs[unused]];
      if (!slot.is_inline()) slot = Tensor();
    }
  }

  // Snapshots of the variables that inputs refer to. Errors: a variable has no value
  [[gnu::noinline]] Status ReadReferences(const PlanNode& node, IterationT& at) {
    for (const ReferenceInput& reference : plan_.info(node).references) {
      TAGFLOW_RETURN_IF_ERROR(ReadReference(reference, node, at));
    }
    return Status();
  }

  // A snapshot of the variable, where the op takes a value.               Spec: [ref.2] [ref.3]
  Status ReadReference(const ReferenceInput& reference, const PlanNode& node, IterationT& at) {
    if (reference.allows_no_value) return Status();
    const Variable& variable = ReferencedVariable(at.slots[reference.token_slot]);
    Tensor value = variable.value();
    if (!value.has_value()) return UninitializedVariable(variable.name());
    if (reference.is_passed_on) return Status();
    at.slots[node.args[reference.input].slot] = std::move(value);
    ReleaseUse(at, reference.token_slot, reference.use);
    return Status();
  }

  // A dead instance reads nothing, and so lets go of those of its inputs that are live.
  [[gnu::noinline]] void MarkDead(const PlanNode& node, IterationT& at, const ReadyT& ready) {
    if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::kDead);
    for (uint32_t i = 0; i < node.num_inputs; ++i) {
      const uint32_t slot = node.args[i].slot;
      if (!at.slots[slot].is_inline()) ReleaseUse(at, slot, plan_.uses_of(node)[i]);
    }
    if (!node.reads_references) return;
    for (const ReferenceInput& reference : plan_.info(node).references) {
      if (reference.is_passed_on || at.slots[reference.token_slot].is_inline()) continue;
      ReleaseUse(at, reference.token_slot, reference.use);
    }
  }

 private:
  const TokenPlan& plan_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_SLOTS_H_
