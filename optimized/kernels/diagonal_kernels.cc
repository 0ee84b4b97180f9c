// Ops on the diagonals of matrices: MatrixDiag…, MatrixDiagPart…, MatrixSetDiag…, MatrixBandPart,
// Diag, DiagPart.
//
// Diagonal d of a matrix is where column - row = d: its elements are one row and one column apart,
// so that it is copied with one step on either side. A tensor of several diagonals has a row for
// each, from the highest d down, as long as the longest of them; a shorter one is aligned to the
// left or to the right, and what it leaves of its row is padding. For the diagonals 1, 0, -1 of
//
//     1 2 3          2 6 .
//     4 5 6   are    1 5 9   aligned to the left; ". 2 6" and ". 4 8" to the right
//     7 8 9          4 8 .
//
// A tensor of one diagonal has no dimension for the rows.

#include <algorithm>
#include <cstring>
#include <string>

#include "optimized/kernels/diagonals.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kMatrixElements = kNumbers | SetOf(DType::kBool);

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

//   k: one or two int32, lowest and highest diagonal
Result<Band> ReadBand(const Tensor& k) {
  if (k.rank() > 1 || k.num_elements() < 1 || k.num_elements() > 2) {
    return InvalidArgument("diag_index must be a scalar or a vector of one or two elements, not " +
                           DimsString(k.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims values, IndexValues(k));
  const Band band{values[0], values.back()};
  if (band.lowest <= band.highest) return band;
  return InvalidArgument("lower_diag_index must not be larger than upper_diag_index: " +
                         std::to_string(band.lowest) + " > " + std::to_string(band.highest));
}

int64_t Above(int64_t d) { return std::max<int64_t>(d, 0); }   // columns left of the diagonal
int64_t Below(int64_t d) { return std::max<int64_t>(-d, 0); }  // rows above it

// Where the elements of a band of diagonals of one matrix are.
struct Layout {
  Band band;
  Alignment alignment;
  int64_t rows = 0;
  int64_t cols = 0;

  int64_t LengthOf(int64_t d) const { return std::min(rows - Below(d), cols - Above(d)); }
  int64_t LengthMax() const {
    return std::min(rows - Below(band.highest), cols - Above(band.lowest));
  }
  // Where diagonal d begins, in the matrix and in the tensor of diagonals.
  int64_t InMatrix(int64_t d) const { return Below(d) * cols + Above(d); }
  int64_t InDiagonals(int64_t d) const {
    const bool left = (d >= 0 && alignment.above_left) || (d <= 0 && alignment.below_left);
    return (band.highest - d) * LengthMax() + (left ? 0 : LengthMax() - LengthOf(d));
  }

  enum class Into { kMatrices, kDiagonals };
  // Copies the diagonals of `batch` matrices, one matrix after the other.
  void Copy(Into into, int64_t batch, const Mover& mover, const Tensor& from, Tensor& to) const {
    const bool to_matrices = into == Into::kMatrices;
    const int64_t matrix_size = rows * cols;
    const int64_t set_size = band.count() * LengthMax();
    // Diagonals outside of the matrix have no elements, however many there are.
    for (int64_t d = std::max(band.lowest, 1 - rows); d <= std::min(band.highest, cols - 1); ++d) {
      StridedCopy copy;
      copy.Add(batch, to_matrices ? set_size : matrix_size, to_matrices ? matrix_size : set_size);
      copy.Add(LengthOf(d), to_matrices ? 1 : cols + 1, to_matrices ? cols + 1 : 1);
      const int64_t source = to_matrices ? InDiagonals(d) : InMatrix(d);
      const int64_t target = to_matrices ? InMatrix(d) : InDiagonals(d);
      copy.Run(mover, mover.At(from.raw_data(), source), mover.At(to.mutable_raw_data(), target));
    }
  }
};

// `dims` without its last `drop`, and then `last`.
SmallDims WithLast(DimsView dims, size_t drop, DimsView last) {
  SmallDims result(dims.first(dims.size() - drop));
  result.append(last);
  return result;
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
  if (__builtin_add_overflow(length, Below(layout.band.highest), &rows_min) ||
      __builtin_add_overflow(length, Above(layout.band.lowest), &cols_min)) {
    return DimensionOverflows();
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

Status CheckDiagonals(DimsView dims, Band band) {
  const size_t own_dims = band.count() == 1 ? 1 : 2;
  if (dims.size() < own_dims) {
    return InvalidArgument("diagonal must be at least " + std::to_string(own_dims) +
                           "-dim, received shape: " + DimsString(dims));
  }
  if (own_dims == 1 || dims[dims.size() - 2] == band.count()) return Status();
  return InvalidArgument("The number of diagonals provided in the input, " +
                         std::to_string(dims[dims.size() - 2]) + ", does not match the " +
                         std::to_string(band.count()) + " of k");
}

//   diagonal: [batch…, count, length], or [batch…, length] of one; output: [batch…, rows, cols]
Status MakeMatrices(KernelContext& context, Layout layout, int64_t rows, int64_t cols,
                    const Tensor& padding) {
  const Tensor& diagonal = context.input(0);
  const DimsView from = diagonal.dims();
  TAGFLOW_RETURN_IF_ERROR(CheckDiagonals(from, layout.band));
  TAGFLOW_RETURN_IF_ERROR(SetMatrixSize(layout, from.back(), rows, cols));
  const size_t own_dims = layout.band.count() == 1 ? 1 : 2;
  const SmallDims dims = WithLast(from, own_dims, Dims{layout.rows, layout.cols});
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, diagonal.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  const Mover& mover = MoverOf(diagonal.dtype());
  mover.fill(padding.raw_data(), out->mutable_raw_data(), out->num_elements());
  layout.Copy(Layout::Into::kMatrices, ProductOf(from, 0, from.size() - own_dims), mover, diagonal,
              *out);
  return Status();
}

Result<BoundKernel> BindMatrixDiag(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(binding.input_dtype(0), {}));
  return BoundKernel(
      [zero](KernelContext& context) { return MakeMatrices(context, {}, -1, -1, zero); });
}

//   k: ReadBand; num_rows, num_cols: int32, -1: as few as do; padding_value: scalar
Result<BoundKernel> BindMatrixDiagV2(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  TAGFLOW_ASSIGN_OR_RETURN(const Alignment alignment, ReadAlignment(binding.node));
  return BoundKernel([alignment](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.input(1)));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, ScalarInt(context.input(2), "num_rows"));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t cols, ScalarInt(context.input(3), "num_cols"));
    const Tensor& padding = context.input(4);
    if (padding.rank() == 0) {
      return MakeMatrices(context, {band, alignment}, rows, cols, padding);
    }
    return InvalidArgument("padding_value must be scalar, got shape " + DimsString(padding.dims()));
  });
}

