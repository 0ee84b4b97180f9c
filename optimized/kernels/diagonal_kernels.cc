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
#include <map>
#include <string>
#include <vector>

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
  // How the diagonals of `batch` matrices are copied, one diagonal after the other.
  std::vector<DiagonalCopy> Copies(Into into, int64_t batch) const {
    std::vector<DiagonalCopy> copies;
    // Diagonals outside of the matrix have no elements, however many there are.
    for (int64_t d = std::max(band.lowest, 1 - rows); d <= std::min(band.highest, cols - 1); ++d) {
      const SmallDims matrix_steps = Steps(rows * cols, cols + 1);
      const SmallDims set_steps = Steps(band.count() * LengthMax(), 1);
      if (into == Into::kMatrices) {
        copies.push_back(
            {InDiagonals(d), InMatrix(d), Steps(batch, LengthOf(d)), set_steps, matrix_steps});
      } else {
        copies.push_back(
            {InMatrix(d), InDiagonals(d), Steps(batch, LengthOf(d)), matrix_steps, set_steps});
      }
    }
    return copies;
  }
  static SmallDims Steps(int64_t outer, int64_t inner) {
    SmallDims steps(1, outer);
    steps.push_back(inner);
    return steps;
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
Result<DiagonalPlan> PlanOfMatrices(DimsView from, Layout layout, int64_t rows, int64_t cols,
                                    int padding) {
  TAGFLOW_RETURN_IF_ERROR(CheckDiagonals(from, layout.band));
  TAGFLOW_RETURN_IF_ERROR(SetMatrixSize(layout, from.back(), rows, cols));
  const size_t own_dims = layout.band.count() == 1 ? 1 : 2;
  DiagonalPlan plan = {WithLast(from, own_dims, Dims{layout.rows, layout.cols}), 0, padding, {}};
  if (ProductOf(plan.dims) == 0) return plan;
  plan.copies = layout.Copies(Layout::Into::kMatrices, ProductOf(from, 0, from.size() - own_dims));
  return plan;
}

Result<DiagonalPlan> PlanOfMatrixDiag(const KernelContext& context, const Alignment&) {
  return PlanOfMatrices(context.input(0).dims(), {}, -1, -1, DiagonalPlan::kZeros);
}

//   k: ReadBand; num_rows, num_cols: int32, -1: as few as do; padding_value: scalar
Result<DiagonalPlan> PlanOfMatrixDiagV2(const KernelContext& context, const Alignment& alignment) {
  constexpr int kPadding = 4;
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, ScalarInt(context.input(2), "num_rows"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t cols, ScalarInt(context.input(3), "num_cols"));
  const Tensor& padding = context.input(kPadding);
  if (padding.rank() == 0) {
    return PlanOfMatrices(context.input(0).dims(), {band, alignment}, rows, cols, kPadding);
  }
  return InvalidArgument("padding_value must be scalar, got shape " + DimsString(padding.dims()));
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
Result<DiagonalPlan> PlanOfDiagonals(const Tensor& input, Layout layout, int padding) {
  TAGFLOW_RETURN_IF_ERROR(SetLayoutIn(layout, input));
  const bool is_one = layout.band.count() == 1;
  DiagonalPlan plan = {
      DimsOfDiagonals(input, layout), 0, is_one ? DiagonalPlan::kNothing : padding, {}};
  if (ProductOf(plan.dims) == 0) return plan;
  plan.copies = layout.Copies(Layout::Into::kDiagonals, BatchOf(input.dims()));
  return plan;
}

Result<DiagonalPlan> PlanOfMatrixDiagPart(const KernelContext& context, const Alignment&) {
  return PlanOfDiagonals(context.input(0), {}, DiagonalPlan::kNothing);
}

Result<DiagonalPlan> PlanOfMatrixDiagPartV2(const KernelContext& context,
                                            const Alignment& alignment) {
  constexpr int kPadding = 2;
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.input(1)));
  const Tensor& padding = context.input(kPadding);
  if (padding.num_elements() == 1) {
    return PlanOfDiagonals(context.input(0), {band, alignment}, kPadding);
  }
  return InvalidArgument("Padding must be scalar, got shape " + DimsString(padding.dims()));
}

// ---- Diagonals into matrices ----

//   input: [batch…, rows, cols]; diagonal: as PlanOfDiagonals gives; output: the input with them
Result<DiagonalPlan> PlanOfUpdate(const KernelContext& context, Layout layout) {
  const Tensor& input = context.input(0);
  const Tensor& diagonal = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(SetLayoutIn(layout, input));
  const SmallDims wanted = DimsOfDiagonals(input, layout);
  if (!SameDims(diagonal.dims(), wanted)) {
    return InvalidArgument("the diagonals of an input of shape " + DimsString(input.dims()) +
                           " must have shape " + DimsString(wanted) + ", but have " +
                           DimsString(diagonal.dims()));
  }
  DiagonalPlan plan = {SmallDims(input.dims()), 1, DiagonalPlan::kInput, {}};
  if (diagonal.num_elements() == 0) return plan;
  plan.copies = layout.Copies(Layout::Into::kMatrices, BatchOf(input.dims()));
  return plan;
}

Result<DiagonalPlan> PlanOfMatrixSetDiag(const KernelContext& context, const Alignment&) {
  return PlanOfUpdate(context, {});
}

