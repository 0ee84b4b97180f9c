#include "graph/io/input_names.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace tagflow {
namespace {

// Node ids by name: open addressing, linear probing, at most half full. A slot keeps some bits of
// the hash, so that names of other nodes are rarely looked at.
class NameTable {
 public:
  explicit NameTable(const Graph& graph)
      : graph_(graph), slots_(std::bit_ceil(2 * graph.id_limit() + 2)), mask_(slots_.size() - 1) {
    for (size_t i = 0; i < graph.id_limit(); ++i) {
      const NodeId id{static_cast<int32_t>(i)};
      const size_t hash = Hash(graph.node(id).name);
      size_t place = hash & mask_;
      while (slots_[place].id != NodeId::kNone) place = (place + 1) & mask_;
      slots_[place] = {Mark(hash), id};
    }
  }

  static size_t Hash(std::string_view name) { return std::hash<std::string_view>()(name); }

  void PrefetchSlot(size_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

  // Prefetches the node that the name most likely is of.
  void PrefetchNode(size_t hash) const {
    const Slot slot = slots_[hash & mask_];
    if (slot.id != NodeId::kNone) __builtin_prefetch(&graph_.node(slot.id).name);
  }

  NodeId Find(std::string_view name, size_t hash) const {
    for (size_t place = hash & mask_;; place = (place + 1) & mask_) {
      const Slot slot = slots_[place];
      if (slot.id == NodeId::kNone) return NodeId::kNone;
      if (slot.mark == Mark(hash) && graph_.node(slot.id).name == name) return slot.id;
    }
  }

 private:
  struct Slot {
    uint32_t mark = 0;
    NodeId id = NodeId::kNone;
  };
  static uint32_t Mark(size_t hash) { return static_cast<uint32_t>(hash >> 32); }

  const Graph& graph_;
  std::vector<Slot> slots_;
  const size_t mask_;
};

class Connector {
 public:
  Connector(const InputNames& inputs, Graph& graph)
      : inputs_(inputs), graph_(graph), table_(graph) {}

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
  // An input k is parsed and its slot asked for kSlotAhead inputs before it is connected, and its
  // node kNodeAhead inputs before.
  static constexpr size_t kSlotAhead = 16;
  static constexpr size_t kNodeAhead = 8;
  struct InFlight {
    Result<TensorName> name = TensorName();
    size_t hash = 0;
  };

  InFlight& flight(size_t k) { return flights_[k % (2 * kSlotAhead)]; }

  void Advance(size_t k) {
    for (; parsed_ < std::min(k + kSlotAhead, inputs_.names.size()); ++parsed_) {
      InFlight& input = flight(parsed_);
      input.name = ParseTensorName(inputs_.names[parsed_]);
      if (!input.name.ok()) continue;
      input.hash = NameTable::Hash(input.name->node);
      table_.PrefetchSlot(input.hash);
    }
    const size_t ahead = k + kNodeAhead;
    if (ahead < parsed_ && flight(ahead).name.ok()) table_.PrefetchNode(flight(ahead).hash);
  }

  Status AddInput(size_t k, Node& node) {
    Advance(k + 1);
    const InFlight& input = flight(k);
    if (!input.name.ok()) return input.name.status();
    const NodeId from = table_.Find(input.name->node, input.hash);
    if (from == NodeId::kNone) {
      return InvalidArgument("the graph has no node named '" + std::string(input.name->node) + "'");
    }
    if (input.name->index == TensorName::kControl) {
      node.control_inputs.push_back(from);
    } else if (node.control_inputs.empty()) {
      node.inputs.push_back({from, input.name->index});
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
  const NameTable table_;
  size_t parsed_ = 0;
  InFlight flights_[2 * kSlotAhead];
};

}  // namespace

Status ConnectInputs(const InputNames& inputs, Graph& graph) {
  return Connector(inputs, graph).Connect();
}

}  // namespace tagflow
