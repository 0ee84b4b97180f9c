// Ragged tensors: rows of different lengths, one after the other, and splits: where in them each
// row begins, and where the last one ends. Rows side by side are copied as one run of elements.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/ragged_splits.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// An output of int32 or int64 numbers.
//   Errors: INVALID_ARGUMENT where one is too large for the dtype, RESOURCE_EXHAUSTED
Status WriteInts(KernelContext& context, int i, DType dtype, const std::vector<int64_t>& numbers) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(i, dtype, Dims{std::ssize(numbers)}));
  if (dtype == DType::kInt64) {
    std::ranges::copy(numbers, out->mutable_data<int64_t>());
    return Status();
  }
  auto* to = out->mutable_data<int32_t>();
  for (const int64_t number : numbers) {
    if (number > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument(std::to_string(number) + " does not fit into int32");
    }
    *to++ = static_cast<int32_t>(number);
  }
  return Status();
}

// ---- Ranges ----

// An input that has a number for each row, or one for all.
template <typename T>
struct PerRow {
  const T* numbers;
  bool is_one;

  explicit PerRow(const Tensor& tensor) : numbers(tensor.data<T>()), is_one(tensor.rank() == 0) {}
  T operator[](int64_t row) const { return numbers[is_one ? 0 : row]; }
};

// How many numbers from start up to limit.
//   Errors: INVALID_ARGUMENT
template <typename T>
Result<int64_t> CountOf(T start, T limit, T delta) {
  if (delta == 0) return InvalidArgument("Requires delta != 0");
  if (delta > 0 ? limit < start : delta < 0 && limit > start) return 0;
  if constexpr (std::is_integral_v<T>) {
    // Distances of int64 need 64 bits without a sign.
    const uint64_t size = delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                    : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step =
        delta > 0 ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
    const uint64_t count = size / step + (size % step != 0 ? 1 : 0);
    if (count <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return static_cast<int64_t>(count);
    }
  } else {
    const T count = std::ceil(std::abs((limit - start) / delta));
    if (count < T(0x1p63)) return static_cast<int64_t>(count);
  }
  return InvalidArgument("Requires ((limit - start) / delta) <= 9223372036854775807");
}

//   Errors: INVALID_ARGUMENT
Result<int64_t> RowsOf(const KernelContext& context) {
  constexpr const char* kNames[] = {"starts", "limits", "deltas"};
  int64_t rows = -1;
  for (int i = 0; i < 3; ++i) {
    const DimsView dims = context.input(i).dims();
    if (dims.size() > 1) {
      return InvalidArgument(std::string(kNames[i]) + " must be a scalar or vector");
    }
    if (dims.empty()) continue;
    if (rows >= 0 && rows != dims[0]) {
      return InvalidArgument("starts, limits, and deltas must have the same shape");
    }
    rows = dims[0];
  }
  return rows < 0 ? 1 : rows;
}

//   starts, limits, deltas: vectors of one length, or scalars
//   rt_nested_splits: [rows + 1];  rt_dense_values: the numbers of all rows
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <typename T>
Status RaggedRange(DType splits_dtype, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, RowsOf(context));
  const PerRow<T> starts(context.input(0)), limits(context.input(1)), deltas(context.input(2));
  const DType dtype = context.input(0).dtype();
  std::vector<int64_t> splits = {0};
  for (int64_t row = 0; row < rows; ++row) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t count,
                             CountOf<T>(starts[row], limits[row], deltas[row]));
    if (count > std::numeric_limits<int64_t>::max() - splits.back()) {
      return InvalidArgument("there are more numbers than an int64 can count");
    }
    splits.push_back(splits.back() + count);
  }
  TAGFLOW_RETURN_IF_ERROR(WriteInts(context, 0, splits_dtype, splits));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(1, dtype, Dims{splits.back()}));
  T* to = out->mutable_data<T>();
  for (int64_t row = 0; row < rows; ++row) {
    T value = starts[row];
    const T delta = deltas[row];
    for (int64_t i = splits[static_cast<size_t>(row)]; i < splits[static_cast<size_t>(row) + 1];
         ++i) {
      *to++ = value;
      value = Plus(value, delta);
    }
  }
  return Status();
}

