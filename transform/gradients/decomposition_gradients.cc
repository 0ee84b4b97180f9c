// Gradients of decompositions of matrices: Qr, SelfAdjointEigV2, Svd. Giles (linalg_gradients.cc)
// derives them for square matrices; for others Roberts and Roberts, "QR and LQ decomposition matrix
// backpropagation algorithms" (2020), and Townsend, "Differentiating the singular value
// decomposition" (2016).
//
// An orthonormal basis Q moves by Q S, with S* = -S, and by what lies outside of the space that Q
// spans. What S is the factors tell, which keep their forms; the phases of complex vectors nothing
// tells, and a gradient has a meaning only for what does not hang on them. Vectors of values that
// are equal do not move smoothly: as TensorFlow's, the gradient leaves them out.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// The lower triangle, with half of the diagonal.
Output LowerHalf(const Scope& scope, const Output& x) {
  return Sub(scope, BandPart(scope, x, -1, 0), Mul(scope, BandPart(scope, x, 0, 0), 0.5));
}

// What is known of a side of the matrices that a shape holds; -1 if nothing.
int64_t SideOf(const PartialShape& shape, int from_end) {
  return shape.known_rank() ? shape.dim(shape.rank() - from_end) : PartialShape::kUnknownDim;
}

// Each column times its number of the vector; 1 / x, and 0 of 0.
Output TimesColumns(const Scope& scope, const Output& x, const Output& numbers) {
  return Mul(scope, x, ExpandDims(scope, numbers, -2));
}
Output ReciprocalOrZero(const Scope& scope, const Output& x) {
  return Op(scope, "DivNoNan", {1, x});
}

// 1 / (x[j] - x[i]) in row i, column j; 0 where they are equal.
Output Gaps(const Scope& scope, const Output& x) {
  return ReciprocalOrZero(scope, Sub(scope, ExpandDims(scope, x, -2), ExpandDims(scope, x, -1)));
}

Output Vector(const Scope& scope, const std::vector<int32_t>& numbers) {
  return Const(scope, numbers);
}
Output AtColumn(const Scope& scope, const Output& place) {
  return Concat(scope, {Vector(scope, {0}), place}, 0);
}

// The columns before a place, and those from it on; `place` is a vector of one number.
Output ColumnsBefore(const Scope& scope, const Output& x, const Output& place) {
  return Op(scope, "StridedSlice",
            {x, Vector(scope, {0, 0}), AtColumn(scope, place), Vector(scope, {1, 1})},
            {{"begin_mask", 2}, {"ellipsis_mask", 1}});
}
Output ColumnsFrom(const Scope& scope, const Output& x, const Output& place) {
  return Op(scope, "StridedSlice",
            {x, AtColumn(scope, place), Vector(scope, {0, 0}), Vector(scope, {1, 1})},
            {{"end_mask", 2}, {"ellipsis_mask", 1}});
}

// Element `from_end` of a vector, counted from its end, as a vector.
Output ElementOf(const Scope& scope, const Output& vector, int32_t from_end) {
  return Op(scope, "StridedSlice",
            {vector, Vector(scope, {-from_end}), Vector(scope, {1 - from_end}), Vector(scope, {1})},
            {{"end_mask", from_end == 1 ? 1 : 0}});
}

// ---- Qr ----

// Of a = q r with square r. With c = q* da inverse(r), dr inverse(r) is what is upper of c, and the
// basis turns by what is lower.
Output TallQrGradient(const Scope& scope, const OutputList& of) {
  const Output &q = of[0], &r = of[1], &dq = of[2], &dr = of[3];
  const Output along = BatchMatMul(scope, q, dq, true, false);
  const Output turn = Sub(scope, along, BatchMatMul(scope, dr, r, false, true));
  const Output lower = LowerHalf(scope, Sub(scope, turn, Adjoint(scope, turn)));
  const Output rest = Add(scope, BatchMatMul(scope, q, Sub(scope, lower, along)), dq);
  const Output solved =
      Op(scope, "MatrixTriangularSolve", {r, Adjoint(scope, rest)}, {{"lower", false}});
  return Add(scope, BatchMatMul(scope, q, dr), Adjoint(scope, solved));
}

