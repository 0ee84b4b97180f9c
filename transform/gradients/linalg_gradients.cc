// Gradients of what is made of whole matrices: inverses, solutions, determinants, Cholesky factors.
// Mike Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation" (2008), derives them. Adjoints (') are conjugated, so they serve complex
// matrices too.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// y = inverse of x:  - y' g y'.  Of x', if attr adjoint:  - y g' y.
Status MatrixInverseGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const bool adjoint = BoolAttrOf(node, "adjoint");
  const Output y = node.output(0);
  const Output right = BatchMatMul(scope, node.grad(0), y, adjoint, !adjoint);
  node.Give(0, Neg(scope, BatchMatMul(scope, y, right, !adjoint, false)));
  return Status();
}

// A number for each matrix, to be multiplied with it.
Output AsMatrices(const Scope& scope, const Output& numbers) {
  return ExpandDims(scope, ExpandDims(scope, numbers, -1), -1);
}

Output InverseOfAdjoint(NodeGradient& node) {
  return Op(node.scope(), "MatrixInverse", {node.input(0)}, {{"adjoint", true}});
}

Status MatrixDeterminantGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output factor = Mul(scope, node.grad(0), Conjugate(scope, node.output(0)));
  node.Give(0, Mul(scope, AsMatrices(scope, factor), InverseOfAdjoint(node)));
  return Status();
}

// The logarithm of the determinant changes by t = trace(inverse dx): the logarithm of its size by
// t's real part, and its sign s, a complex number of size 1, by i s times t's imaginary part. A
// real sign does not change.
Status LogMatrixDeterminantGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const bool turns = node.has_grad(0) && IsComplex(node.output_dtype(0));
  Output factor;
  if (node.has_grad(1)) factor = RealPart(scope, node.grad(1));
  if (turns) {
    const Output z = Mul(scope, Conjugate(scope, node.grad(0)), node.output(0));
    const Output turn = Sub(scope, RealPart(scope, z), z);
    factor = factor.valid() ? Add(scope, factor, turn) : turn;
  }
  if (!factor.valid()) return Status();
  node.Give(0, Mul(scope, AsMatrices(scope, factor), InverseOfAdjoint(node)));
  return Status();
}

// A = L L'. Of M = L' g take the lower triangle with half the diagonal, P; then the symmetric part
// of inverse(L)' P inverse(L): solved for, without an inverse.
Status CholeskyGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output l = node.output(0);
  const Output m = BatchMatMul(scope, l, node.grad(0), true, false);
  const Output diagonal = BandPart(scope, m, 0, 0);
  const Output p = Sub(scope, BandPart(scope, m, -1, 0), Mul(scope, diagonal, 0.5));
  const auto solve = [&](const Output& rhs) -> Output {
    return Op(scope, "MatrixTriangularSolve", {l, rhs}, {{"lower", true}, {"adjoint", true}});
  };
  // With Q' = inverse(L)' (inverse(L)' P)', Q is inverse(L)' P inverse(L).
  const Output left = solve(p);
  const Output both = Adjoint(scope, solve(Adjoint(scope, left)));
  node.Give(0, Mul(scope, Add(scope, both, Adjoint(scope, both)), 0.5));
  return Status();
}

// The gradient by the right hand side is a solution with the adjoint matrix; that by the matrix its
// product with the solution. `solve` is the op.
struct SolveGradients {
  Output matrix, rhs;
};
SolveGradients OfSolution(NodeGradient& node, const char* op, AttrMap attrs) {
  const Scope& scope = node.scope();
  const bool adjoint = BoolAttrOf(node, "adjoint");
  attrs.emplace_back("adjoint", !adjoint);
  SolveGradients found;
  found.rhs = Op(scope, op, {node.input(0), node.grad(0)}, attrs);
  if (!node.wants(0)) return found;
  const Output x = node.output(0);
  found.matrix = Neg(scope, adjoint ? BatchMatMul(scope, x, found.rhs, false, true)
                                    : BatchMatMul(scope, found.rhs, x, false, true));
  return found;
}

Status MatrixSolveGradient(NodeGradient& node) {
  const SolveGradients found = OfSolution(node, "MatrixSolve", {});
  if (node.wants(0)) node.Give(0, found.matrix);
  node.Give(1, found.rhs);
  return Status();
}

// Only one triangle of the matrix counts; the batches may broadcast.
Status TriangularSolveGradient(NodeGradient& node) {
  const bool lower = BoolAttrOf(node, "lower");
  const SolveGradients found = OfSolution(node, "MatrixTriangularSolve", {{"lower", lower}});
  if (node.wants(0)) {
    node.GiveReduced(0, BandPart(node.scope(), found.matrix, lower ? -1 : 0, lower ? 0 : -1));
  }
  node.GiveReduced(1, found.rhs);
  return Status();
}

const GradientEntry kEntries[] = {
    {"MatrixInverse", MatrixInverseGradient},
    {"MatrixDeterminant", MatrixDeterminantGradient},
    {"LogMatrixDeterminant", LogMatrixDeterminantGradient},
    {"Cholesky", CholeskyGradient},
    {"MatrixSolve", MatrixSolveGradient},
    {"MatrixTriangularSolve", TriangularSolveGradient},
};

}  // namespace

Status RegisterLinalgGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