Result<BoundKernel> BindRaggedRange(const Binding& binding) {
  const DType dtype = binding.input_dtype(0), splits = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(
      binding, dtype, SetOf(DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64)));
  const auto bound = [splits]<typename T>(Computing<T>) {
    return BoundKernel(
        [splits](KernelContext& context) { return RaggedRange<T>(splits, context); });
  };
  if (dtype == DType::kFloat) return bound(Computing<float>());
  if (dtype == DType::kDouble) return bound(Computing<double>());
  if (dtype == DType::kInt32) return bound(Computing<int32_t>());
  return bound(Computing<int64_t>());
}

// ---- Gathering ----

// Rows [begin, end) of some dimension.
struct Run {
  int64_t begin, end;
};

// The splits of what is in runs of rows; the runs become those of the next dimension.
//   Errors: RESOURCE_EXHAUSTED
Result<std::vector<int64_t>> EnterRuns(const IntView& splits, std::vector<Run>& runs) {
  int64_t total = 0;
  for (const Run& run : runs) {
    if (__builtin_add_overflow(total, run.end - run.begin, &total)) {
      return ResourceExhausted("there are more rows than an int64 can count");
    }
  }
  std::vector<int64_t> lengths = {0};  // added up
  TAGFLOW_RETURN_IF_ERROR(
      Tensor::AllocateUninitialized(DType::kInt64, Dims{total}).status());  // is there room?
  lengths.reserve(static_cast<size_t>(total) + 1);
  for (Run& run : runs) {
    for (int64_t row = run.begin; row < run.end; ++row) {
      lengths.push_back(lengths.back() + splits[row + 1] - splits[row]);
    }
    run = {splits[run.begin], splits[run.end]};
  }
  return lengths;
}

// The values in runs, one after the other; runs that follow one another are copied at once.
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status CopyRuns(const std::vector<Run>& runs, const Tensor& values, int output,
                KernelContext& context) {
  Dims dims(values.dims().begin(), values.dims().end());
  dims[0] = 0;
  for (const Run& run : runs) {
    if (__builtin_add_overflow(dims[0], run.end - run.begin, &dims[0])) {
      return ResourceExhausted("there are more rows than an int64 can count");
    }
  }
  const Tensor from = values;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, values.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  const int64_t size = out->num_elements() / dims[0];
  const Mover& mover = MoverOf(from.dtype());
  void* to = out->mutable_raw_data();
  for (size_t i = 0; i < runs.size();) {
    Run run = runs[i++];
    while (i < runs.size() && runs[i].begin == run.end) run.end = runs[i++].end;
    const int64_t count = (run.end - run.begin) * size;
    if (count > 0) mover.run(mover.At(from.raw_data(), run.begin * size), to, count);
    to = mover.At(to, count);
  }
  return Status();
}

//   params_nested_splits: of several dimensions;  params_dense_values: [n, ...];  indices: of rows
//   of the first splits, of any rank
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedGather(DType splits_dtype, int outputs, KernelContext& context) {
  const int count = context.num_inputs() - 2;
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<IntView> splits, SplitsOf(context, count));
  const Tensor& indices = context.input(count + 1);
  const DimsView dims = indices.dims();
  if (static_cast<int>(dims.size()) + count != outputs) {
    return InvalidArgument("OUTPUT_RAGGED_RANK does not fit the ranks of the inputs");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView rows, IntView::Of(indices));
  const int64_t there = splits[0].size() - 1;
  std::vector<Run> runs;
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= there) {
      return InvalidArgument("indices[" + std::to_string(i) + "] = " + std::to_string(rows[i]) +
                             " is not in [0, " + std::to_string(there) + ")");
    }
    runs.push_back({rows[i], rows[i] + 1});
  }
  std::vector<std::vector<int64_t>> out;
  int64_t outer = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    outer *= dims[i];
    std::vector<int64_t> regular(static_cast<size_t>(outer) + 1);
    for (size_t row = 0; row < regular.size(); ++row) {
      regular[row] = static_cast<int64_t>(row) * dims[i + 1];
    }
    out.push_back(std::move(regular));
  }
  for (const IntView& level : splits) {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, EnterRuns(level, runs));
    out.push_back(std::move(lengths));
  }
  if (dims.empty()) out.erase(out.begin());  // one row needs no splits
  for (size_t i = 0; i < out.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(WriteInts(context, static_cast<int>(i), splits_dtype, out[i]));
  }
  return CopyRuns(runs, context.input(count), outputs - 1, context);
}