// Of [x, y] = q [r, s] with square r: y = q s, so what s hangs on is q and y.
Output WideQrGradient(const Scope& scope, const OutputList& of, const Output& place) {
  const Output &q = of[0], &dq = of[2];
  const Output s = ColumnsFrom(scope, of[1], place), ds = ColumnsFrom(scope, of[3], place);
  const Output along = BatchMatMul(scope, q, BatchMatMul(scope, s, ds, false, true));
  const Output dx =
      TallQrGradient(scope, {q, ColumnsBefore(scope, of[1], place), Add(scope, dq, along),
                             ColumnsBefore(scope, of[3], place)});
  return Concat(scope, {dx, BatchMatMul(scope, q, ds)}, -1);
}

// How the columns of q turn that make a tall one square, the matrix does not tell.
Status QrGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const int64_t rows = SideOf(node.input_shape(0), 2), columns = SideOf(node.input_shape(0), 1);
  const bool are_known = rows >= 0 && columns >= 0;
  if (BoolAttrOf(node, "full_matrices") && !(are_known && rows <= columns)) {
    return Unimplemented(
        "there is no derivative of Qr with full_matrices of matrices that have, or may have, more "
        "rows than columns");
  }
  const OutputList of = {node.output(0), node.output(1), node.grad(0), node.grad(1)};
  const bool is_tall = are_known && rows >= columns;
  const Output place = is_tall ? Output() : ElementOf(scope, node.shape_of_output(1), 2);
  node.Give(0, InWideFloats(scope, of, [&](const OutputList& wide) {
              return is_tall ? TallQrGradient(scope, wide) : WideQrGradient(scope, wide, place);
            }));
  return Status();
}

// ---- SelfAdjointEigV2 ----

// de = the diagonal of c = v* da v; dv = v (c / gaps). Only the lower triangle is read, which says
// the upper one as well.
Status SelfAdjointEigGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output v = BoolAttrOf(node, "compute_v")
                       ? node.output(1)
                       : Op(scope, "SelfAdjointEigV2", {node.input(0)}, {{"compute_v", true}})[1];
  Output inner;
  if (node.has_grad(0)) inner = Op(scope, "MatrixDiag", {node.grad(0)});
  if (node.has_grad(1) && BoolAttrOf(node, "compute_v")) {
    const Output along = BatchMatMul(scope, v, node.grad(1), true, false);
    const Output turn = Mul(scope, Gaps(scope, node.output(0)), along);
    inner = inner.valid() ? Add(scope, inner, turn) : turn;
  }
  if (!inner.valid()) return Status();
  const Output whole = BatchMatMul(scope, v, BatchMatMul(scope, inner, v, false, true));
  node.Give(0, LowerHalf(scope, Add(scope, whole, Adjoint(scope, whole))));
  return Status();
}

// ---- Svd ----

// The vectors of one side of a = u s v*, as many as there are values; the gradient by them, if any;
// and of those that make u or v square, if there are such.
struct SingularVectors {
  Output vectors, gradient;
  Output further, further_gradient;
  bool span_all = false;  // so that nothing lies outside

  bool count() const { return gradient.valid(); }
};

// The gradient by the part of the vectors' change that lies outside of what they span.
Output Outside(const Scope& scope, const SingularVectors& of) {
  const Output along = BatchMatMul(scope, of.vectors, of.gradient, true, false);
  const Output outside = Sub(scope, of.gradient, BatchMatMul(scope, of.vectors, along));
  if (!of.further.valid()) return outside;
  const Output turn = BatchMatMul(scope, of.further_gradient, of.vectors, true, false);
  return Sub(scope, outside, BatchMatMul(scope, of.further, turn));
}

// The gradient by the turn of the vectors, both ways: what lies across the gap of squares.
Output Turn(const Scope& scope, const SingularVectors& of, const Output& gaps) {
  const Output along = BatchMatMul(scope, of.vectors, of.gradient, true, false);
  const Output turn = Mul(scope, gaps, along);
  return Add(scope, turn, Adjoint(scope, turn));
}

// Vectors of one phase may share another: that of u is taken to stay.
Output Phases(const Scope& scope, const SingularVectors& v, const Output& inverse) {
  const Output along = BatchMatMul(scope, v.vectors, v.gradient, true, false);
  const Output diagonal = Op(scope, "MatrixDiagPart", {along});
  const Output turn = Sub(scope, Conjugate(scope, diagonal), diagonal);
  return Op(scope, "MatrixDiag", {Mul(scope, Mul(scope, turn, inverse), 0.5)});
}

