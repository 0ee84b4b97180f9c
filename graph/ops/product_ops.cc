// Sums of products that an equation spells, and what is made of matrices: inverses, solutions,
// decompositions.

#include <algorithm>
#include <map>
#include <utility>

#include "graph/ops/einsum_equation.h"
#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// What is known of the dimension of each label.
class LabelDims {
 public:
  // Dimensions of one label must be equal; those of "..." broadcast.
  Status Add(const EinsumLabels& labels, const PartialShape& shape) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t dim = shape.dim(static_cast<int>(i));
      int64_t& known = dims_.try_emplace(labels[i], labels[i] < 0 ? 1 : kUnknown).first->second;
      if (labels[i] >= 0) {
        TAGFLOW_ASSIGN_OR_RETURN(known, shapes::MergeDims(known, dim));
        continue;
      }
      TAGFLOW_ASSIGN_OR_RETURN(const PartialShape both,
                               BroadcastShapes(PartialShape(Dims{known}), PartialShape(Dims{dim})));
      known = both.dim(0);
    }
    return Status();
  }
  PartialShape Shape(const EinsumLabels& labels) const {
    Dims dims;
    for (const int label : labels) dims.push_back(dims_.at(label));
    return PartialShape(std::move(dims));
  }

 private:
  std::map<int, int64_t> dims_;
};

Status EinsumShape(ShapeContext& context) {
  const auto count = static_cast<size_t>(context.num_inputs());
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(context.node(), "equation"));
  TAGFLOW_ASSIGN_OR_RETURN(const EinsumEquation equation, EinsumEquation::Parse(text, count));
  LabelDims dims;
  int ellipsis_rank = 0;
  bool known = true;
  for (size_t i = 0; i < count; ++i) {
    const PartialShape& shape = context.input(static_cast<int>(i));
    known = known && shape.known_rank();
    if (!shape.known_rank()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(const EinsumLabels labels, equation.InputLabels(i, shape.rank()));
    TAGFLOW_RETURN_IF_ERROR(dims.Add(labels, shape));
    ellipsis_rank = std::max(ellipsis_rank, equation.EllipsisRank(i, shape.rank()));
  }
  if (!known) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const EinsumLabels output, equation.OutputLabels(ellipsis_rank));
  context.set_output(0, dims.Shape(output));
  return Status();
}

// The shape of a batch of square matrices.
Result<PartialShape> Squares(const ShapeContext& context) {
  const PartialShape& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  if (!input.known_rank()) return input;
  const int rank = input.rank();
  const Result<int64_t> side = shapes::MergeDims(input.dim(rank - 2), input.dim(rank - 1));
  if (!side.ok()) {
    return InvalidArgument("input '" + shapes::InputName(context, 0) +
                           "' must hold square matrices, but has shape " + input.ToString());
  }
  return shapes::Concatenated(shapes::Subshape(input, 0, rank - 2),
                              PartialShape(Dims{*side, *side}));
}

Status SquareShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape squares, Squares(context));
  context.set_output(0, std::move(squares));
  return Status();
}

// A number for each matrix.
Status DeterminantShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape squares, Squares(context));
  if (!squares.known_rank()) return Status();
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, shapes::Subshape(squares, 0, squares.rank() - 2));
  }
  return Status();
}

// matrix [..., m, m] and rhs [..., m, k] -> [..., m, k]; the batches are equal or broadcast.
Status SolveShape(ShapeContext& context, bool broadcasts) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape matrix, Squares(context));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 2));
  const PartialShape& rhs = context.input(1);
  if (!matrix.known_rank() || !rhs.known_rank()) return Status();
  const int rank = rhs.rank();
  const PartialShape batch = shapes::Subshape(matrix, 0, matrix.rank() - 2);
  const PartialShape rhs_batch = shapes::Subshape(rhs, 0, rank - 2);
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape outer, broadcasts ? BroadcastShapes(batch, rhs_batch)
                                                                : MergeShapes(batch, rhs_batch));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t side,
                           shapes::MergeDims(matrix.dim(matrix.rank() - 1), rhs.dim(rank - 2)));
  context.set_output(0, shapes::Concatenated(outer, PartialShape(Dims{side, rhs.dim(rank - 1)})));
  return Status();
}
Status MatrixSolveShape(ShapeContext& context) { return SolveShape(context, false); }
Status TriangularSolveShape(ShapeContext& context) { return SolveShape(context, true); }