// ---- Matrices to diagonals ----

// Gives the layout the size of the input's matrices.
Status SetLayoutIn(Layout& layout, const Tensor& input) {
  TAGFLOW_RETURN_IF_ERROR(RequireMatrix(input));
  layout.rows = input.dim(input.rank() - 2);
  layout.cols = input.dim(input.rank() - 1);
  for (const int64_t d : {layout.band.lowest, layout.band.highest}) {
    if (d == 0 || (-layout.rows < d && d < layout.cols)) continue;
    return InvalidArgument("diag_index is out of bound: " + std::to_string(d) +
                           ". It must be between " + std::to_string(-layout.rows) + " and " +
                           std::to_string(layout.cols));
  }
  return Status();
}

SmallDims DimsOfDiagonals(const Tensor& input, const Layout& layout) {
  const int64_t length = layout.LengthMax();
  const int64_t count = layout.band.count();
  return WithLast(input.dims(), 2, count == 1 ? Dims{length} : Dims{count, length});
}

int64_t BatchOf(DimsView matrices) { return ProductOf(matrices, 0, matrices.size() - 2); }

//   input: [batch…, rows, cols]; output: [batch…, count, length], or [batch…, length] of one
Status TakeDiagonals(KernelContext& context, Layout layout, const Tensor& padding) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(SetLayoutIn(layout, input));
  const SmallDims dims = DimsOfDiagonals(input, layout);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  const Mover& mover = MoverOf(input.dtype());
  if (layout.band.count() > 1) {
    mover.fill(padding.raw_data(), out->mutable_raw_data(), out->num_elements());
  }
  layout.Copy(Layout::Into::kDiagonals, BatchOf(input.dims()), mover, input, *out);
  return Status();
}

Result<BoundKernel> BindMatrixDiagPart(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  return BoundKernel(
      [](KernelContext& context) { return TakeDiagonals(context, {}, context.input(0)); });
}

Result<BoundKernel> BindMatrixDiagPartV2(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  TAGFLOW_ASSIGN_OR_RETURN(const Alignment alignment, ReadAlignment(binding.node));
  return BoundKernel([alignment](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.input(1)));
    const Tensor& padding = context.input(2);
    if (padding.num_elements() == 1) return TakeDiagonals(context, {band, alignment}, padding);
    return InvalidArgument("Padding must be scalar, got shape " + DimsString(padding.dims()));
  });
}

// ---- Diagonals into matrices ----

//   input: [batch…, rows, cols]; diagonal: as of TakeDiagonals; output: the input with them
Status PutDiagonals(KernelContext& context, Layout layout) {
  const Tensor& diagonal = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(SetLayoutIn(layout, context.input(0)));
  const SmallDims wanted = DimsOfDiagonals(context.input(0), layout);
  if (!SameDims(diagonal.dims(), wanted)) {
    return InvalidArgument("the diagonals of an input of shape " +
                           DimsString(context.input(0).dims()) + " must have shape " +
                           DimsString(wanted) + ", but have " + DimsString(diagonal.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, SetCopy(context, 0, 0));
  if (diagonal.num_elements() == 0) return Status();
  layout.Copy(Layout::Into::kMatrices, BatchOf(out->dims()), MoverOf(out->dtype()), diagonal, *out);
  return Status();
}

Result<BoundKernel> BindMatrixSetDiag(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  return BoundKernel([](KernelContext& context) { return PutDiagonals(context, {}); });
}

Result<BoundKernel> BindMatrixSetDiagV2(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  TAGFLOW_ASSIGN_OR_RETURN(const Alignment alignment, ReadAlignment(binding.node));
  return BoundKernel([alignment](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.input(2)));
    return PutDiagonals(context, {band, alignment});
  });
}

