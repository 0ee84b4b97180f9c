#ifndef TAGFLOW_TRANSFORM_STRUCTURE_RECOVER_TREE_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_RECOVER_TREE_H_

// From the primitives of a call to a structured program: a tree of loops and conds. No name of a
// node is looked at.
//
// How: the deadness of the call (transform/deadness) says under which condition each node is live,
// and which predicate ends each loop; where it cannot, the node or the frame is set apart.
// Conditions lead to places (places.h), nodes that only name values go (roles.h), what is left is
// put in order (arrange.h), and it is looked at what crosses the borders of regions (wires.h). A
// region, or a frame, that may not be recovered is declined, which leaves its nodes to what is
// around it, and the whole is done again. Each round declines something, and most calls take one or
// two.
//
// What is declined, with the reason: see Tree::declined.
//
// Cost: n log n a round, of which there are at most kMostRounds; after them everything is declined.
// Tested by structure_text_test.cc.

#include <memory>

#include "transform/structure/arrange.h"
#include "transform/structure/roles.h"
#include "transform/structure/tree.h"
#include "transform/structure/wires.h"
#include "transform/structure/work.h"

namespace tagflow::recovery {

// The graph that it is of has to outlive it.
struct RecoveredTree {
  std::unique_ptr<Recovery> of;
  std::unique_ptr<Roles> roles;
  Work work;
  Arrangement arranged;
  Wires wires;

  const Tree& tree() const { return arranged.tree; }
  // Why nothing at all is recovered; then there is no tree. Empty: there is one.
  std::string why_not;
};

//   Errors: as ValidateCall
Result<RecoveredTree> RecoverTree(const Graph& graph, const CallSpec& call);

// A call of a whole graph: placeholders are fed, and what nobody takes is run.
CallSpec WholeCall(const Graph& graph);

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_RECOVER_TREE_H_
