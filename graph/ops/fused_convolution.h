#ifndef TAGFLOW_GRAPH_OPS_FUSED_CONVOLUTION_H_
#define TAGFLOW_GRAPH_OPS_FUSED_CONVOLUTION_H_

// What _FusedConv2D does after its convolution: adds a bias to each channel, or normalizes it by
// its mean and variance, and then may bend it by an activation.
//
// Tested by fused_convolution_test.cc.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

enum class FusedActivation : uint8_t { kNone, kRelu, kRelu6, kElu, kLeakyRelu };

struct FusedOps {
  bool normalizes = false;  // (x - mean) * scale / sqrt(variance + epsilon) + offset, else x + bias
  FusedActivation activation = FusedActivation::kNone;
  float epsilon = 0;
  float leakyrelu_alpha = 0;

  // bias, or scale, offset, mean and variance: inputs from the third on.
  int num_args() const { return normalizes ? 4 : 1; }
};

// The attrs fused_ops, num_args, epsilon, leakyrelu_alpha and filter_format.
//   Errors: INVALID_ARGUMENT for no ops, or another number of arguments than they take;
//   UNIMPLEMENTED for ops that TensorFlow's CPU kernel does not know, and for other formats
Result<FusedOps> ReadFusedOps(const Node& node);

// INVALID_ARGUMENT unless each argument is a vector with a number for each channel.
Status CheckFusedArgs(const std::vector<Tensor>& args, int64_t channels);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_FUSED_CONVOLUTION_H_
