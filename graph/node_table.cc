#include "graph/node_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tagflow {

NodeTable::NodeTable(const NodeTable& other)
    : slots_(other.slots_),
      id_limit_(other.id_limit_),
      size_(other.size_),
      used_slots_(other.used_slots_) {
  chunks_.reserve(other.chunks_.size());
  for (const std::unique_ptr<Node[]>& chunk : other.chunks_) {
    chunks_.push_back(std::make_unique<Node[]>(kChunk));
    std::copy_n(chunk.get(), kChunk, chunks_.back().get());
  }
}

void NodeTable::Reserve(size_t nodes) {
  chunks_.reserve((nodes + kChunk - 1) / kChunk);
  if (2 * nodes > slots_.size()) Resize(std::bit_ceil(2 * nodes));
}

Node* NodeTable::Add(std::string&& name) {
  if (2 * (used_slots_ + 1) > slots_.size()) Resize(std::bit_ceil(4 * (size_ + 1)));
  const size_t hash = Hash(name);
  Slot& slot = slots_[Locate(name, hash)];
  if (slot.id != NodeId::kNone) return nullptr;
  if (id_limit_ % kChunk == 0) chunks_.push_back(std::make_unique<Node[]>(kChunk));
  slot = {Mark(hash), NodeId{static_cast<int32_t>(id_limit_)}};
  ++used_slots_;
  ++size_;
  ++id_limit_;
  Node& node = (*this)[slot.id];
  node.id = slot.id;
  node.name = std::move(name);
  return &node;
}

void NodeTable::Remove(NodeId id) {
  Node& node = (*this)[id];
  slots_[Locate(node.name, Hash(node.name))].id = kRemoved;
  --size_;
  node = Node();
}

size_t NodeTable::Locate(std::string_view name, size_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t place = hash & mask;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.id == NodeId::kNone) return place;
    if (slot.mark == Mark(hash) && slot.id != kRemoved && (*this)[slot.id].name == name) {
      return place;
    }
  }
}

NodeId NodeTable::Find(std::string_view name) const { return slots_[Locate(name, Hash(name))].id; }

void NodeTable::Find(std::span<const std::string_view> names, std::span<NodeId> ids) const {
  constexpr size_t kAtOnce = 32;
  std::array<size_t, kAtOnce> hashes;
  for (size_t begin = 0; begin < names.size(); begin += kAtOnce) {
    const size_t count = std::min(kAtOnce, names.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = Hash(names[begin + i]);
      __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
    }
    for (size_t i = 0; i < count; ++i) {
      const NodeId likely = slots_[hashes[i] & (slots_.size() - 1)].id;
      if (likely >= NodeId{0}) __builtin_prefetch(&(*this)[likely]);
    }
    for (size_t i = 0; i < count; ++i) {
      ids[begin + i] = slots_[Locate(names[begin + i], hashes[i])].id;
    }
  }
}

void NodeTable::Resize(size_t slots) {
  slots_.assign(std::max<size_t>(slots, 16), Slot());
  used_slots_ = size_;
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < id_limit_; ++i) {
    const Node& node = (*this)[NodeId{static_cast<int32_t>(i)}];
    if (node.removed()) continue;
    const size_t hash = Hash(node.name);
    size_t place = hash & mask;
    while (slots_[place].id != NodeId::kNone) place = (place + 1) & mask;
    slots_[place] = {Mark(hash), node.id};
  }
}

}  // namespace tagflow
