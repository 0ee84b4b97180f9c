#ifndef TAGFLOW_GRAPH_NODE_TABLE_H_
#define TAGFLOW_GRAPH_NODE_TABLE_H_

// The nodes of a graph, by id and by name. Nodes stay where they are in memory.
//
// The names are kept once, in the nodes: the index is an open-addressed table of a node id and 32
// bits of the name's hash (8 bytes, at most half full, linear probing), so that even a large
// graph's index fits the cache, and only names that are very likely equal are compared. A hash map
// from names, which holds pointers or copies of them, takes three times the memory, and was most
// of the time it took to load 100,000 nodes.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/node.h"

namespace tagflow {

class NodeTable {
 public:
  NodeTable() = default;
  NodeTable(NodeTable&&) noexcept = default;
  NodeTable& operator=(NodeTable&&) noexcept = default;
  NodeTable(const NodeTable& other);
  NodeTable& operator=(const NodeTable&) = delete;

  size_t id_limit() const { return id_limit_; }
  size_t size() const { return size_; }  // nodes that are there
  const Node& operator[](NodeId id) const {
    return chunks_[Index(id) / kChunk][Index(id) % kChunk];
  }
  Node& operator[](NodeId id) { return chunks_[Index(id) / kChunk][Index(id) % kChunk]; }

  void Reserve(size_t nodes);
  // A node with the next id; null, and the name untouched, when there is one of that name.
  Node* Add(std::string&& name);
  void Remove(NodeId id);

  // kNone when there is none.
  NodeId Find(std::string_view name) const;
  // The same for many names at once: the cache misses of one do not wait for those of another.
  // REQUIRES: ids.size() == names.size()
  void Find(std::span<const std::string_view> names, std::span<NodeId> ids) const;

 private:
  static constexpr size_t kChunk = 64;
  struct Slot {
    uint32_t mark = 0;  // bits of the hash that do not choose the slot
    NodeId id = NodeId::kNone;
  };
  // What a slot holds once its node was removed.
  static constexpr NodeId kRemoved{-2};

  static size_t Hash(std::string_view name) { return std::hash<std::string_view>()(name); }
  static uint32_t Mark(size_t hash) { return static_cast<uint32_t>(hash >> 32); }
  // The slot that holds the name, else the free one where a search for it ends.
  size_t Locate(std::string_view name, size_t hash) const;
  void Resize(size_t slots);

  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two
  size_t id_limit_ = 0;
  size_t size_ = 0;
  size_t used_slots_ = 0;  // those of removed nodes included
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_NODE_TABLE_H_
