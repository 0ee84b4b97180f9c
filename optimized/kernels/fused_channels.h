#ifndef TAGFLOW_OPTIMIZED_KERNELS_FUSED_CHANNELS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_FUSED_CHANNELS_H_

// What _FusedConv2D does after its convolution, in one pass over the result.
//
// Tested by fused_channels_test.cc.

#include <vector>

#include "graph/ops/fused_convolution.h"
#include "graph/ops/window_geometry.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// Changes each element of an image as the ops say, by its channel's numbers.
//   Errors: INVALID_ARGUMENT (CheckFusedArgs), RESOURCE_EXHAUSTED
// REQUIRES: all are of float, or of double; args.size() == ops.num_args()
Status FinishChannels(const FusedOps& ops, const ImageLayout& layout,
                      const std::vector<Tensor>& args, Tensor& image);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_FUSED_CHANNELS_H_
