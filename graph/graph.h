#ifndef TAGFLOW_GRAPH_GRAPH_H_
#define TAGFLOW_GRAPH_GRAPH_H_

// The dataflow graph: nodes with data and control inputs, cycles allowed. Node ids are stable:
// removing a node leaves a hole, never renumbers. Loading any GraphDef gives a Graph, even one with
// ops nobody defined (def is null); what is wrong with it is the validator's business
// (graph/validate.h).
//
// Thread safety: const access from any thread.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/function.h"
#include "graph/node_table.h"
#include "graph/status.h"

namespace tagflow {

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

class Graph {
 public:
  explicit Graph(const OpRegistry& registry = OpRegistry::Standard()) : registry_(&registry) {}
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;
  Graph& operator=(const Graph&) = delete;
  Graph Clone() const { return *this; }  // same ids

  const OpRegistry& registry() const { return *registry_; }

  // Adds a node without inputs; of a function of the library, where no op has that name.
  //   Errors: INVALID_ARGUMENT for a bad name, ALREADY_EXISTS
  Result<NodeId> AddNode(std::string name, std::string_view op);
  // Removes a node. REQUIRES: no other node has it as an input.
  void RemoveNode(NodeId id);

  // Ids are 0 … id_limit()-1, with holes where nodes were removed.
  size_t id_limit() const { return nodes_.id_limit(); }
  size_t num_nodes() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  // Its name, id and def are the graph's: leave them.
  Node& mutable_node(NodeId id) { return nodes_[id]; }
  std::vector<NodeId> NodeIds() const;  // those that are there, ascending
  // kNone when there is none.
  NodeId Find(std::string_view name) const { return nodes_.Find(name); }
  // The same for many names at once, which is quicker than one by one.
  // REQUIRES: ids.size() == names.size()
  void Find(std::span<const std::string_view> names, std::span<NodeId> ids) const {
    nodes_.Find(names, ids);
  }

  void SetAttr(NodeId id, std::string_view name, AttrValue value);
  // A name that no node has: `prefix`, or prefix_1, prefix_2, …
  std::string UniqueName(std::string_view prefix);
  void Reserve(size_t nodes) { nodes_.Reserve(nodes); }

  Versions versions;
  FunctionLibrary library;     // before the nodes that call it
  std::string unknown_fields;  // of the GraphDef

 private:
  Graph(const Graph&) = default;

  const OpRegistry* registry_;
  NodeTable nodes_;
  std::map<std::string, int, std::less<>> next_suffix_;  // where UniqueName left off, by prefix
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
