// Gradients of what is computed along a sequence: of the loss of connectionist temporal
// classification by the scores, which the op has as its second output.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

//   inputs [time, batch, classes], …; outputs: loss [batch], gradient, as inputs
Status CtcLossGradient(NodeGradient& node) {
  if (node.has_grad(1)) {
    return Unimplemented("the gradient that CTCLoss gives has no gradient itself");
  }
  const Scope& scope = node.scope();
  const Output loss = ExpandDims(scope, node.grad(0), -1);  // along the batch, for all times
  node.Give(0, Mul(scope, loss, node.output(1)));
  return Status();
}

const GradientEntry kEntries[] = {{"CTCLoss", CtcLossGradient}};

// The sum of the best scores has a gradient, but what was decoded changes in jumps; TensorFlow
// stops there.
constexpr const char* kStops[] = {"CTCGreedyDecoder"};

}  // namespace

Status RegisterSequenceGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
