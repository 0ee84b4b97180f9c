// Gradients of the ops that pick one of their operands for each element: to the one picked goes all
// of the gradient. Maximum and Minimum of equals pick x, as in TensorFlow.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

Output Where(const Scope& scope, const Output& condition, const Output& gradient) {
  return Select(scope, condition, gradient, 0);
}
Output WhereNot(const Scope& scope, const Output& condition, const Output& gradient) {
  return Select(scope, condition, 0, gradient);
}

// Of two: x where `picks_x` holds, an op of x and y.
GradientFunction Extreme(const char* picks_x) {
  return [picks_x](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output condition = Op(scope, picks_x, {node.input(0), node.input(1)});
    if (node.wants(0)) node.GiveReduced(0, Where(scope, condition, node.grad(0)));
    if (node.wants(1)) node.GiveReduced(1, WhereNot(scope, condition, node.grad(0)));
    return Status();
  };
}

// The condition has the shape of the operands, or is a scalar, or has an element for each row.
Status SelectGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output condition = node.input(0);
  const Output gradient = node.grad(0);
  const Output zeros = ZerosLike(scope, gradient);
  if (node.wants(1)) node.Give(1, Op(scope, "Select", {condition, gradient, zeros}));
  if (node.wants(2)) node.Give(2, Op(scope, "Select", {condition, zeros, gradient}));
  return Status();
}

Status SelectV2Gradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output condition = node.input(0);
  if (node.wants(1)) node.GiveReduced(1, Where(scope, condition, node.grad(0)));
  if (node.wants(2)) node.GiveReduced(2, WhereNot(scope, condition, node.grad(0)));
  return Status();
}

// t between two bounds, each a scalar or of t's shape.
Status ClipByValueGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output t = node.input(0);
  const Output below = Less(scope, t, node.input(1));
  const Output above = Greater(scope, t, node.input(2));
  const Output gradient = node.grad(0);
  if (node.wants(0)) node.Give(0, WhereNot(scope, LogicalOr(scope, below, above), gradient));
  if (node.wants(1)) node.GiveReduced(1, Where(scope, below, gradient));
  if (node.wants(2)) node.GiveReduced(2, Where(scope, above, gradient));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Maximum", Extreme("GreaterEqual")}, {"Minimum", Extreme("LessEqual")},
    {"Select", SelectGradient},           {"SelectV2", SelectV2Gradient},
    {"ClipByValue", ClipByValueGradient},
};

}  // namespace

Status RegisterChoiceGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
