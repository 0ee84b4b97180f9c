// Ops on the diagonals of matrices: MatrixDiag…, MatrixDiagPart…, MatrixSetDiag…, MatrixBandPart,
// Diag, DiagPart.
//
// Diagonal d of a matrix is where column - row = d. A tensor of several diagonals has a row for
// each, from the highest d down, as long as the longest of them; a shorter one is aligned to the
// left or to the right, and what it leaves of its row is padding. For the diagonals 1, 0, -1 of
//
//     1 2 3          2 6 .   aligned to the left
//     4 5 6   are    1 5 9
//     7 8 9          4 8 .   aligned to the left; ". 4 8" to the right
//
// A tensor of one diagonal has no dimension for the rows.

#include <algorithm>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kMatrixElements = kNumbers | DTypeSet{DType::kBool};

struct Band {
  int64_t lowest = 0;
  int64_t highest = 0;
  int64_t count() const { return highest - lowest + 1; }
};

//   k: one or two int32, lowest and highest diagonal
Result<Band> ReadBand(const Tensor& k) {
  if (k.rank() > 1 || k.num_elements() < 1 || k.num_elements() > 2) {
    return InvalidArgument("diag_index must be a scalar or a vector of one or two elements, not " +
                           DimsString(k.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IndexValues(k));
  const Band band{values.front(), values.back()};
  if (band.lowest <= band.highest) return band;
  return InvalidArgument("lower_diag_index must not be larger than upper_diag_index: " +
                         std::to_string(band.lowest) + " > " + std::to_string(band.highest));
}

// Which diagonals begin at the left of their row. Diagonal 0 fills its row if another is there.
struct Alignment {
  bool above_left = true;  // those above the main diagonal
  bool below_left = true;
};

// Attr align, "RIGHT_LEFT" and the like: above, then below. Ops of old do without, to the left.
Result<Alignment> ReadAlignment(const Node& node) {
  if (!node.op.ends_with("V3")) return Alignment();
  TAGFLOW_ASSIGN_OR_RETURN(const std::string align, StringAttr(node, "align"));
  return Alignment{align.starts_with("LEFT"), align.ends_with("LEFT")};
}

// Where the elements of some diagonals of one matrix are.
struct Layout {
  Band band;
  Alignment alignment;
  int64_t rows = 0;
  int64_t cols = 0;

  int64_t LengthOf(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0), cols - std::max<int64_t>(d, 0));
  }
  int64_t LengthMax() const {
    return std::min(rows + std::min<int64_t>(band.highest, 0),
                    cols - std::max<int64_t>(band.lowest, 0));
  }
  // How many elements of padding come before those of diagonal d.
  int64_t OffsetOf(int64_t d) const {
    const bool left = (d >= 0 && alignment.above_left) || (d <= 0 && alignment.below_left);
    return left ? 0 : LengthMax() - LengthOf(d);
  }
  // Number of the element, among those of the diagonals, that is at (row, col) in the matrix.
  int64_t InDiagonals(int64_t row, int64_t col) const {
    const int64_t d = col - row;
    if (d < band.lowest || d > band.highest) return kOtherwise;
    return (band.highest - d) * LengthMax() + OffsetOf(d) + std::min(row, col);
  }
  // Number of the element of the matrix that is the i-th in row j of the diagonals.
  int64_t InMatrix(int64_t j, int64_t i) const {
    const int64_t d = band.highest - j;
    const int64_t along = i - OffsetOf(d);
    if (along < 0 || along >= LengthOf(d)) return kOtherwise;
    return (along + std::max<int64_t>(-d, 0)) * cols + along + std::max<int64_t>(d, 0);
  }
};

// `dims` without its last `drop`, and then `last`.
Dims WithLast(DimsView dims, size_t drop, const Dims& last) {
  Dims result(dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(drop));
  result.insert(result.end(), last.begin(), last.end());
  return result;
}