// What is known of matrices that need not be square.
struct MatrixShape {
  PartialShape batch;
  int64_t rows = kUnknown;
  int64_t columns = kUnknown;
  int64_t shorter = kUnknown;  // the lesser of the two

  bool known_rank() const { return batch.known_rank(); }
  PartialShape Of(int64_t a) const { return shapes::Concatenated(batch, PartialShape(Dims{a})); }
  PartialShape Of(int64_t a, int64_t b) const {
    return shapes::Concatenated(batch, PartialShape(Dims{a, b}));
  }
};

Result<MatrixShape> Matrices(const ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  const PartialShape& input = context.input(0);
  MatrixShape shape;
  if (!input.known_rank()) return shape;
  const int rank = input.rank();
  shape.batch = shapes::Subshape(input, 0, rank - 2);
  shape.rows = input.dim(rank - 2);
  shape.columns = input.dim(rank - 1);
  const bool has_none = shape.rows == 0 || shape.columns == 0;
  if (has_none || (shape.rows != kUnknown && shape.columns != kUnknown)) {
    shape.shorter = has_none ? 0 : std::min(shape.rows, shape.columns);
  }
  return shape;
}

// [..., m, n] -> q [..., m, p], r [..., p, n], where p is m if they are full, else the shorter
// side.
Status QrShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const MatrixShape input, Matrices(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(context.node(), "full_matrices"));
  if (!input.known_rank()) return Status();
  const int64_t inner = full ? input.rows : input.shorter;
  context.set_output(0, input.Of(input.rows, inner));
  context.set_output(1, input.Of(inner, input.columns));
  return Status();
}

// Vectors that nobody asks for are an empty tensor.
void LeaveOut(ShapeContext& context, int first) {
  for (int i = first; i < context.num_outputs(); ++i) context.set_output(i, PartialShape(Dims{0}));
}

// [..., m, n] -> s [..., p], u [..., m, p], v [..., n, p], where p is the shorter side; u and v are
// square if they are full.
Status SvdShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const MatrixShape input, Matrices(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(context.node(), "full_matrices"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool vectors, BoolAttr(context.node(), "compute_uv"));
  if (!vectors) LeaveOut(context, 1);
  if (!input.known_rank()) return Status();
  context.set_output(0, input.Of(input.shorter));
  if (!vectors) return Status();
  context.set_output(1, input.Of(input.rows, full ? input.rows : input.shorter));
  context.set_output(2, input.Of(input.columns, full ? input.columns : input.shorter));
  return Status();
}

// [..., n, n] -> e [..., n], v [..., n, n].
Status SelfAdjointEigShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape squares, Squares(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool vectors, BoolAttr(context.node(), "compute_v"));
  if (vectors) {
    context.set_output(1, squares);
  } else {
    LeaveOut(context, 1);
  }
  if (!squares.known_rank()) return Status();
  context.set_output(0, shapes::Subshape(squares, 0, squares.rank() - 1));
  return Status();
}

constexpr char kTypes[] = "T: {double, float, half, complex64, complex128}";

