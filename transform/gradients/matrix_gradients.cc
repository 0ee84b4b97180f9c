// Gradients of products of matrices and vectors, and of BiasAdd. Those of products are products of
// the gradient with the other factor, adjoined.

#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// z = a b, each as it lies if not transposed.
Status MatMulGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const bool ta = BoolAttrOf(node, "transpose_a");
  const bool tb = BoolAttrOf(node, "transpose_b");
  const Output g = node.grad(0);
  if (node.wants(0)) {
    const Output b = Conjugate(scope, node.input(1));
    node.Give(0, ta ? MatMul(scope, b, g, tb, true) : MatMul(scope, g, b, false, !tb));
  }
  if (node.wants(1)) {
    const Output a = Conjugate(scope, node.input(0));
    node.Give(1, tb ? MatMul(scope, g, a, true, ta) : MatMul(scope, a, g, !ta, false));
  }
  return Status();
}

// The same for batches, which may broadcast, and where "transposed" means adjoined. V3 has a dtype
// for each input; the products are in that of the output.
Status BatchMatMulGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const bool ax = BoolAttrOf(node, "adj_x");
  const bool ay = BoolAttrOf(node, "adj_y");
  const Output g = node.grad(0);
  const auto factor = [&](size_t slot) {
    const Output x = node.input(slot);
    return x.dtype() == g.dtype() ? x : Cast(scope, x, g.dtype());
  };
  const auto give = [&](size_t slot, const Output& gradient) {
    const DType dtype = node.input_dtype(slot);
    node.GiveReduced(slot, dtype == g.dtype() ? gradient : Cast(scope, gradient, dtype));
  };
  if (node.wants(0)) {
    const Output y = factor(1);
    give(0, ax ? BatchMatMul(scope, y, g, ay, true) : BatchMatMul(scope, g, y, false, !ay));
  }
  if (node.wants(1)) {
    const Output x = factor(0);
    give(1, ay ? BatchMatMul(scope, g, x, true, ax) : BatchMatMul(scope, x, g, !ax, false));
  }
  return Status();
}

Status CrossGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (node.wants(0)) node.Give(0, Op(scope, "Cross", {node.input(1), node.grad(0)}));
  if (node.wants(1)) node.Give(1, Op(scope, "Cross", {node.grad(0), node.input(0)}));
  return Status();
}

GradientFunction BiasAddGradientIn(bool has_format) {
  return [has_format](NodeGradient& node) {
    node.Give(0, node.grad(0));
    if (!node.wants(1)) return Status();
    const std::string format = has_format ? StringAttrOf(node, "data_format") : "NHWC";
    node.Give(1, Op(node.scope(), "BiasAddGrad", {node.grad(0)}, {{"data_format", format}}));
    return Status();
  };
}

// One number per channel, repeated over all others.
Status BiasAddGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output dims = node.shape_of_input(0);
  Output channels = node.grad(0);
  if (StringAttrOf(node, "data_format") == "NCHW") {
    // [channels, 1, ...]: a dimension fewer than the input.
    const Output behind = Ones(scope, Pack(scope, {Sub(scope, RankOf(node, 0), 2)}), DType::kInt32);
    const Output first = Const(scope, std::vector<int32_t>{-1});
    channels = Reshape(scope, channels, Concat(scope, {first, behind}, 0));
  }
  node.Give(0, BroadcastTo(scope, channels, dims));
  return Status();
}

const GradientEntry kEntries[] = {
    {"MatMul", MatMulGradient},
    {"BatchMatMul", BatchMatMulGradient},
    {"BatchMatMulV2", BatchMatMulGradient},
    {"BatchMatMulV3", BatchMatMulGradient},
    {"Cross", CrossGradient},
    {"BiasAdd", BiasAddGradientIn(true)},
    {"BiasAddV1", BiasAddGradientIn(false)},
    {"BiasAddGrad", BiasAddGradGradient},
};

}  // namespace

Status RegisterMatrixGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
