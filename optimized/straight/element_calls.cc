#include "optimized/straight/element_calls.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "graph/node.h"
#include "optimized/native/native_types.h"
#include "optimized/native/scalar_calls.h"

namespace tagflow::optimized {

ElementCalls::ElementCalls(const ExecutableSpec& spec, const Values& values, const Code& code)
    : graph_(spec.graph), values_(values), code_(code) {
  FindScalars(spec);
}

// All slots are taken for scalars, until an instruction gives one that is none.
void ElementCalls::FindScalars(const ExecutableSpec& spec) {
  is_scalar_.assign(code_.num_slots, true);
  for (const auto& [slot, value] : code_.constants) is_scalar_[slot] = value.is_inline();
  for (size_t i = 0; i < spec.call.feeds.size(); ++i) {
    is_scalar_[i] = IsScalarPlaceholder(spec.graph.node(spec.call.feeds[i].node));
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Instruction& at : code_.instructions) {
      VisitSlots(
          at, code_.args, code_.outputs, [](const Arg&) {},
          [&](uint32_t slot) {
            if (!is_scalar_[slot] || GivesScalar(at)) return;
            is_scalar_[slot] = false;
            has_changed = true;
          });
    }
  }
}

bool ElementCalls::GivesScalar(const Instruction& instruction) const {
  if (instruction.op == OpCode::kMove) return is_scalar_[code_.args[instruction.a].slot];
  if (instruction.op != OpCode::kCall || instruction.node == NodeId::kNone) return false;
  return ElementwiseOf(instruction.node).has_value() && IsOfScalars(instruction);
}

bool ElementCalls::IsOfScalars(const Instruction& call) const {
  const auto args = std::span(code_.args).subspan(call.a, call.n);
  return std::ranges::all_of(args, [this](const Arg arg) { return is_scalar_[arg.slot]; });
}

std::optional<ScalarCall> ElementCalls::ElementwiseOf(NodeId node) const {
  const KernelPart* const part = values_.device_part(node).part;
  if (part == nullptr) return std::nullopt;
  // Whether there are such bodies shows when kernels are made. None of a device's refuses inputs.
  const auto may_have = [](const std::string& name) { return !name.ends_with("_refuses"); };
  std::optional<ScalarCall> call = ScalarCallOf(*part, may_have);
  const bool is_one = call && call->kind != ScalarCall::Kind::kHandOn;
  return is_one ? std::move(call) : std::nullopt;
}

std::optional<int64_t> ElementCalls::ConstantAt(uint32_t slot) const {
  const auto found = std::ranges::find(code_.constants, slot, &std::pair<uint32_t, Tensor>::first);
  return found == code_.constants.end() ? std::nullopt : IntegerIn(found->second);
}

std::optional<ElementCall> ElementCalls::At(uint32_t instruction) const {
  const Instruction& call = code_.instructions[instruction];
  if (call.op != OpCode::kCall || call.node == NodeId::kNone) return std::nullopt;
  const auto [device, part] = values_.device_part(call.node);
  if (part == nullptr || IsOfScalars(call)) return std::nullopt;
  if (const auto* const split = std::get_if<SplitPart>(part)) {
    const std::optional<int64_t> axis = ConstantAt(code_.args[call.a].slot);
    if (!axis || NativeTypeOf(split->dtype) == nullptr) return std::nullopt;
    return ElementCall{instruction, device, {.pieces = split->pieces, .axis = *axis}, 1, 1};
  }
  if (const auto* const join = std::get_if<JoinPart>(part)) {
    const uint32_t axis_arg = join->axis_is_first ? 0 : call.n - 1;
    const std::optional<int64_t> axis = ConstantAt(code_.args[call.a + axis_arg].slot);
    const Result<DType> dtype = TypeAttr(graph_.node(call.node), "T");
    if (!axis || !dtype.ok() || NativeTypeOf(*dtype) == nullptr) return std::nullopt;
    const uint32_t first = join->axis_is_first ? 1 : 0;
    return ElementCall{instruction, device, {.joins = true, .axis = *axis}, first, call.n - 1};
  }
  std::optional<ScalarCall> elementwise = ElementwiseOf(call.node);
  if (!elementwise) return std::nullopt;
  return ElementCall{instruction, device, {.call = *std::move(elementwise)}, 0, call.n};
}

}  // namespace tagflow::optimized
