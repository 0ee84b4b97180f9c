#include "graph/io/input_names.h"

#include <algorithm>
#include <array>
#include <string>

namespace tagflow {
namespace {

class Connector {
 public:
  Connector(const InputNames& inputs, Graph& graph) : inputs_(inputs), graph_(graph) {}

  Status Connect() {
    size_t begin = 0;
    for (size_t i = 0; i < inputs_.ends.size(); ++i) {
      Node& node = graph_.mutable_node(NodeId{static_cast<int32_t>(i)});
      node.inputs.reserve(inputs_.ends[i] - begin);
      for (size_t k = begin; k < inputs_.ends[i]; ++k) {
        const Status status = AddInput(k, node);
        if (!status.ok()) return BadInput(node, k - begin, inputs_.names[k], status.message());
      }
      begin = inputs_.ends[i];
    }
    return Status();
  }

 private:
  static constexpr size_t kAtOnce = 32;
  struct Source {
    TensorName name;
    Status status;
  };

  // Looks up the inputs from `begin` on, kAtOnce of them.
  void LookUp(size_t begin) {
    const size_t count = std::min(kAtOnce, inputs_.names.size() - begin);
    std::array<std::string_view, kAtOnce> names;
    for (size_t i = 0; i < count; ++i) {
      Result<TensorName> name = ParseTensorName(inputs_.names[begin + i]);
      sources_[i].status = name.status();
      sources_[i].name = name.ok() ? *name : TensorName();
      names[i] = sources_[i].name.node;
    }
    graph_.Find(std::span(names).first(count), std::span(ids_).first(count));
  }

  Status AddInput(size_t k, Node& node) {
    if (k % kAtOnce == 0) LookUp(k);
    const Source& source = sources_[k % kAtOnce];
    if (!source.status.ok()) return source.status;
    const NodeId from = ids_[k % kAtOnce];
    if (from == NodeId::kNone) {
      return InvalidArgument("the graph has no node named '" + std::string(source.name.node) + "'");
    }
    if (source.name.index == TensorName::kControl) {
      node.control_inputs.push_back(from);
    } else if (node.control_inputs.empty()) {
      node.inputs.push_back({from, source.name.index});
    } else {
      return InvalidArgument("data inputs must come before control inputs");
    }
    return Status();
  }

  static Status BadInput(const Node& node, size_t i, std::string_view input,
                         const std::string& why) {
    return InvalidArgument("node '" + node.name + "' (op " + node.op + "), input " +
                           std::to_string(i) + " '" + std::string(input) + "': " + why)
        .WithNode(node.name);
  }

  const InputNames& inputs_;
  Graph& graph_;
  // Of the inputs from the last multiple of kAtOnce on.
  std::array<Source, kAtOnce> sources_;
  std::array<NodeId, kAtOnce> ids_;
};

}  // namespace

Status ConnectInputs(const InputNames& inputs, Graph& graph) {
  return Connector(inputs, graph).Connect();
}

}  // namespace tagflow
