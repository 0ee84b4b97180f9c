// Tested by call_gradients_test.cc.

#include "fuzz/gradient/differentiable_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fuzz/gradient/real_values.h"
#include "fuzz/kernels/call_contexts.h"
#include "fuzz/kernels/call_graph.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/stateful_sequence.h"
#include "graph/op_def.h"
#include "reference/tape/adjoint.h"
#include "transform/gradients/array_flow.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {
namespace {

constexpr int kTries = 4;  // to draw a call of real numbers

// A handle of an array is differentiated by its flow; those of a stack have no gradient, and by a
// variable alone there is one (variable_gradients_test.cc).
bool TakesOtherHandles(const OpDef& op) {
  return !op.inputs.empty() && op.inputs[0].dtype == DType::kResource &&
         std::ranges::none_of(op.inputs, [](const ArgDef& arg) {
           return arg.role == ArgRole::kScalar && arg.dtype == DType::kFloat;
         });
}

// Every op that the tape differentiates must have a gradient of graphs, but PreventGradient, which
// is there to refuse.
std::vector<const OpDef*> DifferentiableOps() {
  return OpsWhere([](const OpDef& op) {
    const GradientFunction* gradient = GradientRegistry::Standard().Find(op.name);
    const reference::AdjointFunction* adjoint = reference::AdjointTable::Standard().Find(op.name);
    const bool has_gradient = (gradient != nullptr && *gradient != nullptr) ||
                              (adjoint != nullptr && *adjoint != nullptr);
    return has_gradient && !TakesOtherHandles(op) && op.name != "PreventGradient";
  });
}

bool IsFed(const Node& node) { return node.op == "Placeholder" || node.op == "Const"; }

template <typename T>
Tensor Converted(const std::vector<double>& values, std::span<const int64_t> dims) {
  return Tensor::Of<T>(dims, std::vector<T>(values.begin(), values.end()));
}

// What nothing is made of.
void AddUnreached(GraphSample& call, Choices& choices) {
  const DType dtype = choices.Chance(kEvenly) ? DType::kFloat : DType::kDouble;
  const NodeId id = *call.graph.AddNode("unreached", "Placeholder");
  call.graph.SetAttr(id, "dtype", dtype);
  const Tensor value = DrawWeights(*Tensor::Allocate(dtype, Dims{2}), choices);
  for (NamedTensors& feeds : call.runs) feeds.emplace_back("unreached", value);
}

// Rows that are shared out and put together again, at places that are shared out the same way: all
// of a range, or drawn, some of them twice.
GraphSample DrawStitch(Choices& choices) {
  CallGraph call(choices);
  const int rows = choices.Between(kFew), parts = choices.Between(kFew);
  std::vector<int32_t> places, owners;
  for (int i = 0; i < rows; ++i) {
    places.push_back(choices.Between(0, rows - 1));
    owners.push_back(choices.Between(0, parts - 1));
  }
  const OutputRef owner = call.Placeholder("owner", Tensor::Vector(owners));
  OutputRef place = call.Constant(Tensor::Vector(places));
  if (choices.Chance(kEvenly)) {
    const auto number = [&](int32_t value) { return call.Constant(Tensor::Scalar(value)); };
    place = {call.AddNode("range", "Range", {number(0), number(rows), number(1)}), 0};
    call.graph().SetAttr(place.node, "Tidx", DType::kInt32);
  }
  const OutputRef x =
      call.Placeholder("x", DrawWeights(*Tensor::Allocate(DType::kDouble, Dims{rows}), choices));
  std::vector<OutputRef> inputs;
  const std::pair<OutputRef, DType> lists[] = {{place, DType::kInt32}, {x, DType::kDouble}};
  for (const auto& [list, dtype] : lists) {
    const NodeId shared = call.Add("DynamicPartition", {list, owner}, dtype).node;
    call.graph().SetAttr(shared, "num_partitions", parts);
    for (int part = 0; part < parts; ++part) inputs.push_back({shared, part});
  }
  const NodeId called = call.AddNode(kCalled, "DynamicStitch", std::move(inputs));
  call.graph().SetAttr(called, "T", DType::kDouble);
  call.graph().SetAttr(called, "N", parts);
  call.Fetch({called, 0});
  return call.Take({kCalled}, 1);
}

// The more often the more inputs it has that are no matter of its derivative, and attrs.
size_t DerivativesOf(const OpDef& op) {
  return 1 + 2 * (std::max<size_t>(op.inputs.size(), 1) - 1) +
         (std::max<size_t>(op.attrs.size(), 1) - 1);
}

}  // namespace

std::vector<std::string> RealInputs(const GraphSample& call) {
  std::vector<std::string> names;
  for (const NodeId id : call.graph.NodeIds()) {
    const Node& node = call.graph.node(id);
    const Result<DType> dtype = TypeAttr(node, "dtype");
    if (IsFed(node) && dtype.ok() && IsReal(*dtype)) names.push_back(node.name);
  }
  return names;
}

std::vector<std::string> RealFetches(const GraphSample& call) {
  const std::map<OutputRef, DType> flows = FindArrayFlows(call.graph);
  std::vector<std::string> names;
  for (const std::string& fetch : call.fetches) {
    const Result<OutputRef> output = FindOutput(call.graph, fetch);
    const Result<Signature> signature = ResolveSignature(call.graph.node(output->node));
    if (!signature.ok()) return {};
    const ArgType type = signature->outputs[static_cast<size_t>(output->index)];
    if (IsReal(type.dtype) && !flows.contains(*output)) names.push_back(fetch);
  }
  return names;
}

bool IsWeighed(const std::string& node) { return node.starts_with(kCalled) || node == kBeside; }

Tensor DrawWeights(const Tensor& like, Choices& choices) {
  std::vector<double> values(static_cast<size_t>(like.num_elements()));
  for (double& value : values)
    value = choices.Between(kSeveral) / (choices.Chance(kEvenly) ? 4.0 : -4.0);
  return like.dtype() == DType::kFloat ? Converted<float>(values, like.dims())
                                       : Converted<double>(values, like.dims());
}

GraphSample DrawDifferentiableCall(Choices& choices) {
  static const auto& ops = *new std::vector<const OpDef*>([] {
    std::vector<const OpDef*> all;
    for (const OpDef* op : DifferentiableOps()) all.insert(all.end(), DerivativesOf(*op), op);
    return all;
  }());
  static const auto& reals = *new std::vector<DType>{DType::kFloat, DType::kDouble};
  if (choices.Chance(kRarely)) return DrawStitch(choices);
  GraphSample call;
  for (int tries = 0; tries < kTries; ++tries) {
    call = choices.Chance(kSometimes) ? DrawStatefulSequence(choices)
                                      : CallOf(*choices.Of(ops), reals, choices);
    if (!RealInputs(call).empty() && !RealFetches(call).empty()) break;
  }
  if (choices.Chance(kSeldom)) AddUnreached(call, choices);
  return call;
}

}  // namespace tagflow::fuzz
