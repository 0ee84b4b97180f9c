#include "graph/io/input_names.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace tagflow {
namespace {

// Node ids by name: open addressing, linear probing, at most half full. A slot holds all but the
// characters of a name, and some bits of its hash, so that those of other names are rarely read.
class NameTable {
 public:
  explicit NameTable(const std::vector<std::string_view>& names)
      : slots_(std::bit_ceil(2 * names.size() + 2)), mask_(slots_.size() - 1) {
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t hash = Hash(names[i]);
      size_t place = hash & mask_;
      while (slots_[place].id != NodeId::kNone) place = (place + 1) & mask_;
      slots_[place] = {names[i], Mark(hash), NodeId{static_cast<int32_t>(i)}};
    }
  }

  static size_t Hash(std::string_view name) { return std::hash<std::string_view>()(name); }

  void PrefetchSlot(size_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  // Prefetches the name that most likely is the one looked for.
  void PrefetchName(size_t hash) const { __builtin_prefetch(slots_[hash & mask_].name.data()); }

  NodeId Find(std::string_view name, size_t hash) const {
    for (size_t place = hash & mask_;; place = (place + 1) & mask_) {
      const Slot& slot = slots_[place];
      if (slot.id == NodeId::kNone) return NodeId::kNone;
      if (slot.mark == Mark(hash) && slot.name == name) return slot.id;
    }
  }

 private:
  struct Slot {
    std::string_view name;
    uint32_t mark = 0;
    NodeId id = NodeId::kNone;
  };
  static uint32_t Mark(size_t hash) { return static_cast<uint32_t>(hash >> 32); }

  std::vector<Slot> slots_;
  const size_t mask_;
};

class Connector {
 public:
  Connector(const InputNames& inputs, Graph& graph)
      : inputs_(inputs), graph_(graph), table_(inputs.nodes) {}

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
  // name in the table kNameAhead inputs before.
  static constexpr size_t kSlotAhead = 16;
  static constexpr size_t kNameAhead = 8;
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
    const size_t ahead = k + kNameAhead;
    if (ahead < parsed_ && flight(ahead).name.ok()) table_.PrefetchName(flight(ahead).hash);
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
