#include "transform/structure/value_types.h"

#include "graph/tensor.h"

namespace tagflow::recovery {
namespace {

constexpr char kNoValue[] = "OptionalNone";

}  // namespace

std::optional<ArgType> TypeOf(const Graph& graph, OutputRef output) {
  const Result<Signature> signature = ResolveSignature(graph.node(output.node));
  const auto index = static_cast<size_t>(output.index);
  if (!signature.ok() || index >= signature->outputs.size()) return std::nullopt;
  return signature->outputs[index];
}

bool HasStandIn(const Graph& graph, DType dtype) {
  if (dtype == DType::kVariant) return graph.registry().Find(kNoValue) != nullptr;
  return IsPlainDType(dtype) || dtype == DType::kString;
}

NodeId AddStandIn(Graph& graph, DType dtype) {
  if (dtype == DType::kVariant) return *graph.AddNode(graph.UniqueName("no_value"), kNoValue);
  const NodeId id = *graph.AddNode(graph.UniqueName("no_value"), "Const");
  graph.SetAttr(id, "dtype", AttrValue(dtype));
  const Result<Tensor> zero = Tensor::Allocate(dtype, Dims{});
  graph.SetAttr(id, "value", AttrValue(zero.ok() ? *zero : Tensor()));
  return id;
}

}  // namespace tagflow::recovery
