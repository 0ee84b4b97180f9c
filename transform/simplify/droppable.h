#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_DROPPABLE_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_DROPPABLE_H_

// What a node does besides giving its outputs, for passes after which nobody needs it.
//
// Tested by simplify_test.cc.

#include "graph/graph.h"
#include "transform/simplify/call_view.h"

namespace tagflow {

// Whether its firings may read or write what other nodes read or write, so that their order counts.
bool TouchesState(const CallView& view, const Node& node);
// Whether a step is the same without it: neither an effect nor an error is lost.
bool MayBeDropped(const CallView& view, const Node& node);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_DROPPABLE_H_