Result<BoundKernel> BindRaggedGather(const Binding& binding) {
  const auto inputs = binding.signature.inputs.size(), outputs = binding.signature.outputs.size();
  const DType values = binding.input_dtype(inputs - 2), splits = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, values, kNumbers | SetOf(DType::kBool, DType::kString)));
  return BoundKernel([splits, outputs = static_cast<int>(outputs)](KernelContext& context) {
    return RaggedGather(splits, outputs, context);
  });
}

// ---- Sparse ----

// Writes, for each row of the innermost splits, where it is: the numbers of its rows in the
// dimensions before, and each column, and then each place in a value.
class PlaceWriter {
 public:
  PlaceWriter(const std::vector<IntView>& splits, DimsView inside, int64_t* to)
      : splits_(splits), inside_(inside), to_(to), at_(splits.size() + 1 + inside.size()) {}

  void WriteAll() {
    for (int64_t row = 0; row + 1 < splits_[0].size(); ++row) {
      at_[0] = row;
      WriteRow(0, row);
    }
  }

 private:
  void WriteRow(size_t level, int64_t row) {
    const IntView& splits = splits_[level];
    for (int64_t child = splits[row]; child < splits[row + 1]; ++child) {
      at_[level + 1] = child - splits[row];
      if (level + 1 < splits_.size()) {
        WriteRow(level + 1, child);
      } else {
        WriteInside(0);
      }
    }
  }
  void WriteInside(size_t dim) {
    if (dim == inside_.size()) {
      to_ = std::copy(at_.begin(), at_.end(), to_);
      return;
    }
    for (int64_t i = 0; i < inside_[dim]; ++i) {
      at_[splits_.size() + 1 + dim] = i;
      WriteInside(dim + 1);
    }
  }

  const std::vector<IntView>& splits_;
  const DimsView inside_;
  int64_t* to_;
  std::vector<int64_t> at_;
};

//   rt_nested_splits: of several dimensions;  rt_dense_values: [n, ...]
//   sparse_indices: int64 [elements, dimensions];  sparse_values: [elements];  sparse_dense_shape:
//   int64 [dimensions]
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedTensorToSparse(KernelContext& context) {
  const int count = context.num_inputs() - 1;
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<IntView> splits, ExactSplitsOf(context, count));
  const Tensor values = context.input(count);
  const DimsView inside = values.dims().subspan(1);
  std::vector<int64_t> shape = {splits[0].size() - 1};
  for (const IntView& of : splits) {
    int64_t longest = 0;
    for (int64_t row = 1; row < of.size(); ++row) {
      longest = std::max(longest, of[row] - of[row - 1]);
    }
    shape.push_back(longest);
  }
  shape.insert(shape.end(), inside.begin(), inside.end());
  const int64_t elements = values.num_elements();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * indices,
                           context.Allocate(0, DType::kInt64, Dims{elements, std::ssize(shape)}));
  if (elements > 0) PlaceWriter(splits, inside, indices->mutable_data<int64_t>()).WriteAll();
  context.output(1) = values.Reshaped(Dims{elements});
  return WriteInts(context, 2, DType::kInt64, shape);
}

}  // namespace

Status RegisterRaggedKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RaggedRange", BindRaggedRange},
                                {"RaggedGather", BindRaggedGather},
                                {"RaggedTensorToSparse", Bind<RaggedTensorToSparse>}});
}

}  // namespace tagflow::optimized
