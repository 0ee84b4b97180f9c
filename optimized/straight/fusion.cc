#include "optimized/straight/fusion.h"

#include <algorithm>

#include "graph/node.h"
#include "optimized/straight/chains.h"
#include "optimized/straight/device_chains.h"
#include "optimized/straight/sums.h"

namespace tagflow::optimized {
namespace {

// In their order: a call that one of them takes is not the next one's any more.
constexpr void (*kFusers[])(Fusions&) = {FuseChains, FuseSums};

std::vector<bool> ScalarSlots(const Graph& graph, const CallSpec& call, const Code& code) {
  std::vector<bool> is_scalar(code.num_slots);
  for (const auto& [slot, value] : code.constants) is_scalar[slot] = value.is_inline();
  for (size_t i = 0; i < call.feeds.size(); ++i) {
    is_scalar[i] = IsScalarPlaceholder(graph.node(call.feeds[i].node));
  }
  return is_scalar;
}

}  // namespace

Fusions::Fusions(Code& code, FindPart find_part, std::vector<bool> is_scalar)
    : code_(code),
      find_part_(std::move(find_part)),
      is_jump_target_(JumpTargets(code)),
      is_scalar_(std::move(is_scalar)),
      is_fused_(code.instructions.size()) {}

const KernelPart* Fusions::PartAt(uint32_t i) const {
  const Instruction& call = at(i);
  const bool is_free = call.op == OpCode::kCall && call.node != NodeId::kNone && !is_fused_[i];
  return is_free ? find_part_(call.node) : nullptr;
}

void Fusions::Add(uint32_t first, uint32_t end, FusedCalls fused) {
  std::fill(is_fused_.begin() + first, is_fused_.begin() + end, true);
  tries_.emplace_back(first, Instruction{.op = OpCode::kTryFused,
                                         .n = static_cast<uint32_t>(code_.fused.size()),
                                         .target = end});
  code_.fused.push_back(std::move(fused));
}

void Fusions::Insert() && {
  std::ranges::sort(tries_, {}, &std::pair<uint32_t, Instruction>::first);
  InsertInstructions(tries_, code_);
}

void FuseCalls(const ExecutableSpec& spec, const Values& values, Code& code) {
  const auto find_part = [&](NodeId node) {
    return PartOf(code.kernels[values.kernel_number(node)]);
  };
  Fusions fusions(code, find_part, ScalarSlots(spec.graph, spec.call, code));
  for (const auto fuse : kFusers) fuse(fusions);
  if (values.has_device_parts()) {
    FuseDeviceChains(spec.native, ElementCalls(spec, values, code), fusions);
  }
  std::move(fusions).Insert();
}

}  // namespace tagflow::optimized
