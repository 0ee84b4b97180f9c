// Ops on the diagonals of matrices. Diagonal d of a matrix is where column - row = d; the ops of
// the second and third generation take several of them, k = [lowest, highest], as rows of a matrix
// from the highest down, each shorter one aligned to a side.

#include <algorithm>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

using shapes::AddDims;
using shapes::Concatenated;
using shapes::ConstantInt;
using shapes::ConstantInts;
using shapes::RequireRank;
using shapes::RequireRankAtLeast;
using shapes::Subshape;

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

struct Band {
  int64_t lowest = 0;
  int64_t highest = 0;
  int64_t count() const { return highest - lowest + 1; }
};

// The diagonals that input i names, where it is constant.
Result<std::optional<Band>> BandOf(const ShapeContext& context, int i) {
  const PartialShape& shape = context.input(i);
  if (shape.known_rank() && shape.rank() > 1) {
    return InvalidArgument("k must be a scalar or a vector, not of shape " + shape.ToString());
  }
  const std::optional<Dims> values = ConstantInts(context, i);
  if (!values.has_value()) return std::optional<Band>();
  if (values->empty() || values->size() > 2) {
    return InvalidArgument("k needs one or two elements, not " + std::to_string(values->size()));
  }
  const Band band{values->front(), values->back()};
  if (band.lowest > band.highest) {
    return InvalidArgument("the lowest diagonal " + std::to_string(band.lowest) +
                           " is above the highest, " + std::to_string(band.highest));
  }
  return std::optional<Band>(band);
}

// The length of the longest diagonal of `band` in a matrix; rows and cols are known.
Result<int64_t> LongestIn(const Band& band, int64_t rows, int64_t cols) {
  for (const int64_t d : {band.lowest, band.highest}) {
    if (d == 0 || (-rows < d && d < cols)) continue;
    return InvalidArgument("a matrix of " + std::to_string(rows) + " rows and " +
                           std::to_string(cols) + " columns has no diagonal " + std::to_string(d));
  }
  return std::min(rows + std::min<int64_t>(band.highest, 0),
                  cols - std::max<int64_t>(band.lowest, 0));
}

PartialShape WithLast(const PartialShape& shape, int drop, const Dims& last) {
  return Concatenated(Subshape(shape, 0, shape.rank() - drop), PartialShape(last));
}

Status MatrixDiagShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
  const PartialShape& diagonal = context.input(0);
  if (!diagonal.known_rank()) return Status();
  const int64_t size = diagonal.dim(diagonal.rank() - 1);
  context.set_output(0, WithLast(diagonal, 1, {size, size}));
  return Status();
}

// One of the two sizes of a matrix: as input i has it, which may be -1 or not known yet.
struct WantedSize {
  bool known = false;
  int64_t size = kUnknown;
};
WantedSize SizeFrom(const ShapeContext& context, int i) {
  const std::optional<int64_t> size = ConstantInt(context, i);
  return {size.has_value(), size.value_or(kUnknown)};
}

// The rows and columns of a matrix whose diagonals `band` are `length` long; sizes are known.
Result<Dims> MatrixAround(const Band& band, int64_t length, int64_t rows, int64_t cols) {
  const int64_t rows_min = AddDims(length, -std::min<int64_t>(band.highest, 0));
  const int64_t cols_min = AddDims(length, std::max<int64_t>(band.lowest, 0));
  if (rows_min == kUnknown || cols_min == kUnknown) return Dims{kUnknown, kUnknown};
  if ((rows != kUnknown && rows < rows_min) || (cols != kUnknown && cols < cols_min)) {
    return InvalidArgument("the diagonals need at least " + std::to_string(rows_min) +
                           " rows and " + std::to_string(cols_min) + " columns");
  }
  if (rows == kUnknown && cols == kUnknown) rows = cols = std::max(rows_min, cols_min);
  if (rows == kUnknown) rows = rows_min;
  if (cols == kUnknown) cols = cols_min;
  if (rows != rows_min && cols != cols_min) {
    return InvalidArgument("the diagonals do not reach an edge of " + std::to_string(rows) +
                           " rows and " + std::to_string(cols) + " columns");
  }
  return Dims{rows, cols};
}

