// Gradients of the ops on the diagonals of matrices: what one takes apart, the other puts together.
// Those of the second and third generation have k, the diagonals, and a value for what they leave
// empty, whose gradient is the sum of what lies there.

#include <string>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// Attr align, for the ops that have it.
AttrMap AlignOf(const NodeGradient& node) {
  if (!node.node().op.ends_with("V3")) return {};
  return {{"align", StringAttrOf(node, "align")}};
}
// The op of the same generation as the node's.
std::string SameGeneration(const NodeGradient& node, const std::string& op) {
  return op + (node.node().op.ends_with("V3") ? "V3" : "V2");
}

Output PartOf(NodeGradient& node, const Output& matrices, const Output& k, const Input& empty) {
  return Op(node.scope(), SameGeneration(node, "MatrixDiagPart"), {matrices, k, empty},
            AlignOf(node));
}

Output ZerosAs(NodeGradient& node, size_t slot) {
  return Zeros(node.scope(), node.shape_of_input(slot), node.input_dtype(slot));
}

Status DiagGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "DiagPart", {node.grad(0)}));
  return Status();
}
Status DiagPartGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "Diag", {node.grad(0)}));
  return Status();
}

Status MatrixDiagGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "MatrixDiagPart", {node.grad(0)}));
  return Status();
}
//   diagonal, k, num_rows, num_cols, padding_value
Status MatrixDiagV2Gradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (node.wants(0)) node.Give(0, PartOf(node, node.grad(0), node.input(1), 0));
  if (node.wants(4)) {
    const Output is_empty =
        Op(scope, node.node().op,
           {ZerosAs(node, 0), node.input(1), node.input(2), node.input(3), 1}, AlignOf(node));
    GiveSum(node, 4, Mul(scope, node.grad(0), is_empty));
  }
  return Status();
}

Status MatrixDiagPartGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "MatrixSetDiag", {ZerosAs(node, 0), node.grad(0)}));
  return Status();
}
//   input, k, padding_value
Status MatrixDiagPartV2Gradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output k = node.input(1);
  if (node.wants(0)) {
    node.Give(0, Op(scope, SameGeneration(node, "MatrixSetDiag"),
                    {ZerosAs(node, 0), node.grad(0), k}, AlignOf(node)));
  }
  if (node.wants(2)) {
    const Output is_empty = PartOf(node, ZerosAs(node, 0), k, 1);
    GiveSum(node, 2, Mul(scope, node.grad(0), is_empty));
  }
  return Status();
}

Status MatrixSetDiagGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (node.wants(0)) node.Give(0, Op(scope, "MatrixSetDiag", {node.grad(0), ZerosAs(node, 1)}));
  if (node.wants(1)) node.Give(1, Op(scope, "MatrixDiagPart", {node.grad(0)}));
  return Status();
}
//   input, diagonal, k
Status MatrixSetDiagV2Gradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output k = node.input(2);
  if (node.wants(0)) {
    node.Give(0, Op(scope, node.node().op, {node.grad(0), ZerosAs(node, 1), k}, AlignOf(node)));
  }
  if (node.wants(1)) node.Give(1, PartOf(node, node.grad(0), k, 0));
  return Status();
}

//   input, num_lower, num_upper
Status MatrixBandPartGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "MatrixBandPart", {node.grad(0), node.input(1), node.input(2)}));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Diag", DiagGradient},
    {"DiagPart", DiagPartGradient},
    {"MatrixDiag", MatrixDiagGradient},
    {"MatrixDiagV2", MatrixDiagV2Gradient},
    {"MatrixDiagV3", MatrixDiagV2Gradient},
    {"MatrixDiagPart", MatrixDiagPartGradient},
    {"MatrixDiagPartV2", MatrixDiagPartV2Gradient},
    {"MatrixDiagPartV3", MatrixDiagPartV2Gradient},
    {"MatrixSetDiag", MatrixSetDiagGradient},
    {"MatrixSetDiagV2", MatrixSetDiagV2Gradient},
    {"MatrixSetDiagV3", MatrixSetDiagV2Gradient},
    {"MatrixBandPart", MatrixBandPartGradient},
};

}  // namespace

Status RegisterDiagonalGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
