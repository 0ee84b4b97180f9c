#include "optimized/native/whole_calls.h"

#include <algorithm>

#include "optimized/formulas/products.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

int64_t SizeOf(const TensorType& type) {
  return *NumElements(type.dims) * static_cast<int64_t>(DTypeSize(type.dtype));
}

// Which dimensions are reduced; nothing where the kernel refuses that.
std::optional<std::vector<bool>> Reduced(ReducedAxes which, const Dims& dims,
                                         std::span<const int64_t> axes) {
  const auto rank = static_cast<int64_t>(dims.size());
  std::vector<bool> reduced(dims.size(), which != ReducedAxes::kInput);
  if (which == ReducedAxes::kAllButLast && rank > 0) reduced.back() = false;
  if (which != ReducedAxes::kInput) return reduced;
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) return std::nullopt;
    const auto place = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (reduced[place]) return std::nullopt;
    reduced[place] = true;
  }
  return reduced;
}

// A reduction as one of the rows or the columns of a matrix.
struct Matrix {
  int64_t rows = 1;
  int64_t columns = 1;
  bool of_rows = false;
};
// Nothing where it is none: of the dimensions that count, the first and last are of one kind, and
// some between them are not.
std::optional<Matrix> MatrixOf(const Dims& dims, const std::vector<bool>& reduced) {
  Matrix matrix;
  bool is_first = true, in_columns = false, first = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (is_first) first = reduced[i];
    is_first = false;
    if (reduced[i] != first) in_columns = true;
    if (in_columns && reduced[i] == first) return std::nullopt;
    (in_columns ? matrix.columns : matrix.rows) *= dims[i];
  }
  if (!in_columns) {
    // One row: all of it is reduced, or each of its elements is a total.
    std::swap(matrix.rows, matrix.columns);
    matrix.of_rows = !is_first && first;
  } else {
    matrix.of_rows = !first;
  }
  return matrix;
}

}  // namespace

std::optional<WholeCall> WholeCallOf(const ReductionPart& part, const TensorType& input,
                                     std::span<const int64_t> axes, const TensorType& output,
                                     const HasBody& has_body) {
  const auto reduced = Reduced(part.axes, input.dims, axes);
  const auto matrix = reduced ? MatrixOf(input.dims, *reduced) : std::nullopt;
  if (!matrix || input.dtype != part.dtype || output.dtype != part.dtype) return std::nullopt;
  const int64_t totals = matrix->of_rows ? matrix->rows : matrix->columns;
  const std::string body = std::string(part.formula) + "_" + NativeTypeOf(part.dtype)->body +
                           (matrix->of_rows ? "_rows" : "_columns");
  if (totals != *NumElements(output.dims) || !has_body(body)) return std::nullopt;
  return WholeCall{{{body, {0}, 0, {matrix->rows, matrix->columns}}}};
}

std::optional<WholeCall> WholeCallOf(const ProductPart& part, const TensorType& x,
                                     const TensorType& y, const TensorType& output,
                                     const HasBody& has_body) {
  if (x.dims.size() != 2 || y.dims.size() != 2 || x.dtype != part.dtype || y.dtype != part.dtype) {
    return std::nullopt;
  }
  const formulas::ProductSizes sizes = {x.dims[part.transpose_a ? 1 : 0],
                                        x.dims[part.transpose_a ? 0 : 1],
                                        y.dims[part.transpose_b ? 0 : 1]};
  const bool fits = y.dims[part.transpose_b ? 1 : 0] == sizes.depth && output.dtype == part.dtype &&
                    output.dims == Dims{sizes.rows, sizes.columns};
  const std::string body = std::string("Product_") + NativeTypeOf(part.dtype)->body;
  if (!fits || !sizes.is_small() || !has_body(body)) return std::nullopt;
  return WholeCall{{{body,
                     {0, 1},
                     0,
                     {sizes.rows, sizes.depth, sizes.columns, part.transpose_a ? 1 : 0,
                      part.transpose_b ? 1 : 0}}}};
}

std::optional<WholeCall> WholeCallOf(const JoinPart& part,
                                     const std::vector<const TensorType*>& inputs, int64_t axis,
                                     const TensorType& output) {
  const auto rank = static_cast<int64_t>(output.dims.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  const auto place = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const int64_t rows = *NumElements(DimsView(output.dims).first(place));
  const int64_t step = SizeOf(output) / rows;
  WholeCall call;
  Dims joined = output.dims;
  joined[place] = 0;
  int64_t offset = 0;
  const size_t first = part.axis_is_first ? 1 : 0;
  for (size_t i = first; i < first + inputs.size() - 1; ++i) {
    const TensorType& input = *inputs[i];
    if (input.dtype != output.dtype || input.dims.size() != output.dims.size()) return std::nullopt;
    Dims like = output.dims;
    like[place] = input.dims[place];
    if (like != input.dims) return std::nullopt;
    joined[place] += input.dims[place];
    const int64_t size = SizeOf(input) / rows;
    call.pieces.push_back({"CopyRows", {i}, offset, {rows, size, step}});
    offset += size;
  }
  if (joined != output.dims) return std::nullopt;
  return call;
}

std::optional<WholeCall> WholeCallOf(const ReshapePart&, const TensorType& input,
                                     const TensorType& output) {
  if (input.dtype != output.dtype || SizeOf(input) != SizeOf(output)) return std::nullopt;
  return WholeCall{{{"CopyRows", {0}, 0, {1, SizeOf(input), SizeOf(input)}}}};
}

}  // namespace tagflow::optimized
