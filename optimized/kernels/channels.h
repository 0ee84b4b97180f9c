#ifndef TAGFLOW_OPTIMIZED_KERNELS_CHANNELS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CHANNELS_H_

// Where the channels of a value are that biases are added to.
//
// Tested by shape_rules_test.cc.

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// Whether the channels are the second dimension and not the last. BiasAddV1 has no such attr.
Result<bool> ChannelsComeSecond(const Node& node);

//   Errors: INVALID_ARGUMENT for less than two dimensions
Status CheckHasChannels(DimsView dims);

// The shape of a value's channels, as they lie in it.
//   Errors: INVALID_ARGUMENT for less than two dimensions
Result<Dims> ChannelDims(DimsView dims, bool second);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CHANNELS_H_
