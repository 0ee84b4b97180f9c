// How often values come: Bincount, DenseBincount, HistogramFixedWidth.

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kCounted = {DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble};

// The scalar input i, which must not be negative (or 0, where `least` is 1).
Result<int64_t> CountInput(const KernelContext& context, size_t i, std::string_view name,
                           int64_t least = 0) {
  const Tensor& input = context.inputs[i];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(input, name));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, SingleIndex(input, name));
  if (count >= least) return count;
  return InvalidArgument(std::string(name) + " must be at least " + std::to_string(least) +
                         ", not " + std::to_string(count));
}

// Element i of the values falls into one of `size` bins of its row; larger ones into none.
struct Counting {
  std::vector<int64_t> values;
  Dims output;  // [size] or [rows, size]
  bool binary = false;
};

template <NumberElement C>
Result<Tensor> Counted(const Counting& counting, const Tensor& weights) {
  const std::vector<C> weight = Load<C>(weights);
  const int64_t size = counting.output.back();
  const int64_t rows = counting.output.size() == 2 ? counting.output[0] : 1;
  const int64_t per_row = rows == 0 ? 0 : static_cast<int64_t>(counting.values.size()) / rows;
  std::vector<C> bins(static_cast<size_t>(*NumElements(counting.output)), C(0));
  for (size_t i = 0; i < counting.values.size(); ++i) {
    if (counting.values[i] >= size) continue;
    const int64_t row = static_cast<int64_t>(i) / per_row;
    C& bin = bins[static_cast<size_t>(row * size + counting.values[i])];
    bin = counting.binary ? C(1) : Plus(bin, weight.empty() ? C(1) : weight[i]);
  }
  return Store(weights.dtype(), counting.output, bins);
}

// Counts into the shape that counting.output gives.
//   Errors: INVALID_ARGUMENT (negative values), RESOURCE_EXHAUSTED (many bins)
Status FillBins(KernelContext& context, Counting counting) {
  const Tensor& weights = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, weights.dtype(), kCounted));
  TAGFLOW_ASSIGN_OR_RETURN(counting.values, IndexValues(context.inputs[0]));
  for (int64_t value : counting.values) {
    if (value < 0)
      return InvalidArgument("values must not be negative, but one is " + std::to_string(value));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(counting.output));
  return WithComputingType(weights.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (NumberElement<C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Counted<C>(counting, weights));
    }
    return Status();
  });
}

//   arr: int32, any shape; size: int32 scalar; weights: T, one for each of arr, or none
//   bins: T [size], the number of elements (or the sum of their weights) for each value below size
Status Bincount(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, CountInput(context, 1, "size"));
  const Tensor& weights = context.inputs[2];
  const int64_t count = context.inputs[0].num_elements();
  if (weights.num_elements() != 0 && weights.num_elements() != count) {
    return InvalidArgument("there must be no weights or " + std::to_string(count) + ", not " +
                           std::to_string(weights.num_elements()));
  }
  return FillBins(context, {{}, Dims{size}, false});
}

// As Bincount, for each row of a matrix; with binary_output, whether a value comes at all.
//   input: integers of rank 2 at most; weights: of the same shape, or empty
//   output: T [size] or [rows, size]
Status DenseBincount(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& weights = context.inputs[2];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, CountInput(context, 1, "size"));
  if (input.rank() > 2) {
    return InvalidArgument("input must be of rank 2 at most, not of shape " +
                           DimsString(input.dims()));
  }
  if (weights.num_elements() != 0 && !std::ranges::equal(weights.dims(), input.dims())) {
    return InvalidArgument("weights must have the shape of the input, " + DimsString(input.dims()) +
                           ", or be empty, not " + DimsString(weights.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool binary, BoolAttr(context.node, "binary_output"));
  return FillBins(context, {{}, input.rank() == 2 ? Dims{input.dim(0), size} : Dims{size}, binary});
}

// The bin of a value: bins of equal width from low to high; what is outside is in the nearest.
int64_t BinOf(double value, double low, double high, int64_t bins) {
  const double step = (high - low) / static_cast<double>(bins);
  const double place = (std::max(value, low) - low) / step;
  if (!(place > 0)) return 0;
  return static_cast<int64_t>(std::min(place, static_cast<double>(bins - 1)));
}

template <RealElement C>
Status FillHistogram(KernelContext& context, int64_t bins) {
  const std::vector<C> range = Load<C>(context.inputs[1]);
  if (!(range[0] < range[1])) {
    return InvalidArgument("value_range must begin below its end: " +
                           context.inputs[1].DebugString());
  }
  std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
  for (const C& value : Load<C>(context.inputs[0])) {
    if (value != value) return InvalidArgument("a NaN has no place in a histogram");
    ++counts[static_cast<size_t>(BinOf(static_cast<double>(value), static_cast<double>(range[0]),
                                       static_cast<double>(range[1]), bins))];
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Store(context.signature.outputs[0].dtype, Dims{bins}, counts));
  return Status();
}

//   values: T, any shape; value_range: T [2], the first below the second; nbins: int32 scalar >= 1
//   out: dtype [nbins]
Status HistogramFixedWidth(KernelContext& context) {
  const Tensor& range = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, range.dtype(), kCounted));
  TAGFLOW_RETURN_IF_ERROR(
      RequireSameDType(context.node.op, context.inputs[0].dtype(), range.dtype()));
  if (range.rank() != 1 || range.dim(0) != 2) {
    return InvalidArgument("value_range must be a vector of two elements, not of shape " +
                           DimsString(range.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t bins, CountInput(context, 2, "nbins", 1));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{bins}));
  return WithComputingType(range.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      return FillHistogram<C>(context, bins);
    } else {
      return RequireDType(context.node.op, range.dtype(), {});
    }
  });
}

}  // namespace

Status RegisterHistogramKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Bincount", Bincount},
                                {"DenseBincount", DenseBincount},
                                {"HistogramFixedWidth", HistogramFixedWidth}});
}

}  // namespace tagflow::reference