Status MatrixDiagV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
  for (int i = 2; i < 5; ++i) TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const std::optional<Band> band, BandOf(context, 1));
  const PartialShape& diagonal = context.input(0);
  if (!band.has_value() || !diagonal.known_rank()) return Status();
  const int drop = band->count() == 1 ? 1 : 2;
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, drop));
  if (drop == 2 && !shapes::MergeDims(diagonal.dim(diagonal.rank() - 2), band->count()).ok()) {
    return InvalidArgument("k names " + std::to_string(band->count()) +
                           " diagonals, which are not in the shape " + diagonal.ToString());
  }
  const int64_t length = diagonal.dim(diagonal.rank() - 1);
  const WantedSize rows = SizeFrom(context, 2);
  const WantedSize cols = SizeFrom(context, 3);
  Dims sizes{kUnknown, kUnknown};
  if (length != kUnknown && rows.known && cols.known) {
    TAGFLOW_ASSIGN_OR_RETURN(sizes, MatrixAround(*band, length, rows.size, cols.size));
  } else {
    sizes = {std::max(rows.size, kUnknown), std::max(cols.size, kUnknown)};
  }
  context.set_output(0, WithLast(diagonal, drop, sizes));
  return Status();
}

Status MatrixDiagPartShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 2));
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  const int64_t rows = input.dim(input.rank() - 2);
  const int64_t cols = input.dim(input.rank() - 1);
  const bool known = rows != kUnknown && cols != kUnknown;
  context.set_output(0, WithLast(input, 2, {known ? std::min(rows, cols) : kUnknown}));
  return Status();
}

// batch + the shape of the diagonals `band` of matrices of `input`, whose rank is known.
Result<PartialShape> DiagonalsOf(const PartialShape& input, const Band& band) {
  const int64_t rows = input.dim(input.rank() - 2);
  const int64_t cols = input.dim(input.rank() - 1);
  int64_t length = kUnknown;
  if (rows != kUnknown && cols != kUnknown) {
    TAGFLOW_ASSIGN_OR_RETURN(length, LongestIn(band, rows, cols));
  }
  return WithLast(input, 2, band.count() == 1 ? Dims{length} : Dims{band.count(), length});
}

Status MatrixDiagPartV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 2, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const std::optional<Band> band, BandOf(context, 1));
  if (!band.has_value() || !context.input(0).known_rank()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape diagonals, DiagonalsOf(context.input(0), *band));
  context.set_output(0, std::move(diagonals));
  return Status();
}

Status MatrixSetDiagWith(ShapeContext& context, const std::optional<Band>& band) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 1, 1));
  if (band.has_value() && context.input(0).known_rank()) {
    TAGFLOW_ASSIGN_OR_RETURN(const PartialShape wanted, DiagonalsOf(context.input(0), *band));
    TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), wanted).status());
  }
  return shapes::Unchanged(context);
}

Status MatrixSetDiagShape(ShapeContext& context) { return MatrixSetDiagWith(context, Band()); }
Status MatrixSetDiagV2Shape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::optional<Band> band, BandOf(context, 2));
  return MatrixSetDiagWith(context, band);
}

Status MatrixBandPartShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 2));
  for (int i = 1; i < 3; ++i) TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 0));
  return shapes::Unchanged(context);
}

Status DiagShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
  context.set_output(0, Concatenated(context.input(0), context.input(0)));
  return Status();
}

Status DiagPartShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  const int half = input.rank() / 2;
  if (input.rank() == 0 || input.rank() % 2 != 0) {
    return InvalidArgument("the rank must be even and not 0, but the shape is " + input.ToString());
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape part,
                           MergeShapes(Subshape(input, 0, half), Subshape(input, half, 2 * half)));
  context.set_output(0, std::move(part));
  return Status();
}

