// Gradients of softmax and of the losses made of it, along the last dimension.
//
// With s the softmax of a row, a gradient g comes back as s (g - <g, s>); and the same, s being
// symmetric in that way, when it is the gradient that is differentiated.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

Output SumOfRows(const Scope& scope, const Output& x) { return Sum(scope, x, -1, true); }

Output ThroughSoftmax(const Scope& scope, const Output& g, const Output& softmax) {
  return Mul(scope, Sub(scope, g, SumOfRows(scope, Mul(scope, g, softmax))), softmax);
}

Status SoftmaxGradient(NodeGradient& node) {
  node.Give(0, ThroughSoftmax(node.scope(), node.grad(0), node.output(0)));
  return Status();
}

Status LogSoftmaxGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output g = node.grad(0);
  const Output softmax = Exp(scope, node.output(0));
  node.Give(0, Sub(scope, g, Mul(scope, SumOfRows(scope, g), softmax)));
  return Status();
}

// The features as softmax saw them: repeated to the shape of `backprop`, if they had another.
Output BroadcastFeatures(NodeGradient& node) {
  const PartialShape shape = node.input_shape(0);
  if (shape.fully_known() && shape == node.output_shape(1)) return node.input(0);
  return BroadcastTo(node.scope(), node.input(0), node.shape_of_output(1));
}

// Outputs: the loss of each row, and `backprop`, its gradient by the features: softmax - labels.
// The second output is differentiated itself where a gradient is: by the features it is softmax.
Output FeaturesGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  Output sum;
  if (node.has_grad(0)) {
    sum = Mul(scope, ExpandDims(scope, node.grad(0), -1), node.output(1));
  }
  if (node.has_grad(1)) {
    const Output softmax = Op(scope, "Softmax", {BroadcastFeatures(node)});
    const Output through = ThroughSoftmax(scope, node.grad(1), softmax);
    sum = sum.valid() ? Add(scope, sum, through) : through;
  }
  return sum;
}

// Features and labels may broadcast to the shape of `backprop`.
Status CrossEntropyGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (node.wants(0)) node.GiveReduced(0, FeaturesGradient(node));
  if (!node.wants(1)) return Status();
  if (node.has_grad(0)) {
    const Output logs = Op(scope, "LogSoftmax", {BroadcastFeatures(node)});
    const Output rows = Neg(scope, ExpandDims(scope, node.grad(0), -1));
    node.GiveReduced(1, Mul(scope, rows, logs));
  }
  if (node.has_grad(1)) node.GiveReduced(1, Neg(scope, node.grad(1)));
  return Status();
}

Status SparseCrossEntropyGradient(NodeGradient& node) {
  node.Give(0, FeaturesGradient(node));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Softmax", SoftmaxGradient},
    {"LogSoftmax", LogSoftmaxGradient},
    {"SoftmaxCrossEntropyWithLogits", CrossEntropyGradient},
    {"SparseSoftmaxCrossEntropyWithLogits", SparseCrossEntropyGradient},
};

}  // namespace

Status RegisterSoftmaxGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