// Number of the matrix, or of the set of diagonals, that coordinates begin with.
int64_t BatchOf(const Dims& at, DimsView dims, size_t batch_dims) {
  int64_t batch = 0;
  for (size_t d = 0; d < batch_dims; ++d) batch = batch * dims[d] + at[d];
  return batch;
}

Status RequireMatrix(const Tensor& input) {
  if (input.rank() >= 2) return Status();
  return InvalidArgument("input must be at least 2-dim, received shape: " +
                         DimsString(input.dims()));
}

// ---- Diagonals to matrices ----

// Rows and columns of the smallest matrices, or of those that are asked for (-1: not asked).
Status SetMatrixSize(Layout& layout, int64_t length, int64_t rows, int64_t cols) {
  int64_t rows_min = 0;
  int64_t cols_min = 0;
  if (__builtin_sub_overflow(length, std::min<int64_t>(layout.band.highest, 0), &rows_min) ||
      __builtin_add_overflow(length, std::max<int64_t>(layout.band.lowest, 0), &cols_min)) {
    return InvalidArgument("the size of the matrices overflows int64");
  }
  if ((rows != -1 && rows < rows_min) || (cols != -1 && cols < cols_min)) {
    return InvalidArgument("The number of rows or columns is too small: the diagonals need " +
                           std::to_string(rows_min) + " and " + std::to_string(cols_min));
  }
  const int64_t square = std::max(rows_min, cols_min);
  layout.rows = rows != -1 ? rows : cols == -1 ? square : rows_min;
  layout.cols = cols != -1 ? cols : rows == -1 ? square : cols_min;
  if (layout.rows == rows_min || layout.cols == cols_min) return Status();
  return InvalidArgument(
      "The number of rows or columns is not consistent with the specified diagonals: they reach "
      "no edge of " +
      std::to_string(layout.rows) + " rows and " + std::to_string(layout.cols) + " columns");
}

//   diagonal: [batch…, count, length], or [batch…, length] of one; output: [batch…, rows, cols]
Status MakeMatrices(KernelContext& context, Band band, int64_t rows, int64_t cols,
                    const Tensor& padding) {
  const Tensor& diagonal = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, diagonal.dtype(), kMatrixElements));
  const size_t own_dims = band.count() == 1 ? 1 : 2;
  const size_t rank = diagonal.dims().size();
  if (rank < own_dims) {
    return InvalidArgument("diagonal must be at least " + std::to_string(own_dims) +
                           "-dim, received shape: " + DimsString(diagonal.dims()));
  }
  if (own_dims == 2 && diagonal.dims()[rank - 2] != band.count()) {
    return InvalidArgument("The number of diagonals provided in the input, " +
                           std::to_string(diagonal.dims()[rank - 2]) + ", does not match the " +
                           std::to_string(band.count()) + " of k");
  }
  Layout layout{band, {}, 0, 0};
  TAGFLOW_ASSIGN_OR_RETURN(layout.alignment, ReadAlignment(context.node));
  const int64_t length = diagonal.dims()[rank - 1];
  TAGFLOW_RETURN_IF_ERROR(SetMatrixSize(layout, length, rows, cols));
  const Dims dims = WithLast(diagonal.dims(), own_dims, {layout.rows, layout.cols});
  const size_t batch_dims = dims.size() - 2;
  auto source = [&](const Dims& at) {
    const int64_t element = layout.InDiagonals(at[batch_dims], at[batch_dims + 1]);
    if (element == kOtherwise) return kOtherwise;
    return BatchOf(at, dims, batch_dims) * band.count() * length + element;
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(diagonal, padding, dims, source));
  return Status();
}

Status MatrixDiag(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(context.inputs[0].dtype(), {}));
  return MakeMatrices(context, Band(), -1, -1, zero);
}

//   k: ReadBand; num_rows, num_cols: int32, -1: as few as do; padding_value: scalar
Status MatrixDiagV2(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[2], "num_rows"));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[3], "num_cols"));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[4], "padding_value"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, SingleIndex(context.inputs[2], "num_rows"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t cols, SingleIndex(context.inputs[3], "num_cols"));
  return MakeMatrices(context, band, rows, cols, context.inputs[4]);
}

