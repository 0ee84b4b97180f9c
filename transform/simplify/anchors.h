#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_ANCHORS_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_ANCHORS_H_

// What says when a constant is live. A node that took a constant, and now has its value without
// taking it, waits for its anchors instead: it is then live, in its frame and its iterations, when
// it was before.

#include <vector>

#include "transform/simplify/call_view.h"

namespace tagflow {

// Adds, to the control inputs of a node that took `output`, what it must wait for instead: of a
// Const, what that waits for; of whatever hands a constant on, the node that does so.
// REQUIRES: view.ConstantOf(output) is not null
void AddAnchors(const CallView& view, OutputRef output, std::vector<NodeId>& controls);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_ANCHORS_H_
