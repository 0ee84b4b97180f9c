#ifndef TAGFLOW_GRAPH_TAKE_DOWN_H_
#define TAGFLOW_GRAPH_TAKE_DOWN_H_

// Destroying variants that hold variants that hold variants…, to any depth, in a loop: a graph can
// nest them deeper than a stack is.

#include <span>

#include "graph/tensor.h"

namespace tagflow {

// Destroys the values of the tensors. To be called by the destructor of whatever a variant holds
// for the tensors in it: when this thread is taking down another such value already, the tensors
// wait until that one is gone.
void TakeDown(std::span<Tensor> tensors);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TAKE_DOWN_H_
