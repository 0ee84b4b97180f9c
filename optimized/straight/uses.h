#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_USES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_USES_H_

// Who takes what the nodes of a call give: what nobody takes needs no move, and what only the
// Switches of a loop take needs no check of its own.
//
// Tested by straight_executable_test.cc.

#include <vector>

#include "graph/feed_set.h"
#include "optimized/executable.h"
#include "optimized/straight/values.h"
#include "transform/deadness/structure.h"

namespace tagflow::optimized {

class Uses {
 public:
  // REQUIRES: `values` has bound the nodes of the structure
  Uses(const ExecutableSpec& spec, const FeedSet& fed, const Structure& structure,
       const Values& values);

  // Whether a node or a fetch takes the output at this place (Values::Place).
  bool IsUsed(size_t place) const { return is_used_[place]; }
  // Of a LoopCond: whether Switches alone take it, as their predicate. They come after the loop's
  // own test; others may come before it.
  bool IsOnlyAsked(NodeId node) const { return is_only_asked_[Index(node)]; }
  // Whether a node of a loop waits for it by a control edge.
  bool IsAwaited(NodeId node) const { return is_awaited_[Index(node)]; }

 private:
  void NoteUsesOfLoopConds(const Graph& graph, const Node& node);

  std::vector<bool> is_used_;        // by place
  std::vector<bool> is_only_asked_;  // by node id
  std::vector<bool> is_awaited_;     // by node id
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_USES_H_