// ---- Matrices to diagonals ----

// How the diagonals `band` lie in the matrices of `input`.
Result<Layout> LayoutIn(const KernelContext& context, const Tensor& input, Band band) {
  TAGFLOW_RETURN_IF_ERROR(RequireMatrix(input));
  const size_t rank = input.dims().size();
  Layout layout{band, {}, input.dims()[rank - 2], input.dims()[rank - 1]};
  for (const int64_t d : {band.lowest, band.highest}) {
    if (d == 0 || (-layout.rows < d && d < layout.cols)) continue;
    return InvalidArgument("diag_index is out of bound: " + std::to_string(d) +
                           ". It must be between " + std::to_string(-layout.rows) + " and " +
                           std::to_string(layout.cols));
  }
  TAGFLOW_ASSIGN_OR_RETURN(layout.alignment, ReadAlignment(context.node));
  return layout;
}

Dims DimsOfDiagonals(const Tensor& input, const Layout& layout) {
  const int64_t length = layout.LengthMax();
  const int64_t count = layout.band.count();
  return WithLast(input.dims(), 2, count == 1 ? Dims{length} : Dims{count, length});
}

//   input: [batch…, rows, cols]; output: [batch…, count, length], or [batch…, length] of one
Status TakeDiagonals(KernelContext& context, Band band, const Tensor& padding) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kMatrixElements));
  TAGFLOW_ASSIGN_OR_RETURN(const Layout layout, LayoutIn(context, input, band));
  const Dims dims = DimsOfDiagonals(input, layout);
  const size_t batch_dims = input.dims().size() - 2;
  auto source = [&](const Dims& at) {
    const int64_t row = band.count() == 1 ? 0 : at[batch_dims];
    const int64_t element = layout.InMatrix(row, at.back());
    if (element == kOtherwise) return kOtherwise;
    return BatchOf(at, dims, batch_dims) * layout.rows * layout.cols + element;
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(input, padding, dims, source));
  return Status();
}

Status MatrixDiagPart(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(context.inputs[0].dtype(), {}));
  return TakeDiagonals(context, Band(), zero);
}

Status MatrixDiagPartV2(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.inputs[1]));
  if (context.inputs[2].num_elements() != 1) {
    return InvalidArgument("Padding must be scalar, got shape " +
                           DimsString(context.inputs[2].dims()));
  }
  return TakeDiagonals(context, band, context.inputs[2]);
}

// ---- Diagonals into matrices ----

Status PutDiagonals(KernelContext& context, Band band) {
  const Tensor& input = context.inputs[0];
  const Tensor& diagonal = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kMatrixElements));
  TAGFLOW_ASSIGN_OR_RETURN(const Layout layout, LayoutIn(context, input, band));
  const Dims wanted = DimsOfDiagonals(input, layout);
  if (ToDims(diagonal.dims()) != wanted) {
    return InvalidArgument("the diagonals of an input of shape " + DimsString(input.dims()) +
                           " must have shape " + DimsString(wanted) + ", but have " +
                           DimsString(diagonal.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, input.Clone());
  const size_t batch_dims = input.dims().size() - 2;
  const int64_t set_size = band.count() * layout.LengthMax();
  int64_t i = 0;
  ForEachPlace(input.dims(), [&](const Dims& at) {
    const int64_t element = layout.InDiagonals(at[batch_dims], at[batch_dims + 1]);
    if (element != kOtherwise) {
      CopyElement(diagonal, BatchOf(at, input.dims(), batch_dims) * set_size + element, output, i);
    }
    ++i;
  });
  context.outputs[0] = std::move(output);
  return Status();
}

Status MatrixSetDiag(KernelContext& context) { return PutDiagonals(context, Band()); }

Status MatrixSetDiagV2(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.inputs[2]));
  return PutDiagonals(context, band);
}

