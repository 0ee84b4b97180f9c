// How often values come: Bincount, DenseBincount, HistogramFixedWidth.

#include <algorithm>
#include <string>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kCounted = SetOf(DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble);

template <typename C>
inline constexpr bool kIsCounted = std::is_same_v<C, int32_t> || std::is_same_v<C, int64_t> ||
                                   std::is_same_v<C, float> || std::is_same_v<C, double>;

// The scalar input i, at least `least`.
Result<int64_t> CountInput(const KernelContext& context, int i, std::string_view name,
                           int64_t least) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, ScalarInt(context.input(i), name));
  if (count >= least) return count;
  return InvalidArgument(std::string(name) + " must be at least " + std::to_string(least) +
                         ", not " + std::to_string(count));
}

// ---- Bincount and DenseBincount ----

// Values fall into the bins of their row, [rows, size]; larger ones into none.
struct Counting {
  int64_t rows, size;
  bool is_binary;
};

// Adds to each bin the weights of its values, 1 where there are no weights.
template <typename C>
void Count(const IntView& values, const Tensor& weights, const Counting& counting, Tensor& out) {
  const C* weight = weights.num_elements() == 0 ? nullptr : weights.data<C>();
  C* bins = out.mutable_data<C>();
  const int64_t per_row = counting.rows == 0 ? 1 : values.size() / counting.rows;
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values[i] >= counting.size) continue;
    C& bin = bins[i / per_row * counting.size + values[i]];
    bin = counting.is_binary ? C(1) : Plus(bin, weight == nullptr ? C(1) : weight[i]);
  }
}

using Counter = void (*)(const IntView& values, const Tensor& weights, const Counting& counting,
                         Tensor& out);

// Output 0 becomes the bins, of shape `dims`.
//   Errors: INVALID_ARGUMENT (negative values), RESOURCE_EXHAUSTED (many bins)
Status FillBins(KernelContext& context, Counter count, DimsView dims, bool is_binary) {
  const Tensor& weights = context.input(2);
  TAGFLOW_ASSIGN_OR_RETURN(const IntView values, IntView::Of(context.input(0)));
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0) continue;
    return InvalidArgument("values must not be negative, but one is " + std::to_string(values[i]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(weights.dtype(), dims));
  const Counting counting{dims.size() == 2 ? dims[0] : 1, dims.back(), is_binary};
  count(values, weights, counting, context.output(0));
  return Status();
}

//   arr: int32, any shape; size: int32 scalar; weights: T, one for each of arr, or none
//   bins: T [size], the number of elements (or the sum of their weights) for each value below size
Status Bincount(KernelContext& context, Counter count, bool) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, CountInput(context, 1, "size", 0));
  const int64_t weights = context.input(2).num_elements();
  const int64_t values = context.input(0).num_elements();
  if (weights != 0 && weights != values) {
    return InvalidArgument("there must be no weights or " + std::to_string(values) + ", not " +
                           std::to_string(weights));
  }
  return FillBins(context, count, SmallDims(1, size), false);
}

// As Bincount, for each row of a matrix; with binary_output, whether a value comes at all.
//   input: integers of rank 2 at most; weights: of the same shape, or empty
//   output: T [size] or [rows, size]
Status DenseBincount(KernelContext& context, Counter count, bool is_binary) {
  const DimsView input = context.input(0).dims();
  const Tensor& weights = context.input(2);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, CountInput(context, 1, "size", 0));
  if (input.size() > 2) {
    return InvalidArgument("input must be of rank 2 at most, not of shape " + DimsString(input));
  }
  if (weights.num_elements() != 0 && !SameDims(weights.dims(), input)) {
    return InvalidArgument("weights must have the shape of the input, " + DimsString(input) +
                           ", or be empty, not " + DimsString(weights.dims()));
  }
  SmallDims dims(1, size);
  if (input.size() == 2) dims.insert(0, input[0]);
  return FillBins(context, count, dims, is_binary);
}

template <Status (*kernel)(KernelContext& context, Counter count, bool is_binary)>
Result<BoundKernel> BindCount(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kCounted));
  bool is_binary = false;
  if (FindAttr(binding.node, "binary_output") != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(is_binary, BoolAttr(binding.node, "binary_output"));
  }
  const Counter count = ForComputingType(dtype, []<typename C>(Computing<C>) -> Counter {
    if constexpr (kIsCounted<C>) return Count<C>;
    return nullptr;
  });
  return BoundKernel(
      [count, is_binary](KernelContext& context) { return kernel(context, count, is_binary); });
}

// ---- HistogramFixedWidth ----

// The bin of a value: bins of equal width from low to high; what is outside is in the nearest.
int64_t BinOf(double value, double low, double high, int64_t bins) {
  const double step = (high - low) / static_cast<double>(bins);
  const double place = (std::max(value, low) - low) / step;
  if (!(place > 0)) return 0;
  return static_cast<int64_t>(std::min(place, static_cast<double>(bins - 1)));
}

template <typename C>
Status FillHistogram(KernelContext& context, int64_t bins, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor counts, Tensor::Allocate(DType::kInt64, SmallDims(1, bins)));
  const C* range = context.input(1).data<C>();
  if (!(range[0] < range[1])) {
    return InvalidArgument("value_range must begin below its end: " +
                           context.input(1).DebugString());
  }
  const auto low = static_cast<double>(range[0]), high = static_cast<double>(range[1]);
  int64_t* count = counts.mutable_data<int64_t>();
  for (const C value : context.input(0).flat<C>()) {
    if (value != value) return InvalidArgument("a NaN has no place in a histogram");
    ++count[BinOf(static_cast<double>(value), low, high, bins)];
  }
  return SetIndices(context, 0, dtype, counts.dims(), counts.flat<int64_t>());
}

using HistogramFiller = Status (*)(KernelContext& context, int64_t bins, DType dtype);

//   values: T, any shape; value_range: T [2], the first below the second; nbins: int32 scalar >= 1
//   out: dtype [nbins]
Result<BoundKernel> BindHistogram(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kCounted));
  const HistogramFiller fill =
      ForComputingType(dtype, []<typename C>(Computing<C>) -> HistogramFiller {
        if constexpr (kIsCounted<C>) return FillHistogram<C>;
        return nullptr;
      });
  return BoundKernel([fill, out = binding.output_dtype(0)](KernelContext& context) -> Status {
    const Tensor& range = context.input(1);
    if (range.rank() != 1 || range.dim(0) != 2) {
      return InvalidArgument("value_range must be a vector of two elements, not of shape " +
                             DimsString(range.dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t bins, CountInput(context, 2, "nbins", 1));
    return fill(context, bins, out);
  });
}

}  // namespace

Status RegisterHistogramKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Bincount", BindCount<Bincount>},
                                   {"DenseBincount", BindCount<DenseBincount>},
                                   {"HistogramFixedWidth", BindHistogram},
                               });
}

}  // namespace tagflow::optimized
