#include "transform/partition/parts.h"

namespace tagflow {

Parts::Parts(const Graph& whole, const Placement& placement, const PartitionOptions& options)
    : whole_(whole), placement_(placement), options_(options) {
  for (const std::string& device : placement.devices) {
    DevicePart& part = parts_.emplace_back(DevicePart{device, Graph(whole.registry())});
    part.graph.versions = whole.versions;
    part.graph.library = whole.library;
  }
  recvs_.resize(parts_.size());
}

NodeId Parts::Add(int device, const std::string& prefix, std::string_view op) {
  const std::string wanted = prefix + "_on_" + std::to_string(device);
  std::string name = wanted;
  for (int i = 1; whole_.Find(name) != NodeId::kNone || new_names_.contains(name); ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  new_names_.insert(name);
  Result<NodeId> id = graph(device).AddNode(std::move(name), op);
  TAGFLOW_CHECK(id.ok());  // the prefix is a node's name, and no other node has it
  graph(device).mutable_node(*id).device = placement_.devices[static_cast<size_t>(device)];
  return *id;
}

OutputRef Parts::Cross(const Crossing& crossing) {
  const auto [at, is_new] = received_.try_emplace(
      {crossing.tensor.node, crossing.tensor.index, crossing.destination}, OutputRef());
  if (!is_new) return at->second;
  if (crossing.tensor.index != kControl) {
    if (options_.compresses_floats && crossing.dtype == DType::kFloat) {
      return at->second = Compressed(crossing);
    }
    return at->second = SendAndReceive(crossing, crossing.there, crossing.dtype);
  }
  const OutputRef token = SendAndReceive(crossing, ControlAsTensor(crossing), DType::kBool);
  if (options_.fault == PartitionFault::kControlCrossesLive) return at->second = token;
  Graph& graph = this->graph(crossing.destination);
  const std::string& name = whole_.node(crossing.tensor.node).name;
  const NodeId identity = Add(crossing.destination, name + "/_control", "Identity");
  graph.SetAttr(identity, "T", DType::kBool);
  graph.mutable_node(identity).inputs = {token};
  return at->second = {identity, 0};
}

OutputRef Parts::Cast(int device, const std::string& prefix, OutputRef from, DType source,
                      DType destination) {
  const NodeId cast = Add(device, prefix, "Cast");
  Graph& graph = this->graph(device);
  graph.SetAttr(cast, "SrcT", source);
  graph.SetAttr(cast, "DstT", destination);
  graph.SetAttr(cast, "Truncate", true);
  graph.mutable_node(cast).inputs = {from};
  return {cast, 0};
}

OutputRef Parts::Compressed(const Crossing& crossing) {
  const std::string prefix = whole_.node(crossing.tensor.node).name + "/_";
  const std::string output = std::to_string(crossing.tensor.index);
  const OutputRef sent = Cast(
      crossing.source, prefix + "short_for_" + std::to_string(crossing.destination) + "_" + output,
      crossing.there, DType::kFloat, DType::kBFloat16);
  const OutputRef received = SendAndReceive(crossing, sent, DType::kBFloat16);
  return Cast(crossing.destination,
              prefix + "long_from_" + std::to_string(crossing.source) + "_" + output, received,
              DType::kBFloat16, DType::kFloat);
}

OutputRef Parts::ControlAsTensor(const Crossing& crossing) {
  const std::string& name = whole_.node(crossing.tensor.node).name;
  const NodeId token = Add(crossing.source, name + "/_control", "Const");
  Graph& graph = this->graph(crossing.source);
  graph.SetAttr(token, "dtype", DType::kBool);
  graph.SetAttr(token, "value", Tensor::Scalar<bool>(true));
  graph.mutable_node(token).control_inputs = {crossing.there.node};
  return {token, 0};
}

OutputRef Parts::SendAndReceive(const Crossing& crossing, OutputRef local, DType dtype) {
  const Node& node = whole_.node(crossing.tensor.node);
  const bool is_control = crossing.tensor.index == kControl;
  const std::string output = is_control ? "control" : std::to_string(crossing.tensor.index);
  const std::string key = is_control ? "^" + node.name : node.name + ":" + output;
  auto add = [&](int device, std::string_view op, const std::string& word) {
    const NodeId id = Add(device, node.name + "/_" + word + "_" + output, op);
    Graph& graph = this->graph(device);
    graph.SetAttr(id, op == "_Send" ? "T" : "tensor_type", dtype);
    graph.SetAttr(id, "tensor_name", key);
    graph.SetAttr(id, "send_device", placement_.devices[static_cast<size_t>(crossing.source)]);
    graph.SetAttr(id, "send_device_incarnation", 1);
    graph.SetAttr(id, "recv_device", placement_.devices[static_cast<size_t>(crossing.destination)]);
    return id;
  };
  const NodeId send =
      add(crossing.source, "_Send", "send_to_" + std::to_string(crossing.destination));
  graph(crossing.source).mutable_node(send).inputs = {local};
  const NodeId recv =
      add(crossing.destination, "_Recv", "recv_from_" + std::to_string(crossing.source));
  if (crossing.gate != NodeId::kNone) {
    graph(crossing.destination).mutable_node(recv).control_inputs = {crossing.gate};
  }
  if (!is_control) {
    recvs_[static_cast<size_t>(crossing.destination)].emplace(
        recv, std::pair(crossing.tensor, crossing.source));
  }
  return {recv, 0};
}

}  // namespace tagflow