// Of p = u* da v: ds is the real part of its diagonal; u and v turn by p s and its like over the
// gaps of s*s, and move outward by da v / s and its like.
Output SvdRule(const Scope& scope, const Output& s, const Output& ds, const SingularVectors& u,
               const SingularVectors& v) {
  Output inner, outer, across;
  const auto add = [&](Output& sum, const Output& term) {
    sum = sum.valid() ? Add(scope, sum, term) : term;
  };
  const Output gaps = Gaps(scope, Square(scope, s));
  const Output inverse = ReciprocalOrZero(scope, s);
  if (ds.valid()) add(inner, Op(scope, "MatrixDiag", {RealPart(scope, ds)}));
  if (u.count()) add(inner, TimesColumns(scope, Turn(scope, u, gaps), s));
  if (v.count()) {
    add(inner, Mul(scope, ExpandDims(scope, s, -1), Turn(scope, v, gaps)));
    if (IsComplex(s.dtype())) add(inner, Phases(scope, v, inverse));
  }
  outer = BatchMatMul(scope, u.vectors, inner);
  if (u.count() && !u.span_all) {
    add(outer, TimesColumns(scope, Outside(scope, u), inverse));
  }
  Output whole = BatchMatMul(scope, outer, v.vectors, false, true);
  if (v.count() && !v.span_all) {
    across =
        BatchMatMul(scope, TimesColumns(scope, u.vectors, inverse), Outside(scope, v), false, true);
    whole = Add(scope, whole, across);
  }
  return whole;
}

// The vectors of output `port`, 1 or 2; `place` is where those begin that make it square, if it is.
SingularVectors VectorsOf(NodeGradient& node, size_t port, const Output& place, bool span_all) {
  const Scope& scope = node.scope();
  SingularVectors of;
  of.span_all = span_all;
  of.vectors = node.output(port);
  if (node.has_grad(port)) of.gradient = node.grad(port);
  if (!place.valid()) return of;
  if (of.count() && !span_all) {
    of.further = ColumnsFrom(scope, of.vectors, place);
    of.further_gradient = ColumnsFrom(scope, of.gradient, place);
  }
  of.vectors = ColumnsBefore(scope, of.vectors, place);
  if (of.count()) of.gradient = ColumnsBefore(scope, of.gradient, place);
  return of;
}

// Of several vectors that make a matrix square nobody knows how they turn among themselves.
Status SvdGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const int64_t rows = SideOf(node.input_shape(0), 2), columns = SideOf(node.input_shape(0), 1);
  const bool are_known = rows >= 0 && columns >= 0;
  const bool vectors = BoolAttrOf(node, "compute_uv"), full = BoolAttrOf(node, "full_matrices");
  const bool vectors_count = vectors && (node.has_grad(1) || node.has_grad(2));
  if (full && vectors_count && !(are_known && std::abs(rows - columns) <= 1)) {
    return Unimplemented(
        "there is no derivative of Svd with full_matrices by the vectors of matrices whose sides "
        "differ, or may differ, by more than 1");
  }
  Output ds;
  if (node.has_grad(0)) ds = node.grad(0);
  if (!vectors) {
    if (!ds.valid()) return Status();
    const Operation svd = Op(scope, "Svd", {node.input(0)}, {{"compute_uv", true}});
    node.Give(0, SvdRule(scope, svd[0], ds, {svd[1], {}, {}, {}}, {svd[2], {}, {}, {}}));
    return Status();
  }
  if (!ds.valid() && !vectors_count) return Status();
  const Output place = full ? ElementOf(scope, node.shape_of_output(0), 1) : Output();
  const SingularVectors u = VectorsOf(node, 1, place, are_known && rows <= columns);
  const SingularVectors v = VectorsOf(node, 2, place, are_known && columns <= rows);
  node.Give(0, SvdRule(scope, node.output(0), ds, u, v));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Qr", QrGradient},
    {"SelfAdjointEigV2", SelfAdjointEigGradient},
    {"Svd", SvdGradient},
};

}  // namespace

Status RegisterDecompositionGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