std::vector<OpDefBuilder> OpsOfOneMatrix() {
  return {
      OpDefBuilder("MatrixInverse")
          .Input("input: T", ArgRole::kMatrices)
          .Output("output: T")
          .Attr("adjoint: bool = false")
          .Attr(kTypes)
          .Summary("The inverses of square matrices, or of their adjoints.")
          .Shape(SquareShape),
      OpDefBuilder("MatrixDeterminant")
          .Input("input: T", ArgRole::kMatrices)
          .Output("output: T")
          .Attr(kTypes)
          .Summary("The determinants of square matrices.")
          .Shape(DeterminantShape),
      OpDefBuilder("LogMatrixDeterminant")
          .Input("input: T", ArgRole::kMatrices)
          .Output("sign: T")
          .Output("log_abs_determinant: T")
          .Attr(kTypes)
          .Summary("The determinants of square matrices as a sign and the logarithm of a size.")
          .Shape(DeterminantShape),
      OpDefBuilder("Cholesky")
          .Input("input: T", ArgRole::kMatrices)
          .Output("output: T")
          .Attr(kTypes)
          .Summary(
              "Lower triangular L with L times its adjoint the matrix, a positive definite one.")
          .Shape(SquareShape),
  };
}

// A sum of squares may be too large for a number, and what is left of a difference is as far off as
// its terms are large.
std::vector<OpDefBuilder> Decompositions() {
  return {
      OpDefBuilder("Qr")
          .Input("input: T", ArgRole::kMatrices)
          .Output("q: T", ArgRole::kBasis)
          .Output("r: T", ArgRole::kBasis)
          .Attr("full_matrices: bool = false")
          .Attr(kTypes)
          .Rounds(Rounding::kOfRemainders)
          .Summary(
              "q with orthonormal columns and upper triangular r, whose product the matrix is.")
          .Shape(QrShape),
      OpDefBuilder("SelfAdjointEigV2")
          .Input("input: T", ArgRole::kMatrices)
          .Output("e: T")
          .Output("v: T", ArgRole::kBasis)
          .Attr("compute_v: bool = true")
          .Attr(kTypes)
          .Rounds(Rounding::kOfRemainders)
          .Summary("The ascending eigenvalues of self-adjoint matrices, and vectors in columns.")
          .Shape(SelfAdjointEigShape),
      OpDefBuilder("Svd")
          .Input("input: T", ArgRole::kMatrices)
          .Output("s: T")
          .Output("u: T", ArgRole::kBasis)
          .Output("v: T", ArgRole::kBasis)
          .Attr("compute_uv: bool = true")
          .Attr("full_matrices: bool = false")
          .Attr(kTypes)
          .Rounds(Rounding::kOfRemainders)
          .Summary("The descending singular values of matrices, and their vectors in columns.")
          .Shape(SvdShape),
  };
}

std::vector<OpDefBuilder> OpsOfTwo() {
  return {
      OpDefBuilder("Einsum")
          .Input("inputs: N * T")
          .Output("output: T")
          .Attr("equation: string")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Summary("The sums of products that an equation like 'ij,jk->ik' spells.")
          .Shape(EinsumShape),
      OpDefBuilder("MatrixSolve")
          .Input("matrix: T", ArgRole::kMatrices)
          .Input("rhs: T", ArgRole::kMatrices)
          .Output("output: T")
          .Attr("adjoint: bool = false")
          .Attr(kTypes)
          .Summary("The x with matrix x = rhs.")
          .Shape(MatrixSolveShape),
      OpDefBuilder("MatrixTriangularSolve")
          .Input("matrix: T", ArgRole::kMatrices)
          .Input("rhs: T", ArgRole::kMatrices)
          .Output("output: T")
          .Attr("lower: bool = true")
          .Attr("adjoint: bool = false")
          .Attr("T: {bfloat16, double, float, half, complex64, complex128}")
          .Summary("The x with matrix x = rhs, where one triangle of the matrix counts as zero.")
          .Shape(TriangularSolveShape),
  };
}

}  // namespace

Status RegisterProductOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, OpsOfOneMatrix()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Decompositions()));
  return RegisterAll(registry, OpsOfTwo());
}

}  // namespace tagflow
