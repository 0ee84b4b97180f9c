#include "transform/placement/graph_costs.h"

#include <algorithm>
#include <utility>

#include "graph/shape_inference.h"
#include "transform/placement/work.h"

namespace tagflow {

GraphCosts::GraphCosts(const Graph& graph, const std::vector<DeviceInfo>& devices,
                       const CostOptions& options)
    : graph_(graph), devices_(devices), options_(options) {
  Result<std::vector<std::vector<PartialShape>>> shapes = InferShapes(graph);
  shapes_.resize(graph.id_limit());
  if (shapes.ok()) shapes_ = *std::move(shapes);
}

PartialShape GraphCosts::ShapeOf(OutputRef output) const {
  const std::vector<PartialShape>& shapes = shapes_[Index(output.node)];
  const auto index = static_cast<size_t>(output.index);
  return index < shapes.size() ? shapes[index] : PartialShape();
}

Work GraphCosts::WorkOfNode(const Node& node) const {
  const Result<Signature> signature = ResolveSignature(node);
  if (!signature.ok()) return Work();
  std::vector<PartialShape> inputs, outputs;
  for (const OutputRef& input : node.inputs) inputs.push_back(ShapeOf(input));
  for (size_t i = 0; i < signature->outputs.size(); ++i) {
    outputs.push_back(ShapeOf({node.id, static_cast<int32_t>(i)}));
  }
  return WorkOf(node, *signature, inputs, outputs, options_.unknown_dim);
}

std::vector<double> GraphCosts::FiringNs(const Node& node) const {
  const Work work = WorkOfNode(node);
  std::vector<double> ns;
  for (const DeviceInfo& device : devices_) {
    ns.push_back(tagflow::FiringNs(options_, node, work, device));
  }
  return ns;
}

double GraphCosts::BytesOf(OutputRef output) const {
  const Result<Signature> signature = ResolveSignature(graph_.node(output.node));
  const auto index = static_cast<size_t>(output.index);
  if (output.index < 0 || !signature.ok() || index >= signature->outputs.size()) return 1;
  return tagflow::BytesOf(ShapeOf(output), signature->outputs[index].dtype, options_.unknown_dim);
}

double GraphCosts::MessageNs(OutputRef output, int from, int to) const {
  const LinkSpeed link =
      LinkBetween(options_, devices_[static_cast<size_t>(from)], devices_[static_cast<size_t>(to)]);
  return link.latency_ns + BytesOf(output) / link.bytes_per_ns;
}

bool GraphCosts::Computes(const Node& node) const {
  const Result<Signature> signature = ResolveSignature(node);
  if (!signature.ok()) return false;
  auto is_list = [](const ArgType& type) { return type.dtype == DType::kVariant; };
  return WorkOfNode(node).bytes > 0 && std::ranges::none_of(signature->inputs, is_list) &&
         std::ranges::none_of(signature->outputs, is_list);
}

StepTimes StepTimesBy(const GraphCosts& costs, const Graph& graph) {
  StepTimes times;
  times.firing = [&costs, &graph](NodeId id, int device) {
    const Node& node = graph.node(id);
    return costs.Computes(node) ? costs.FiringNs(node)[static_cast<size_t>(device)] : 0;
  };
  times.message = [&costs](OutputRef tensor, int from, int to) {
    return costs.MessageNs(tensor, from, to);
  };
  return times;
}

}  // namespace tagflow
