#ifndef TAGFLOW_GRAPH_GRAPH_H_
#define TAGFLOW_GRAPH_GRAPH_H_

// The dataflow graph: nodes with data and control inputs, cycles allowed. Node ids are stable:
// removing a node leaves a hole, never renumbers. Loading any GraphDef gives a Graph, even one with
// ops nobody defined (def is null); what is wrong with it is the validator's business
// (graph/validate.h).
//
// Thread safety: const access from any thread.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/op_def.h"
#include "graph/status.h"

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

// The attr as the node has it, else the op's default, else null.
const AttrValue* FindAttr(const Node& node, std::string_view name);
// As FindAttr, of one kind: INVALID_ARGUMENT naming node, op and attr when it is missing or of
// another kind.
Result<int64_t> IntAttr(const Node& node, std::string_view name);
Result<float> FloatAttr(const Node& node, std::string_view name);
Result<bool> BoolAttr(const Node& node, std::string_view name);
Result<DType> TypeAttr(const Node& node, std::string_view name);
Result<std::string> StringAttr(const Node& node, std::string_view name);
Result<PartialShape> ShapeAttr(const Node& node, std::string_view name);
Result<Tensor> TensorAttr(const Node& node, std::string_view name);
Result<AttrList> ListAttr(const Node& node,
                          std::string_view name);  // an absent-but-defaulted list is fine

struct Versions {
  int32_t producer = 0;
  int32_t min_consumer = 0;
  std::vector<int32_t> bad_consumers;
};

// A function of the library, kept as the FunctionDef it came as.
struct FunctionDef {
  std::string name;
  std::string bytes;
};

struct FunctionLibrary {
  std::vector<FunctionDef> functions;
  std::string unknown_fields;  // gradients, registered gradients, …
};

class Graph {
 public:
  explicit Graph(const OpRegistry& registry = OpRegistry::Standard());
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph Clone() const;  // same ids

  const OpRegistry& registry() const { return *registry_; }

  // Adds a node without inputs. Errors: INVALID_ARGUMENT for a bad name, ALREADY_EXISTS.
  Result<NodeId> AddNode(std::string name, std::string_view op);
  // Removes a node. REQUIRES: no other node has it as an input.
  void RemoveNode(NodeId id);

  // Ids are 0 … id_limit()-1, with holes where nodes were removed.
  size_t id_limit() const { return nodes_.size(); }
  size_t num_nodes() const;
  const Node& node(NodeId id) const { return nodes_[Index(id)]; }
  Node& mutable_node(NodeId id) {
    return nodes_[Index(id)];
  }                                     // name, id and def are the graph's: leave them
  std::vector<NodeId> NodeIds() const;  // those that are there, ascending
  // kNone when there is none.
  NodeId Find(std::string_view name) const;

  void SetAttr(NodeId id, std::string_view name, AttrValue value);
  // A name that no node has: `prefix`, or prefix_1, prefix_2, …
  std::string UniqueName(std::string_view prefix) const;
  void Reserve(size_t nodes);

  Versions versions;
  FunctionLibrary library;
  std::string unknown_fields;  // of the GraphDef

 private:
  // The hash tables, out of sight: their header costs every file that includes this one a second.
  struct Names;
  const OpRegistry* registry_;
  std::deque<Node> nodes_;  // a deque: names_ points into the nodes
  std::unique_ptr<Names> names_;
};

// A parsed tensor name: "node", "node:1" or "^node" (index kControl).
struct TensorName {
  static constexpr int kControl = -1;
  std::string_view node;
  int index = 0;
};
Result<TensorName> ParseTensorName(std::string_view name);
// "node" for index 0, else "node:1".
std::string OutputName(const Graph& graph, OutputRef output);
// INVALID_ARGUMENT / NOT_FOUND in the words a user needs (near names are suggested).
Result<OutputRef> FindOutput(const Graph& graph, std::string_view tensor_name);

// The types of a node's inputs and outputs, after its attrs.
struct Signature {
  std::vector<ArgType> inputs;
  std::vector<ArgType> outputs;
};
// Errors: UNIMPLEMENTED for an op nobody defined, INVALID_ARGUMENT for a missing, ill-kinded or
// disallowed attr.
Result<Signature> ResolveSignature(const Node& node);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_GRAPH_H_
