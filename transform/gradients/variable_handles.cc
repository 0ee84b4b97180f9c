#include "transform/gradients/variable_handles.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "graph/builder/builder.h"
#include "graph/control_ops.h"

namespace tagflow {
namespace {

constexpr std::string_view kHandleOp = "VarHandleOp";

// The outputs of a node that are its input `slot`, if it hands that on.
std::vector<OutputRef> HandedOn(const Node& node, size_t slot) {
  if (node.op == "IdentityN") return {{node.id, static_cast<int32_t>(slot)}};
  if (node.op == "_SwitchN" && slot == 0) {
    const Result<int64_t> ways = IntAttr(node, "num_outs");
    std::vector<OutputRef> ports;
    for (int32_t i = 0; ways.ok() && i < *ways; ++i) ports.push_back({node.id, i});
    return ports;
  }
  switch (ControlOpOf(node.op)) {
    case ControlOp::kSwitch:
      if (slot == 0) return {{node.id, 0}, {node.id, 1}};
      return {};
    case ControlOp::kMerge:
    case ControlOp::kEnter:
    case ControlOp::kExit:
    case ControlOp::kNextIteration:
      return {{node.id, 0}};
    default:
      if (node.op == "Identity" && slot == 0) return {{node.id, 0}};
      return {};
  }
}

// Whether taking a handle leaves the variable as it is.
bool OnlyLooks(const Node& node) {
  return (node.def != nullptr && node.def->only_looks) || !HandedOn(node, 0).empty();
}

std::string NameOfVariable(const Node& node) {
  const Result<std::string> container = StringAttr(node, "container");
  const Result<std::string> shared = StringAttr(node, "shared_name");
  const std::string name = shared.ok() && !shared->empty() ? *shared : node.name;
  return (container.ok() ? *container : "") + '\n' + name;
}

// Which nodes come after a node, by data or control edges, and which before.
class Reach {
 public:
  Reach(const Graph& graph, const std::vector<NodeId>& order)
      : producers_(graph.id_limit()), consumers_(graph.id_limit()) {
    for (const NodeId id : order) {
      const Node& node = graph.node(id);
      for (const OutputRef& input : node.inputs) Join(input.node, id);
      for (const NodeId control : node.control_inputs) Join(control, id);
    }
  }
  std::vector<bool> Before(NodeId node) const { return From(node, producers_); }
  std::vector<bool> After(NodeId node) const { return From(node, consumers_); }

 private:
  using Edges = std::vector<std::vector<NodeId>>;

  void Join(NodeId producer, NodeId consumer) {
    producers_[Index(consumer)].push_back(producer);
    consumers_[Index(producer)].push_back(consumer);
  }

  std::vector<bool> From(NodeId node, const Edges& edges) const {
    std::vector<bool> reached(edges.size());
    std::vector<NodeId> work = {node};
    while (!work.empty()) {
      const NodeId id = work.back();
      work.pop_back();
      for (const NodeId next : edges[Index(id)]) {
        if (reached[Index(next)]) continue;
        reached[Index(next)] = true;
        work.push_back(next);
      }
    }
    return reached;
  }

  Edges producers_, consumers_;
};

bool Takes(const Node& node, const VariableHandles& handles) {
  return std::ranges::any_of(node.inputs,
                             [&](const OutputRef& input) { return handles.contains(input); });
}

// A read that is neither where the first one is, before or after, nor where it could not be.
NodeId ReadOnBothSides(const std::vector<NodeId>& reads, const std::vector<bool>& before,
                       const std::vector<bool>& after) {
  for (const NodeId read : reads) {
    const bool is_before = before[Index(read)];
    if (is_before == after[Index(read)] || is_before != before[Index(reads[0])]) return read;
  }
  return NodeId::kNone;
}

}  // namespace

VariableHandles HandlesFrom(const Graph& graph, VariableHandles given) {
  std::vector<std::vector<std::pair<NodeId, size_t>>> consumers(graph.id_limit());
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (HandedOn(node, slot).empty()) continue;
      consumers[Index(node.inputs[slot].node)].emplace_back(id, slot);
    }
  }
  std::vector<OutputRef> work;
  for (const auto& [handle, type] : given) work.push_back(handle);
  while (!work.empty()) {
    const OutputRef handle = work.back();
    work.pop_back();
    const VariableType type = given.at(handle);
    for (const auto& [id, slot] : consumers[Index(handle.node)]) {
      const Node& node = graph.node(id);
      if (node.inputs[slot] != handle) continue;
      for (const OutputRef& output : HandedOn(node, slot)) {
        const auto [place, is_new] = given.try_emplace(output, type);
        const PartialShape joined = JoinShapes(place->second.shape, type.shape);
        if (!is_new && joined == place->second.shape) continue;
        place->second.shape = joined;
        work.push_back(output);
      }
    }
  }
  return given;
}

VariableHandles FindVariableHandles(const Graph& graph) {
  VariableHandles made;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op != kHandleOp) continue;
    const Result<DType> dtype = TypeAttr(node, "dtype");
    const Result<PartialShape> shape = ShapeAttr(node, "shape");
    if (!dtype.ok()) continue;
    made[{id, 0}] = {*dtype, shape.ok() ? *shape : PartialShape()};
  }
  return HandlesFrom(graph, std::move(made));
}

std::map<OutputRef, std::vector<OutputRef>> HandlesOfOneVariable(const Graph& graph) {
  std::map<std::string, std::vector<OutputRef>> by_name;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op == kHandleOp) by_name[NameOfVariable(node)].push_back({id, 0});
  }
  std::map<OutputRef, std::vector<OutputRef>> handles;
  for (const auto& [name, all] : by_name) {
    if (all.size() == 1) continue;
    for (const OutputRef& handle : all) handles[handle] = all;
  }
  return handles;
}

bool ChangeAny(const Graph& graph, const std::vector<NodeId>& order,
               const VariableHandles& handles) {
  return std::ranges::any_of(order, [&](NodeId id) {
    return Takes(graph.node(id), handles) && !OnlyLooks(graph.node(id));
  });
}

ChangedBetweenReads FindChangeBetweenReads(const Graph& graph, const std::vector<NodeId>& order,
                                           const VariableHandles& handles,
                                           const std::vector<bool>& counts) {
  std::vector<NodeId> reads, changes;
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (!Takes(node, handles)) continue;
    if (!OnlyLooks(node)) {
      changes.push_back(id);
    } else if (counts[Index(id)] && HandedOn(node, 0).empty()) {
      reads.push_back(id);
    }
  }
  if (changes.empty() || reads.empty()) return {};
  const Reach reach(graph, order);
  for (const NodeId change : changes) {
    const NodeId read = ReadOnBothSides(reads, reach.Before(change), reach.After(change));
    if (read != NodeId::kNone) return {change, read};
  }
  return {};
}

Output ZerosOfVariable(const Scope& scope, const Output& handle, const VariableType& type) {
  const Tensor zero = *Literal(0).As(type.dtype);
  if (type.shape == PartialShape::Scalar()) return Const(scope, zero);
  Output dims;
  if (type.shape.fully_known()) {
    const Dims& known = type.shape.dims();
    dims = Const(scope, std::vector<int64_t>(known.begin(), known.end()));
  } else {
    dims = Op(scope, "VariableShape", {handle});
  }
  return Fill(scope, dims, zero);
}

}  // namespace tagflow
