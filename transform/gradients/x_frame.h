#ifndef TAGFLOW_TRANSFORM_GRADIENTS_X_FRAME_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_X_FRAME_H_

// A gradient is a tensor of the frame that it is built in, and so is what it is taken by: a tensor
// of a loop inside has a value in each iteration, and would have as many gradients.

#include <string>

#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::internal {

// INVALID_ARGUMENT, where x lies in another frame than `frame` ("" for the root, "outer/inner"
// otherwise): it names x's frame, and what can be taken in its place, which is what enters there
// and x comes from.
//   tree: has the frame of x
Status CheckIsInFrame(const Graph& graph, const FrameTree& tree, OutputRef x,
                      const std::string& frame);

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_X_FRAME_H_