//   num_lower, num_upper: how many diagonals below and above the main one stay, -1: all
Status MatrixBandPart(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kMatrixElements));
  TAGFLOW_RETURN_IF_ERROR(RequireMatrix(input));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], "num_lower"));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[2], "num_upper"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t lower, SingleIndex(context.inputs[1], "num_lower"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t upper, SingleIndex(context.inputs[2], "num_upper"));
  const size_t row = input.dims().size() - 2;
  const size_t col = row + 1;
  if (lower > input.dims()[row] || upper > input.dims()[col]) {
    return InvalidArgument("num_lower and num_upper must be negative or at most the rows " +
                           std::to_string(input.dims()[row]) + " and columns " +
                           std::to_string(input.dims()[col]) + ", but are " +
                           std::to_string(lower) + " and " + std::to_string(upper));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(input.dtype(), {}));
  int64_t i = 0;
  auto source = [&](const Dims& at) {
    const int64_t element = i++;
    const int64_t d = at[col] - at[row];
    const bool stays = (lower < 0 || -d <= lower) && (upper < 0 || d <= upper);
    return stays ? element : kOtherwise;
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(input, zero, input.dims(), source));
  return Status();
}

// ---- Diagonals of tensors of any rank ----

constexpr DTypeSet kDiagElements = {DType::kHalf,      DType::kFloat, DType::kDouble,
                                    DType::kInt32,     DType::kInt64, DType::kComplex64,
                                    DType::kComplex128};

//   output[i…, i…] = diagonal[i…], zero elsewhere
Status Diag(KernelContext& context) {
  const Tensor& diagonal = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, diagonal.dtype(), kDiagElements));
  const size_t rank = diagonal.dims().size();
  if (rank == 0) return InvalidArgument("Input must be at least rank 1, got 0");
  const Dims dims = WithLast(diagonal.dims(), 0, ToDims(diagonal.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(diagonal.dtype(), {}));
  auto source = [&](const Dims& at) {
    const auto half = at.begin() + static_cast<std::ptrdiff_t>(rank);
    return std::equal(at.begin(), half, half) ? BatchOf(at, dims, rank) : kOtherwise;
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(diagonal, zero, dims, source));
  return Status();
}

//   diagonal[i…] = input[i…, i…]
Status DiagPart(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kDiagElements));
  const size_t rank = input.dims().size() / 2;
  if (input.dims().size() != 2 * rank) {
    return InvalidArgument("The rank of the tensor should be even, got shape " +
                           DimsString(input.dims()));
  }
  const Dims dims(input.dims().begin(), input.dims().begin() + static_cast<std::ptrdiff_t>(rank));
  if (!std::equal(dims.begin(), dims.end(),
                  input.dims().begin() + static_cast<std::ptrdiff_t>(rank))) {
    return InvalidArgument("Invalid shape " + DimsString(input.dims()) +
                           ": the halves do not match");
  }
  const int64_t size = ProductOf(dims, 0, rank);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             return BatchOf(at, dims, rank) * (size + 1);
                           }));
  return Status();
}

}  // namespace

Status RegisterDiagonalKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"MatrixDiag", MatrixDiag},
                                {"MatrixDiagV2", MatrixDiagV2},
                                {"MatrixDiagV3", MatrixDiagV2},
                                {"MatrixDiagPart", MatrixDiagPart},
                                {"MatrixDiagPartV2", MatrixDiagPartV2},
                                {"MatrixDiagPartV3", MatrixDiagPartV2},
                                {"MatrixSetDiag", MatrixSetDiag},
                                {"MatrixSetDiagV2", MatrixSetDiagV2},
                                {"MatrixSetDiagV3", MatrixSetDiagV2},
                                {"MatrixBandPart", MatrixBandPart},
                                {"Diag", Diag},
                                {"DiagPart", DiagPart}});
}

}  // namespace tagflow::reference
