// The second part of a draft: where values lie, and who reads them. Reads roles, signatures and
// enters.

#include "optimized/tokens/draft.h"

namespace tagflow::optimized::tokens {
namespace {

constexpr uint32_t kNoSlot = ~0u;

using CountsBySlot = std::vector<std::vector<uint32_t>>;  // by static frame, and slot

void GiveOutputsSlots(PlanDraft& draft) {
  TokenPlan& plan = draft.plan;
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    FramePlan& into = draft.frame(draft.OutputFrame(i));
    draft.nodes[i].first_output = static_cast<uint32_t>(plan.outputs.size());
    if (draft.IsConstantEnter(i)) {
      ++into.num_constants;
      into.constant_slots.push_back(into.num_slots);
    }
    for (uint32_t k = 0; k < plan.nodes[i].num_outputs; ++k) {
      plan.outputs.push_back(into.num_slots++);
    }
  }
  for (size_t i = 0; i < plan.call.feeds.size(); ++i) {
    plan.feeds.push_back({draft.frame(FrameTree::kRoot).num_slots++, 0, 0});
  }
}

// Where a tensor lies; kNoSlot where it never comes.
uint32_t SlotOf(const PlanDraft& draft, OutputRef tensor) {
  if (const auto feed = draft.fed.Find(tensor)) return draft.plan.feeds[*feed].slot;
  const std::optional<uint32_t> producer = draft.NumberOf(tensor.node);
  if (!producer) return kNoSlot;
  return draft.plan
      .outputs[draft.nodes[*producer].first_output + static_cast<uint32_t>(tensor.index)];
}

bool IsReference(const PlanDraft& draft, OutputRef tensor) {
  const std::optional<uint32_t> producer = draft.NumberOf(tensor.node);
  if (!producer || draft.fed.Find(tensor)) return false;
  return draft.plan.infos[*producer].signature.outputs[static_cast<size_t>(tensor.index)].is_ref;
}

// A reference that the op reads is read into a slot of its own, when the node fires ([ref.2]).
//   returns: where the op finds its input
uint32_t AddReference(PlanDraft& draft, uint32_t i, uint32_t input, uint32_t token_slot) {
  NodeInfo& info = draft.plan.infos[i];
  ReferenceInput reference;
  reference.input = input;
  reference.token_slot = token_slot;
  reference.is_passed_on = info.signature.inputs[input].is_ref;
  reference.allows_no_value =
      reference.is_passed_on &&
      (info.node->def->allows_uninitialized_input || draft.plan.nodes[i].role == Role::kSwitch);
  info.references.push_back(reference);
  draft.plan.nodes[i].reads_references = true;
  return reference.is_passed_on ? token_slot : draft.frame(info.frame).num_slots++;
}

void FindInputs(PlanDraft& draft) {
  std::vector<uint32_t> never(draft.plan.frames.size(), kNoSlot);  // by frame: it stays empty
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    const NodeInfo& info = draft.plan.infos[i];
    draft.nodes[i].first_arg = static_cast<uint32_t>(draft.plan.args.size());
    for (uint32_t k = 0; k < info.node->inputs.size(); ++k) {
      uint32_t slot = SlotOf(draft, info.node->inputs[k]);
      if (slot == kNoSlot) {
        uint32_t& empty = never[static_cast<size_t>(info.frame)];
        if (empty == kNoSlot) empty = draft.frame(info.frame).num_slots++;
        slot = empty;
      }
      if (IsReference(draft, info.node->inputs[k])) slot = AddReference(draft, i, k, slot);
      draft.plan.args.push_back({slot, 1});
    }
  }
  for (const OutputRef fetch : draft.plan.call.fetches) {
    const uint32_t slot = SlotOf(draft, fetch);
    draft.plan.fetches.push_back({slot == kNoSlot ? 0 : slot, IsReference(draft, fetch)});
  }
}

// Calls visit(frame, slot, its use, arg or null) for each reading of a slot. A reference that is
// read has its token as one; the slot it is read into is the node's own.
// REQUIRES: arg_uses are as many as args
template <typename Visit>
void ForEachUse(PlanDraft& draft, const Visit& visit) {
  TokenPlan& plan = draft.plan;
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    NodeInfo& info = plan.infos[i];
    const auto frame = static_cast<size_t>(info.frame);
    const uint32_t first = draft.nodes[i].first_arg;
    for (uint32_t k = first; k < first + plan.nodes[i].num_inputs; ++k) {
      visit(frame, plan.args[k].slot, plan.arg_uses[k], &plan.args[k]);
    }
    for (ReferenceInput& reference : info.references) {
      if (!reference.is_passed_on) visit(frame, reference.token_slot, reference.use, nullptr);
    }
  }
}

// What kernels do not need to keep, and what else stays in a slot until its iteration ends.
void MarkUnusedOutputs(PlanDraft& draft, const CountsBySlot& readers) {
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    PlanNode& node = draft.plan.nodes[i];
    const int into = draft.OutputFrame(i);
    for (uint32_t k = 0; k < node.num_outputs; ++k) {
      const uint32_t slot = draft.plan.outputs[draft.nodes[i].first_output + k];
      if (readers[static_cast<size_t>(into)][slot] > 0) continue;
      draft.plan.infos[i].unused_outputs.push_back(k);
      if (node.role == Role::kKernel) {
        node.has_unused_output = true;
      } else if (into != FrameTree::kRoot && !draft.IsConstantEnter(i)) {
        draft.frame(into).unread_slots.push_back(slot);
      }
    }
  }
}

// Those that several read get a counter, but for constants.
void CountUses(PlanDraft& draft) {
  TokenPlan& plan = draft.plan;
  plan.arg_uses.assign(plan.args.size(), TokenPlan::kSingleUse);
  CountsBySlot readers(plan.frames.size());
  for (size_t f = 0; f < readers.size(); ++f) readers[f].resize(plan.frames[f].num_slots);
  ForEachUse(draft, [&](size_t frame, uint32_t slot, uint32_t&, Arg*) { ++readers[frame][slot]; });
  MarkUnusedOutputs(draft, readers);
  CountsBySlot counters(plan.frames.size());
  draft.uses.resize(plan.frames.size());
  for (size_t f = 0; f < readers.size(); ++f) {
    for (const uint32_t count : readers[f]) {
      counters[f].push_back(count > 1 ? static_cast<uint32_t>(draft.uses[f].size())
                                      : TokenPlan::kSingleUse);
      if (count > 1) draft.uses[f].push_back(count);
    }
    for (const uint32_t slot : plan.frames[f].constant_slots) counters[f][slot] = TokenPlan::kKept;
  }
  ForEachUse(draft, [&](size_t frame, uint32_t slot, uint32_t& use, Arg* arg) {
    use = counters[frame][slot];
    if (arg != nullptr) arg->is_last = use == TokenPlan::kSingleUse;
  });
}

}  // namespace

void DraftValues(PlanDraft& draft) {
  GiveOutputsSlots(draft);
  FindInputs(draft);
  CountUses(draft);
}

}  // namespace tagflow::optimized::tokens
