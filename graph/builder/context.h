#ifndef TAGFLOW_GRAPH_BUILDER_CONTEXT_H_
#define TAGFLOW_GRAPH_BUILDER_CONTEXT_H_

// Contexts: the branches and loop parts that a graph under construction is nested in. Every node is
// made in one context, and only that context and those inside it may use its tensors; a use further
// in is a capture (capture.cc).

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tagflow::internal {

enum class ContextId : int32_t { kRoot = 0 };
inline size_t Index(ContextId id) { return static_cast<size_t>(id); }

enum class ContextKind : uint8_t { kRoot, kBranch, kLoopCond, kLoopBody };

struct Context {
  ContextKind kind = ContextKind::kRoot;
  ContextId parent = ContextId::kRoot;
  size_t frame = 0;              // index of its CondFrame or LoopFrame
  bool branch = false;           // of a kBranch: which one
  bool closed = false;           // its function has returned
  NodeId pivot = NodeId::kNone;  // what sourceless ops hang on; made on first use in a branch
  std::vector<NodeId> effects;   // nodes made here that must run whenever this context does
};

// One Cond. Its two branches share the Switch of a captured tensor.
struct CondFrame {
  std::string name;
  ContextId parent = ContextId::kRoot;
  OutputRef pred;                // in the parent context
  std::vector<NodeId> controls;  // every Switch waits for them
  std::string device;
  std::map<OutputRef, NodeId> switches;  // by captured tensor, in the parent context
};

// One WhileLoop. The predicate and the body share the constant Enter of a captured tensor.
struct LoopFrame {
  std::string name;
  std::string frame_name;
  int64_t parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  ContextId parent = ContextId::kRoot;
  std::vector<NodeId> controls;  // every Enter waits for them
  std::string device;
  std::map<OutputRef, NodeId> enters;       // by captured tensor, in the parent context
  std::map<NodeId, NodeId> control_enters;  // by captured control input, in the parent context
  std::set<NodeId> constant_enters;
};

// What a Scope adds to the nodes it makes.
struct ScopeData {
  std::string prefix;   // "" or "layer/"
  std::string op_name;  // "": the op's own name
  std::string device;
  std::vector<std::string> colocation;  // "loc:@node"
  std::vector<NodeId> controls;
  ContextId context = ContextId::kRoot;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_GRAPH_BUILDER_CONTEXT_H_
