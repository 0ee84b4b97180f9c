// Ragged tensors: rows of different lengths, one after the other, and splits: where in them each
// row begins, and where the last one ends.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/ragged_splits.h"

namespace tagflow::reference {
namespace {

using Numbers = std::vector<int64_t>;

// ---- Ranges ----

// How many numbers there are from start up to limit.
//   Errors: INVALID_ARGUMENT
template <typename C>
Result<int64_t> CountOf(C start, C limit, C delta) {
  if (delta == C(0)) return InvalidArgument("Requires delta != 0");
  if ((delta > C(0) && limit < start) || (delta < C(0) && limit > start)) return 0;
  if constexpr (IntegerElement<C>) {
    const auto magnitude = [](__int128 x) { return x < 0 ? -x : x; };
    const __int128 size = magnitude(__int128{limit} - start), step = magnitude(__int128{delta});
    const __int128 count = (size + step - 1) / step;
    if (count <= std::numeric_limits<int64_t>::max()) return static_cast<int64_t>(count);
  } else {
    const C count = std::ceil(std::abs((limit - start) / delta));
    if (count < static_cast<C>(0x1p63)) return static_cast<int64_t>(count);
  }
  return InvalidArgument("Requires ((limit - start) / delta) <= 9223372036854775807");
}

// How many rows three vectors make, of which scalars serve all rows.
//   Errors: INVALID_ARGUMENT
Result<int64_t> RowsOf(const KernelContext& context) {
  int64_t rows = -1;
  for (size_t i = 0; i < 3; ++i) {
    const Tensor& input = context.inputs[i];
    if (input.rank() > 1) {
      return InvalidArgument(context.node.def->inputs[i].name + " must be a scalar or vector");
    }
    if (input.rank() == 0) continue;
    if (rows >= 0 && input.dim(0) != rows) {
      return InvalidArgument("starts, limits, and deltas must have the same shape");
    }
    rows = input.dim(0);
  }
  return rows < 0 ? 1 : rows;
}

template <typename C>
Status RaggedRangeOf(KernelContext& context, int64_t rows) {
  const std::vector<C> starts = Load<C>(context.inputs[0]), limits = Load<C>(context.inputs[1]);
  const std::vector<C> deltas = Load<C>(context.inputs[2]);
  const auto at = [&](size_t input, const std::vector<C>& values, int64_t row) {
    return values[context.inputs[input].rank() == 0 ? 0 : static_cast<size_t>(row)];
  };
  Numbers splits = {0};
  for (int64_t row = 0; row < rows; ++row) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t count,
                             CountOf(at(0, starts, row), at(1, limits, row), at(2, deltas, row)));
    int64_t end = 0;
    if (__builtin_add_overflow(splits.back(), count, &end)) {
      return InvalidArgument("there are more numbers than an int64 can count");
    }
    splits.push_back(end);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(context.signature.outputs[0].dtype, Dims{rows + 1}, splits));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{splits.back()}));
  std::vector<C> values;
  for (int64_t row = 0; row < rows; ++row) {
    const auto r = static_cast<size_t>(row);
    C value = at(0, starts, row);
    for (int64_t i = splits[r]; i < splits[r + 1]; ++i) {
      values.push_back(value);
      value = Plus(value, at(2, deltas, row));
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                           Store(context.inputs[0].dtype(), Dims{splits.back()}, values));
  return Status();
}

//   starts, limits, deltas: vectors of one length, or scalars
//   rt_nested_splits: [rows + 1];  rt_dense_values: start, start + delta, … below the limit, of
//   each row Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedRange(KernelContext& context) {
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(
      context.node.op, dtype, {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, RowsOf(context));
  if (dtype == DType::kFloat) return RaggedRangeOf<float>(context, rows);
  if (dtype == DType::kDouble) return RaggedRangeOf<double>(context, rows);
  return RaggedRangeOf<int64_t>(context, rows);
}

// ---- Gathering ----

struct Range {
  int64_t begin, end;
};

int64_t TotalOf(const std::vector<Range>& ranges) {
  int64_t total = 0;
  for (const Range& range : ranges) {
    if (__builtin_add_overflow(total, range.end - range.begin, &total)) return -1;
  }
  return total;
}

