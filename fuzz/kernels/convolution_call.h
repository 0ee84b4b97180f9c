#ifndef TAGFLOW_FUZZ_KERNELS_CONVOLUTION_CALL_H_
#define TAGFLOW_FUZZ_KERNELS_CONVOLUTION_CALL_H_

// Convolutions and their gradients whose tensors and attrs fit one another: layouts, strides,
// dilations, paddings and groups of any kind, over small images.

#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/graph.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {

// Whether the op is of that family: it has images and filters, and windows that move.
bool IsConvolution(const OpDef& op);

struct ConvolutionCall {
  std::vector<Dims> data;  // of each argument that is no shape
  Dims spelled;            // by the argument that is one; where there is none, the filter's
};

// Sets the attrs of the node. REQUIRES: IsConvolution(op)
ConvolutionCall DrawConvolution(const OpDef& op, Graph& graph, NodeId id, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_CONVOLUTION_CALL_H_
