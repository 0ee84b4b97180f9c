#include "fuzz/kernels/kernel_call.h"

#include <algorithm>
#include <utility>

#include "fuzz/kernels/call_contexts.h"
#include "fuzz/kernels/call_maker.h"
#include "fuzz/kernels/fusible.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/stateful_sequence.h"
#include "graph/rounding.h"

namespace tagflow::fuzz {
namespace {

using enum DType;

// Dtypes that have rules of their own and would seldom be drawn among all others.
const std::vector<std::vector<DType>>& RareTypes() {
  static const auto& types =
      *new std::vector<std::vector<DType>>{{kBool}, {kComplex64, kComplex128}, {kHalf, kBFloat16}};
  return types;
}

std::vector<DType> PreferredBy(const OpDef& op, Choices& choices) {
  if (IsConversion(op)) return {kDouble, kFloat, kHalf, kBFloat16, kComplex64, kComplex128};
  return choices.Chance(kSeldom) ? choices.Of(RareTypes()) : std::vector<DType>();
}

// Every op as often as it has forms.
const OpDef& DrawOp(Choices& choices) {
  static const auto& ops = *new std::vector<const OpDef*>([] {
    std::vector<const OpDef*> all;
    for (const OpDef* op : OpsWhere([](const OpDef&) { return true; })) {
      all.insert(all.end(), FormsOf(*op), op);
    }
    return all;
  }());
  return *choices.Of(ops);
}

}  // namespace

GraphSample CallOf(const OpDef& op, Choices& choices) { return CallOf(op, {}, choices); }

GraphSample CallOf(const OpDef& op, const std::vector<DType>& preferred, Choices& choices) {
  constexpr size_t kRuns = 2;
  CallGraph call(choices);
  const std::vector<const CallContext*> contexts = DrawContexts(op, choices);
  CallForm form{.preferred = preferred};
  for (const CallContext* context : contexts) {
    if (context->form != nullptr) form.*context->form = true;
  }
  CallMaker maker(call, form);
  const NodeId called = maker.Call(kCalled, op);
  MadeCall made{call, called, {}};
  for (const TypedOutput& value : call.ValuesOf(called)) made.results.push_back({value});
  for (const CallContext* context : contexts) {
    if (context->apply != nullptr) context->apply(made);
  }
  for (const CallResult& result : made.results) call.Fetch(result.output);
  return call.Take({kCalled}, kRuns);
}

GraphSample DrawKernelCall(Choices& choices) {
  if (choices.Chance(kSometimes)) return DrawStatefulSequence(choices);
  if (choices.Chance(kSeldom)) return CallOf(DrawFusible(choices), {kFloat, kDouble}, choices);
  const OpDef& op = DrawOp(choices);
  return CallOf(op, PreferredBy(op, choices), choices);
}

std::optional<Tensor> FedValue(const GraphSample& call, const Node& node) {
  const Result<Tensor> value = TensorAttr(node, "value");
  if (node.op == "Const" && value.ok()) return *value;
  for (const auto& [name, fed] : call.runs[0]) {
    if (name == node.name) return fed;
  }
  return std::nullopt;
}

const OpDef& CalledOp(const GraphSample& call) {
  return *OpRegistry::Standard().Find(call.graph.node(call.graph.Find(kCalled)).op);
}

bool HasManyFactors(const GraphSample& call) {
  constexpr int64_t kMany = 100;
  if (RoundingOf(CalledOp(call)) != Rounding::kOfProducts) return false;
  return std::ranges::any_of(call.graph.NodeIds(), [&](NodeId id) {
    const std::optional<Tensor> value = FedValue(call, call.graph.node(id));
    return value && value->num_elements() > kMany;
  });
}

}  // namespace tagflow::fuzz