//   params_nested_splits: of several dimensions;  params_dense_values: [n, ...];  indices: of rows
//   of the first splits, of any rank
//   output_nested_splits: those of all dimensions of indices but the first, then of the rows taken;
//   output_dense_values: what is in them
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedGather(KernelContext& context) {
  const size_t count = context.inputs.size() - 2;
  const Tensor& values = context.inputs[count];
  const Tensor& indices = context.inputs[count + 1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, values.dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Numbers> splits, SplitsOf(context, count));
  if (static_cast<int64_t>(indices.dims().size() + count) !=
      static_cast<int64_t>(context.outputs.size())) {
    return InvalidArgument("OUTPUT_RAGGED_RANK does not fit the ranks of the inputs");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Numbers rows, IndexValues(indices));
  std::vector<Range> ranges;
  for (const int64_t row : rows) {
    if (row < 0 || row >= std::ssize(splits[0]) - 1) {
      return InvalidArgument("indices = " + std::to_string(row) + " is not in [0, " +
                             std::to_string(splits[0].size() - 1) + ")");
    }
    ranges.push_back({row, row + 1});
  }
  std::vector<Numbers> out;
  int64_t outer = 1;
  for (size_t i = 0; i + 1 < indices.dims().size(); ++i) {
    outer *= indices.dims()[i];
    Numbers regular;
    for (int64_t row = 0; row <= outer; ++row) regular.push_back(row * indices.dims()[i + 1]);
    out.push_back(regular);
  }
  for (size_t level = 0; level < count; ++level) {
    TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{TotalOf(ranges)}));
    Numbers lengths = {0};  // added up
    for (Range& range : ranges) {
      for (int64_t row = range.begin; row < range.end; ++row) {
        const auto r = static_cast<size_t>(row);
        lengths.push_back(lengths.back() + splits[level][r + 1] - splits[level][r]);
      }
      range = {splits[level][static_cast<size_t>(range.begin)],
               splits[level][static_cast<size_t>(range.end)]};
    }
    // The rows of a scalar index have no splits: there is but one.
    if (level > 0 || indices.rank() > 0) out.push_back(lengths);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[i], IndexTensor(context.signature.outputs[i].dtype,
                                                             Dims{std::ssize(out[i])}, out[i]));
  }
  Dims dims = ToDims(values.dims());
  dims[0] = TotalOf(ranges);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor taken, Tensor::Allocate(values.dtype(), dims));
  const int64_t size = ProductOf(dims, 1, dims.size());
  int64_t to = 0;
  for (const Range& range : ranges) {
    const int64_t length = (range.end - range.begin) * size;
    CopyElements(values, range.begin * size, taken, to, length);
    to += length;
  }
  context.outputs.back() = taken;
  return Status();
}

// ---- Sparse ----

//   rt_nested_splits: of several dimensions;  rt_dense_values: [n, ...]
//   sparse_indices: int64 [elements, dimensions];  sparse_values: [elements];  sparse_dense_shape:
//   the least that holds all rows
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedTensorToSparse(KernelContext& context) {
  const size_t count = context.inputs.size() - 1;
  const Tensor& values = context.inputs[count];
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Numbers> splits, ExactSplitsOf(context, count));
  std::vector<Numbers> places;  // of rows of the dimensions so far
  for (int64_t row = 0; row < std::ssize(splits[0]) - 1; ++row) places.push_back({row});
  Dims shape = {std::ssize(splits[0]) - 1};
  for (const Numbers& of : splits) {
    std::vector<Numbers> inner;
    int64_t longest = 0;
    for (size_t row = 0; row + 1 < of.size(); ++row) {
      for (int64_t i = 0; i < of[row + 1] - of[row]; ++i) {
        inner.push_back(places[row]);
        inner.back().push_back(i);
      }
      longest = std::max(longest, of[row + 1] - of[row]);
    }
    places = std::move(inner);
    shape.push_back(longest);
  }
  Numbers indices;
  const Dims inside = ToDims(values.dims().subspan(1));
  for (const Numbers& place : places) {
    ForEachPlace(inside, [&](const Dims& at) {
      indices.insert(indices.end(), place.begin(), place.end());
      indices.insert(indices.end(), at.begin(), at.end());
    });
  }
  shape.insert(shape.end(), inside.begin(), inside.end());
  const int64_t elements = values.num_elements(), rank = std::ssize(shape);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(DType::kInt64, Dims{elements, rank}, indices));
  context.outputs[1] = values.Reshaped(Dims{elements});
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2], IndexTensor(DType::kInt64, Dims{rank}, shape));
  return Status();
}

}  // namespace

Status RegisterRaggedKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RaggedRange", RaggedRange},
                                {"RaggedGather", RaggedGather},
                                {"RaggedTensorToSparse", RaggedTensorToSparse}});
}

}  // namespace tagflow::reference
