#ifndef TAGFLOW_GRAPH_VALIDATE_NODE_H_
#define TAGFLOW_GRAPH_VALIDATE_NODE_H_

// What must hold of one node and its inputs, frames and cycles aside.

#include <string>
#include <string_view>
#include <vector>

#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/signature_cache.h"

namespace tagflow {

// Remembers signatures, so that checking every node of a graph resolves each once.
class NodeChecker {
 public:
  explicit NodeChecker(const Graph& graph)
      : graph_(graph), signatures_(graph.id_limit()), is_known_(graph.id_limit()) {}

  // Errors: UNIMPLEMENTED for an op nobody defined; INVALID_ARGUMENT for attrs, a number of inputs
  // or an input type that do not fit, or an input that does not exist. Spec: [graph.1]
  Status Check(const Node& node, const FeedSet& fed);

 private:
  // Null when the node's signature cannot be resolved.
  const Signature* SignatureOf(NodeId id);
  Status CheckInput(const Node& node, size_t i, ArgType wanted, const FeedSet& fed);
  Status BadInput(const Node& node, size_t i, const std::string& what, std::string_view rule) const;

  const Graph& graph_;
  SignatureCache cache_;
  std::vector<const Signature*> signatures_;  // by node; null: it cannot be resolved
  std::vector<bool> is_known_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_VALIDATE_NODE_H_
