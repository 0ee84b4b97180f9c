#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_SCHEDULE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_SCHEDULE_H_

// In which order a structured graph's nodes run: frame by frame, each item after what it waits for,
// and items of one condition next to each other as far as that goes, so that a branch is entered
// once and not for every node of it.
//
// How: a list schedule that stays with the condition it is at while something of it is ready; then
// enters a branch that is ready (the other branch of the predicate it has just left, if it can);
// and leaves a branch when nothing of it is ready.
//
// A loop is one item of its parent. The item that repeats it comes after everything that may run in
// an iteration that is not the last.
//
// Cost: linear, with a look at up to 16 conditions where a branch is chosen.
// Tested by schedule_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "transform/deadness/structure.h"

namespace tagflow::optimized {

struct Item {
  enum class Kind : uint8_t {
    kNode,    // a node of the frame; a Merge comes after its ways
    kWay,     // input `index` of a Merge that joins branches: live where that input is
    kFrame,   // the child frame `index`
    kRepeat,  // the next iteration of the frame itself
  };
  Kind kind = Kind::kNode;
  NodeId node = NodeId::kNone;  // of kNode and kWay
  int32_t index = 0;
  ConditionId condition = ConditionId::kAlways;  // never kNever: what never runs has no item
};

// The items of every frame, by frame. Nothing when a loop waits for what comes out of it.
// REQUIRES: structure.irregular is empty
std::optional<std::vector<std::vector<Item>>> ScheduleFrames(const Graph& graph, const FeedSet& fed,
                                                             const ValidatedCall& valid,
                                                             Structure& structure);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_SCHEDULE_H_
