#ifndef TAGFLOW_GRAPH_NODE_H_
#define TAGFLOW_GRAPH_NODE_H_

// A node of a graph, and how nodes and their outputs are named inside the program.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/op_def.h"

namespace tagflow {

enum class NodeId : int32_t { kNone = -1 };
inline size_t Index(NodeId id) { return static_cast<size_t>(id); }

// One output of a node, as "name:index" names it.
struct OutputRef {
  NodeId node = NodeId::kNone;
  int32_t index = 0;
  friend auto operator<=>(const OutputRef&, const OutputRef&) = default;
};

// Attrs in order of name.
using AttrMap = std::vector<std::pair<std::string, AttrValue>>;

struct Node {
  NodeId id = NodeId::kNone;
  std::string name;
  std::string op;
  const OpDef* def = nullptr;  // null: an op the registry lacks
  std::string device;
  std::vector<OutputRef> inputs;
  std::vector<NodeId> control_inputs;
  AttrMap attrs;
  std::string unknown_fields;  // of the NodeDef (debug info, full type, …), kept as bytes

  bool removed() const { return id == NodeId::kNone; }
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_NODE_H_
