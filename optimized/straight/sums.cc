#include "optimized/straight/sums.h"

#include <memory>
#include <optional>
#include <span>

#include "optimized/kernels/addition.h"
#include "optimized/kernels/outer_sum.h"

namespace tagflow::optimized {
namespace {

// Whether the call adds two inputs of this dtype.
bool IsSum(const KernelPart& part, DType dtype) {
  if (const auto* const addition = std::get_if<AdditionPart>(&part)) return !addition->is_of_bias;
  const auto* const loop = std::get_if<const PairLoop*>(&part);
  return loop != nullptr && (*loop)->compute == FindPairLoop(dtype, AddForms()).compute;
}

// The sum's other input; nothing where the calls do not fit.
std::optional<Arg> TermOf(const Code& code, const Instruction& product, const Instruction& sum) {
  const uint32_t slot = code.outputs[product.b];
  const Arg first = code.args[sum.a], second = code.args[sum.a + 1];
  if ((first.slot == slot) == (second.slot == slot)) return std::nullopt;
  const Arg use = first.slot == slot ? first : second;
  const Arg term = first.slot == slot ? second : first;
  const Arg a = code.args[product.a], b = code.args[product.a + 1];
  if (!use.is_last || a.slot == term.slot || b.slot == term.slot) return std::nullopt;
  return term;
}

FusedCalls Fused(Code& code, const ProductPart& part, const Instruction& product,
                 const Instruction& sum, Arg term) {
  FusedCalls fused;
  fused.function = [](const void* state, KernelContext& context) {
    return AddOuterProduct(*static_cast<const ProductPart*>(state), context);
  };
  fused.state = std::make_shared<const ProductPart>(part);
  fused.first_arg = static_cast<uint32_t>(code.args.size());
  fused.num_args = 3;
  fused.first_output = sum.b;
  fused.num_calls = 2;
  for (const Instruction* const call : {&product, &sum}) {
    for (const Arg arg : std::span(code.args).subspan(call->a, call->n)) {
      if (arg.is_last) fused.released.push_back(arg.slot);
    }
  }
  const Arg a = code.args[product.a], b = code.args[product.a + 1];
  code.args.insert(code.args.end(), {{a.slot, 0}, {b.slot, 0}, term});
  return fused;
}

}  // namespace

void FuseSums(Fusions& fusions) {
  for (uint32_t i = 0; i + 1 < fusions.size(); ++i) {
    const KernelPart* const part = fusions.PartAt(i);
    const auto* const product = part == nullptr ? nullptr : std::get_if<ProductPart>(part);
    if (product == nullptr || fusions.is_jump_target(i + 1)) continue;
    const KernelPart* const next = fusions.PartAt(i + 1);
    if (next == nullptr || !IsSum(*next, product->dtype)) continue;
    const std::optional<Arg> term = TermOf(fusions.code(), fusions.at(i), fusions.at(i + 1));
    if (!term) continue;
    fusions.Add(i, i + 2, Fused(fusions.code(), *product, fusions.at(i), fusions.at(i + 1), *term));
  }
}

}  // namespace tagflow::optimized
