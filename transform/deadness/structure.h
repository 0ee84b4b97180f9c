#ifndef TAGFLOW_TRANSFORM_DEADNESS_STRUCTURE_H_
#define TAGFLOW_TRANSFORM_DEADNESS_STRUCTURE_H_

// The structure that a call's deadness gives its graph: for every node the condition under which it
// is live in an iteration of its frame, and for every loop the predicate that ends it. Where all of
// them are known, dead tokens need not be sent: a branch is a jump and a loop is a jump back.
//
// How it is found: nodes are visited in order of dependency. A node is live where all of its inputs
// are; a Switch's outputs where it is and its predicate has their value; a Merge where one of its
// inputs is, if they are all the ways that a predicate can go. Loop variables are taken to be live
// in every iteration there is, and that is then shown by induction: the Enters of its variables
// have one condition, and all NextIterations have the condition "the loop's predicate is true" and
// nothing else, so that the variables of the next iteration are all live or not there at all; every
// Exit has the contrary condition, so that it is live once, in the last iteration.
//
// When it applies: to what `Cond` and `WhileLoop` build, nested in any way, and to many graphs
// besides. When not, `irregular` says why, and the graph wants tokens. Among what is left to them:
// Merges that two live tokens can reach, variables of one loop that end separately, edges from an
// Enter or a NextIteration to something else than a loop variable, predicates read from a variable,
// Send and Recv.
//
// Cost: n log n in nodes and edges, with conditions of any number of literals that grow and are
// joined as those of nested branches are (conditions.h).                        Spec: [switch.*],
// [merge.*] Tested by structure_test.cc.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "transform/deadness/conditions.h"
#include "transform/limits.h"

namespace tagflow {

struct LoopVariable {
  NodeId merge = NodeId::kNone;
  NodeId enter = NodeId::kNone;
  NodeId next = NodeId::kNone;  // the NextIteration
};

struct FrameStructure {
  std::optional<ConditionId> entered;  // in the parent; nothing for the root
  std::optional<ConditionLiteral>
      repeats;  // under which there is a next iteration; nothing: no loop
  std::vector<LoopVariable> variables;
  std::vector<NodeId> exits;
  std::string irregular;  // of RecoverRegularParts: why the frame has no structure; else empty
};

// What a literal asks: the value of this tensor.
struct Predicate {
  OutputRef tensor;
  bool is_index = false;  // of a _SwitchN: an int32 that counts as arity-1 outside 0 … arity-2
  NodeId witness = NodeId::kNone;  // a Switch that asks it, for messages
  NodeId first = NodeId::kNone;    // what looks at it before: a LoopCond on the way, or the Switch
  std::string irregular;           // of RecoverRegularParts: why nothing is known of it; else empty
};

// A node that is live under a condition which cannot be said, and why. It has a predicate of its
// own, which nothing else asks: "this node is live".
struct IrregularNode {
  NodeId node = NodeId::kNone;
  std::string why;
};

struct Structure {
  std::string irregular;  // empty: all of the below is known
  Conditions conditions;
  std::vector<Predicate> predicates;   // by ConditionLiteral::predicate
  std::vector<NodeId> order;           // the needed nodes, producers first
  std::vector<ConditionId> condition;  // by node id: in its frame's iterations
  std::vector<int32_t> switched_on;    // by node id: a Switch's predicate, else -1
  std::vector<FrameStructure> frames;  // as in the call's FrameTree
  // Of RecoverRegularParts.
  std::vector<IrregularNode> irregular_nodes;
  std::map<NodeId, ConditionId> irregular_exits;  // in the parent, of frames without structure
  std::map<NodeId, int32_t> known_ways;  // Switches in a loop whose predicate is why it is entered

  // The condition of a tensor or control edge, in the frame that it leads to; feeds apart.
  ConditionId OfOutput(const Graph& graph, const FrameTree& tree, OutputRef output);
  ConditionId OfControl(const Graph& graph, const FrameTree& tree, NodeId node) const;
};

//   most_nested: how many predicates one node may hang on; with more, the graph is irregular, which
//   tells the limit
Structure RecoverStructure(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                           int32_t most_nested = kMostNestedBranches);

// The same, for whom a part of the graph is enough: what is irregular is set apart, a node by a
// predicate of its own, a frame with all that is in it, of which the conditions then say nothing.
// `irregular` tells what leaves no part: cycles through no loop variable.
Structure RecoverRegularParts(const Graph& graph, const CallSpec& call, const ValidatedCall& valid);

// Whether the op takes one of N ways by an index, where a Switch takes one of two.
bool IsSwitchN(const Node& node);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_DEADNESS_STRUCTURE_H_