// ---- MatrixBandPart ----

// Zero bytes but where column - row is in the band.
void ClearOutside(Tensor& matrices, Band band) {
  const size_t width = DTypeSize(matrices.dtype());
  const int64_t rows = matrices.dim(matrices.rank() - 2);
  const int64_t cols = matrices.dim(matrices.rank() - 1);
  char* row_data = static_cast<char*>(matrices.mutable_raw_data());
  for (int64_t i = 0; i < BatchOf(matrices.dims()) * rows; ++i) {
    const int64_t row = i % rows;
    const int64_t begin = std::clamp<int64_t>(row + band.lowest, 0, cols);
    const int64_t end = std::clamp<int64_t>(row + band.highest + 1, begin, cols);
    std::memset(row_data, 0, static_cast<size_t>(begin) * width);
    std::memset(row_data + end * static_cast<int64_t>(width), 0,
                static_cast<size_t>(cols - end) * width);
    row_data += cols * static_cast<int64_t>(width);
  }
}

Status MatrixBandPart(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, BandThatStays(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, SetCopy(context, 0, 0));
  if (out->num_elements() > 0) ClearOutside(*out, band);
  return Status();
}

Result<BoundKernel> BindMatrixBandPart(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kMatrixElements));
  return BoundKernel(MatrixBandPart);
}

// ---- Diagonals of tensors of any rank ----

constexpr DTypeSet kDiagElements = SetOf(DType::kHalf, DType::kFloat, DType::kDouble, DType::kInt32,
                                         DType::kInt64, DType::kComplex64, DType::kComplex128);

//   output[i…, i…] = diagonal[i…], zero elsewhere
Status Diag(KernelContext& context) {
  const Tensor& diagonal = context.input(0);
  if (diagonal.rank() == 0) return InvalidArgument("Input must be at least rank 1, got 0");
  const SmallDims dims = WithLast(diagonal.dims(), 0, diagonal.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(diagonal.dtype(), dims));
  const int64_t size = diagonal.num_elements();
  if (size == 0) return Status();
  MoverOf(diagonal.dtype())
      .strided(diagonal.raw_data(), 1, context.output(0).mutable_raw_data(), size + 1, size);
  return Status();
}

//   diagonal[i…] = input[i…, i…]
Status DiagPart(KernelContext& context) {
  const Tensor& input = context.input(0);
  const DimsView dims = input.dims();
  const size_t rank = dims.size() / 2;
  if (dims.size() != 2 * rank || !SameDims(dims.first(rank), dims.subspan(rank))) {
    return InvalidArgument("The shape must be two equal halves, but is " + DimsString(dims));
  }
  const SmallDims half(dims.first(rank));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), half));
  const int64_t size = out->num_elements();
  if (size == 0) return Status();
  MoverOf(input.dtype()).strided(input.raw_data(), size + 1, out->mutable_raw_data(), 1, size);
  return Status();
}

template <Status (*kernel)(KernelContext& context)>
Result<BoundKernel> BindDiag(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kDiagElements));
  return BoundKernel(kernel);
}

}  // namespace

Result<Band> BandThatStays(const KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireMatrix(input));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t lower, ScalarInt(context.input(1), "num_lower"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t upper, ScalarInt(context.input(2), "num_upper"));
  const int64_t rows = input.dim(input.rank() - 2);
  const int64_t cols = input.dim(input.rank() - 1);
  if (lower > rows || upper > cols) {
    return InvalidArgument("num_lower and num_upper must be negative or at most the rows " +
                           std::to_string(rows) + " and columns " + std::to_string(cols) +
                           ", but are " + std::to_string(lower) + " and " + std::to_string(upper));
  }
  return Band{lower < 0 ? -rows : -lower, upper < 0 ? cols : upper};
}

Status RegisterDiagonalKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Diag", BindDiag<Diag>},
                                   {"DiagPart", BindDiag<DiagPart>},
                                   {"MatrixBandPart", BindMatrixBandPart},
                                   {"MatrixDiag", BindMatrixDiag},
                                   {"MatrixDiagPart", BindMatrixDiagPart},
                                   {"MatrixDiagPartV2", BindMatrixDiagPartV2},
                                   {"MatrixDiagPartV3", BindMatrixDiagPartV2},
                                   {"MatrixDiagV2", BindMatrixDiagV2},
                                   {"MatrixDiagV3", BindMatrixDiagV2},
                                   {"MatrixSetDiag", BindMatrixSetDiag},
                                   {"MatrixSetDiagV2", BindMatrixSetDiagV2},
                                   {"MatrixSetDiagV3", BindMatrixSetDiagV2},
                               });
}

}  // namespace tagflow::optimized
