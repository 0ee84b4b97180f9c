#ifndef TAGFLOW_GRAPH_OWNED_H_
#define TAGFLOW_GRAPH_OWNED_H_

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// What may be kept when the call is over that borrowed its feeds' memory: the tensor itself, or a
// copy where its elements are borrowed, or those of tensors in a list, a map, an optional or
// another variant that it holds.
//   Errors: RESOURCE_EXHAUSTED
Result<Tensor> Owned(Tensor tensor);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OWNED_H_