Result<DiagonalPlan> PlanOfMatrixSetDiagV2(const KernelContext& context,
                                           const Alignment& alignment) {
  TAGFLOW_ASSIGN_OR_RETURN(const Band band, ReadBand(context.input(2)));
  return PlanOfUpdate(context, {band, alignment});
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

SmallDims OneStep(int64_t step) { return SmallDims(1, step); }

//   output[i…, i…] = diagonal[i…], zero elsewhere
Result<DiagonalPlan> PlanOfDiag(const KernelContext& context, const Alignment&) {
  const Tensor& diagonal = context.input(0);
  if (diagonal.rank() == 0) return InvalidArgument("Input must be at least rank 1, got 0");
  DiagonalPlan plan = {WithLast(diagonal.dims(), 0, diagonal.dims()), 0, DiagonalPlan::kZeros, {}};
  const int64_t size = diagonal.num_elements();
  if (size > 0) plan.copies.push_back({0, 0, OneStep(size), OneStep(1), OneStep(size + 1)});
  return plan;
}

//   diagonal[i…] = input[i…, i…]
Result<DiagonalPlan> PlanOfDiagPart(const KernelContext& context, const Alignment&) {
  const DimsView dims = context.input(0).dims();
  const size_t rank = dims.size() / 2;
  if (dims.size() != 2 * rank || !SameDims(dims.first(rank), dims.subspan(rank))) {
    return InvalidArgument("The shape must be two equal halves, but is " + DimsString(dims));
  }
  DiagonalPlan plan = {SmallDims(dims.first(rank)), 0, DiagonalPlan::kNothing, {}};
  const int64_t size = ProductOf(plan.dims);
  if (size > 0) plan.copies.push_back({0, 0, OneStep(size), OneStep(size + 1), OneStep(1)});
  return plan;
}

// ---- Plans carried out ----

// Output 0 before the diagonals are copied.
Status SetGround(KernelContext& context, const DiagonalPlan& plan) {
  if (plan.ground == DiagonalPlan::kInput) return SetCopy(context, 0, 0).status();
  const DType dtype = context.input(0).dtype();
  if (plan.ground == DiagonalPlan::kZeros) {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(dtype, plan.dims));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, plan.dims));
  if (plan.ground != DiagonalPlan::kNothing) {
    MoverOf(dtype).fill(context.input(plan.ground).raw_data(), out->mutable_raw_data(),
                        out->num_elements());
  }
  return Status();
}

template <DTypeSet dtypes>
Result<BoundKernel> BindDiagonals(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), dtypes));
  TAGFLOW_ASSIGN_OR_RETURN(const DiagonalPlanner plan_of, DiagonalPlannerOf(binding.node));
  return BoundKernel([plan_of](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const DiagonalPlan plan, plan_of(context));
    TAGFLOW_RETURN_IF_ERROR(SetGround(context, plan));
    Tensor& out = context.output(0);
    const Mover& mover = MoverOf(out.dtype());
    const void* const source = context.input(plan.source).raw_data();
    for (const DiagonalCopy& each : plan.copies) {
      StridedCopy copy;
      for (size_t d = 0; d < each.dims.size(); ++d) {
        copy.Add(each.dims[d], each.from_steps[d], each.to_steps[d]);
      }
      copy.Run(mover, mover.At(source, each.from), mover.At(out.mutable_raw_data(), each.to));
    }
    return Status();
  });
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

Result<DiagonalPlanner> DiagonalPlannerOf(const Node& node) {
  using PlanFunction =
      Result<DiagonalPlan> (*)(const KernelContext& context, const Alignment& alignment);
  static const auto& plans = *new std::map<std::string, PlanFunction>{
      {"Diag", PlanOfDiag},
      {"DiagPart", PlanOfDiagPart},
      {"MatrixDiag", PlanOfMatrixDiag},
      {"MatrixDiagPart", PlanOfMatrixDiagPart},
      {"MatrixDiagPartV2", PlanOfMatrixDiagPartV2},
      {"MatrixDiagPartV3", PlanOfMatrixDiagPartV2},
      {"MatrixDiagV2", PlanOfMatrixDiagV2},
      {"MatrixDiagV3", PlanOfMatrixDiagV2},
      {"MatrixSetDiag", PlanOfMatrixSetDiag},
      {"MatrixSetDiagV2", PlanOfMatrixSetDiagV2},
      {"MatrixSetDiagV3", PlanOfMatrixSetDiagV2},
  };
  TAGFLOW_ASSIGN_OR_RETURN(const Alignment alignment, ReadAlignment(node));
  const PlanFunction plan_of = plans.at(node.op);
  return DiagonalPlanner(
      [plan_of, alignment](const KernelContext& context) { return plan_of(context, alignment); });
}

Status RegisterDiagonalKernels(KernelRegistry& registry) {
  constexpr auto kBindMatrices = BindDiagonals<kMatrixElements>;
  return RegisterAll(registry, {
                                   {"Diag", BindDiagonals<kDiagElements>},
                                   {"DiagPart", BindDiagonals<kDiagElements>},
                                   {"MatrixBandPart", BindMatrixBandPart},
                                   {"MatrixDiag", kBindMatrices},
                                   {"MatrixDiagPart", kBindMatrices},
                                   {"MatrixDiagPartV2", kBindMatrices},
                                   {"MatrixDiagPartV3", kBindMatrices},
                                   {"MatrixDiagV2", kBindMatrices},
                                   {"MatrixDiagV3", kBindMatrices},
                                   {"MatrixSetDiag", kBindMatrices},
                                   {"MatrixSetDiagV2", kBindMatrices},
                                   {"MatrixSetDiagV3", kBindMatrices},
                               });
}

}  // namespace tagflow::optimized
