// Gradients of activation functions, and of their gradients, which are ops of their own: inputs the
// gradient of what follows and x (Elu, Selu: y).
//
// The ops that cut off know from y what they know from x, so y is what is asked for: the next layer
// keeps it anyway.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// f's gradient is the op `grad_op` of dy and y.
GradientFunction ByOutput(const char* grad_op) {
  return [grad_op](NodeGradient& node) {
    node.Give(0, Op(node.scope(), grad_op, {node.grad(0), node.output(0)}));
    return Status();
  };
}
GradientFunction ByInput(const char* grad_op) {
  return [grad_op](NodeGradient& node) {
    node.Give(0, Op(node.scope(), grad_op, {node.grad(0), node.input(0)}));
    return Status();
  };
}

Operation LeakyReluGradOf(const NodeGradient& node, const Output& dy, const Output& x) {
  return Op(node.scope(), "LeakyReluGrad", {dy, x}, {{"alpha", FloatAttrOf(node, "alpha")}});
}

Status LeakyReluGradient(NodeGradient& node) {
  node.Give(0, LeakyReluGradOf(node, node.grad(0), node.input(0)));
  return Status();
}

// Two straight lines: the slope does not change with x.
Status LeakyReluGradGradient(NodeGradient& node) {
  if (node.wants(0)) node.Give(0, LeakyReluGradOf(node, node.grad(0), node.input(1)));
  if (node.wants(1)) node.Give(1, ZerosLike(node.scope(), node.grad(0)));
  return Status();
}
GradientFunction OfStraightLines(const char* op) {
  return [op](NodeGradient& node) {
    const Scope& scope = node.scope();
    if (node.wants(0)) node.Give(0, Op(scope, op, {node.grad(0), node.input(1)}));
    if (node.wants(1)) node.Give(1, ZerosLike(scope, node.grad(0)));
    return Status();
  };
}

// dy (y + constant) below 0, else dy times a constant.
GradientFunction OfExponentialLine(const char* op) {
  return [op](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output y = node.input(1);
    const Output g = node.grad(0);
    if (node.wants(0)) node.Give(0, Op(scope, op, {g, y}));
    if (node.wants(1)) {
      const Output product = Mul(scope, g, node.input(0));
      node.Give(1, Select(scope, Less(scope, y, 0), product, 0));
    }
    return Status();
  };
}

// The logistic function, whose own slope is s (1 - s).
Status SoftplusGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  node.Give(0, Mul(scope, node.grad(0), Sigmoid(scope, node.input(0))));
  return Status();
}
Status SoftplusGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output slope = Sigmoid(scope, node.input(1));
  if (node.wants(0)) node.Give(0, Mul(scope, node.grad(0), slope));
  if (node.wants(1)) {
    const Output product = Mul(scope, node.grad(0), node.input(0));
    node.Give(1, Op(scope, "SigmoidGrad", {slope, product}));
  }
  return Status();
}

// dy / (1 + |x|)^2
Status SoftsignGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output x = node.input(1);
  if (node.wants(0)) node.Give(0, Op(scope, "SoftsignGrad", {node.grad(0), x}));
  if (node.wants(1)) {
    const Output base = Add(scope, Abs(scope, x), 1);
    const Output cube = Mul(scope, base, Square(scope, base));
    const Output slope = RealDiv(scope, Mul(scope, Sign(scope, x), -2), cube);
    node.Give(1, Mul(scope, node.grad(0), Mul(scope, node.input(0), slope)));
  }
  return Status();
}

const GradientEntry kEntries[] = {
    {"Relu", ByOutput("ReluGrad")},
    {"Relu6", ByOutput("Relu6Grad")},
    {"Elu", ByOutput("EluGrad")},
    {"Selu", ByOutput("SeluGrad")},
    {"Softsign", ByInput("SoftsignGrad")},
    {"Softplus", SoftplusGradient},
    {"LeakyRelu", LeakyReluGradient},
    {"ReluGrad", OfStraightLines("ReluGrad")},
    {"Relu6Grad", OfStraightLines("Relu6Grad")},
    {"LeakyReluGrad", LeakyReluGradGradient},
    {"EluGrad", OfExponentialLine("EluGrad")},
    {"SeluGrad", OfExponentialLine("SeluGrad")},
    {"SoftplusGrad", SoftplusGradGradient},
    {"SoftsignGrad", SoftsignGradGradient},
};

}  // namespace

Status RegisterActivationGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