constexpr char kAlign[] =
    "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'";

OpDefBuilder MatrixDiagOp(const char* name) {
  return OpDefBuilder(name)
      .Input("diagonal: T")
      .Input("k: int32", ArgRole::kBand)
      .Input("num_rows: int32", ArgRole::kCountOrAny)
      .Input("num_cols: int32", ArgRole::kCountOrAny)
      .Input("padding_value: T", ArgRole::kScalar)
      .Output("output: T")
      .Attr("T: type")
      .Summary("Matrices with the given diagonals, and a padding elsewhere.")
      .Shape(MatrixDiagV2Shape);
}

OpDefBuilder MatrixDiagPartOp(const char* name) {
  return OpDefBuilder(name)
      .Input("input: T", ArgRole::kMatrices)
      .Input("k: int32", ArgRole::kBand)
      .Input("padding_value: T", ArgRole::kScalar)
      .Output("diagonal: T")
      .Attr("T: type")
      .Summary("Diagonals of matrices, the shorter ones padded.")
      .Shape(MatrixDiagPartV2Shape);
}

OpDefBuilder MatrixSetDiagOp(const char* name) {
  return OpDefBuilder(name)
      .Input("input: T", ArgRole::kMatrices)
      .Input("diagonal: T", ArgRole::kDiagonals)
      .Input("k: int32", ArgRole::kBand)
      .Output("output: T")
      .Attr("T: type")
      .Summary("Matrices with the given diagonals in the place of theirs.")
      .Shape(MatrixSetDiagV2Shape);
}

std::vector<OpDefBuilder> BandOps() {
  return {MatrixDiagOp("MatrixDiagV2"),         MatrixDiagOp("MatrixDiagV3").Attr(kAlign),
          MatrixDiagPartOp("MatrixDiagPartV2"), MatrixDiagPartOp("MatrixDiagPartV3").Attr(kAlign),
          MatrixSetDiagOp("MatrixSetDiagV2"),   MatrixSetDiagOp("MatrixSetDiagV3").Attr(kAlign)};
}

// Of the main diagonal, and what cuts matrices to a band.
std::vector<OpDefBuilder> MainOps() {
  return {
      OpDefBuilder("MatrixBandPart")
          .Input("input: T", ArgRole::kMatrices)
          .Input("num_lower: Tindex", ArgRole::kCount)
          .Input("num_upper: Tindex", ArgRole::kCount)
          .Output("band: T")
          .Attr("T: type")
          .Attr("Tindex: {int32, int64} = DT_INT64")
          .Summary("Matrices with zeros outside of a band around the main diagonal.")
          .Shape(MatrixBandPartShape),
      OpDefBuilder("MatrixDiag")
          .Input("diagonal: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("Square matrices with the given main diagonals, and zeros elsewhere.")
          .Shape(MatrixDiagShape),
      OpDefBuilder("MatrixDiagPart")
          .Input("input: T", ArgRole::kMatrices)
          .Output("diagonal: T")
          .Attr("T: type")
          .Summary("The main diagonals of matrices.")
          .Shape(MatrixDiagPartShape),
      OpDefBuilder("MatrixSetDiag")
          .Input("input: T", ArgRole::kMatrices)
          .Input("diagonal: T", ArgRole::kDiagonals)
          .Output("output: T")
          .Attr("T: type")
          .Summary("Matrices with the given main diagonals in the place of theirs.")
          .Shape(MatrixSetDiagShape),
      OpDefBuilder("Diag")
          .Input("diagonal: T")
          .Output("output: T")
          .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
          .Summary("A tensor of twice the rank with the given elements where its halves agree.")
          .Shape(DiagShape),
      OpDefBuilder("DiagPart")
          .Input("input: T")
          .Output("diagonal: T")
          .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
          .Summary("The elements where the first half of the coordinates is the second.")
          .Shape(DiagPartShape),
  };
}

}  // namespace

Status RegisterDiagonalOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, MainOps()));
  return RegisterAll(registry, BandOps());
}

}  // namespace tagflow
