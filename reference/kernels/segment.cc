// Reductions of the rows of a tensor, grouped by an id for each row.
//
// Rows are taken in order. Sums and products of half, bfloat16, float and complex64 are accumulated
// in double and rounded once; integers wrap at their own width, before a mean divides them towards
// zero. The extreme of some numbers is NaN if any is.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr int64_t kNowhere = -1;

// What goes where.
struct Plan {
  std::vector<int64_t> from;  // rows of the data,
  std::vector<int64_t> into;  // the segment of each, or kNowhere
  Dims output;                // the number of segments, then the dimensions of a row
  int64_t row_size = 0;
};

// What sums and products are accumulated in.
template <typename C>
struct AccumulatorOf {
  using Type = double;
};
template <IntegerElement C>
struct AccumulatorOf<C> {
  using Type = C;
};
template <ComplexElement C>
struct AccumulatorOf<C> {
  using Type = std::complex<double>;
};
template <typename C>
using Accumulator = typename AccumulatorOf<C>::Type;

// The value that the low bits have in an integer dtype.
template <typename C>
C Wrapped(C value, DType dtype) {
  if constexpr (IntegerElement<C>) {
    const int unused = 64 - 8 * static_cast<int>(DTypeSize(dtype));
    return static_cast<C>(static_cast<uint64_t>(value) << unused) >> unused;
  } else {
    return value;
  }
}

// A reduction is four formulas: the value of a segment without rows, the accumulator of a first
// element, one more element, and the result for a count of elements.
struct Sum {
  template <NumberElement C>
  static C Nothing(DType) {
    return C(0);
  }
  template <NumberElement C>
  static Accumulator<C> First(C x) {
    return static_cast<Accumulator<C>>(x);
  }
  template <NumberElement C>
  static Accumulator<C> Next(Accumulator<C> sum, C x) {
    return Plus(sum, static_cast<Accumulator<C>>(x));
  }
  template <NumberElement C>
  static C Finish(Accumulator<C> sum, int64_t, DType) {
    return static_cast<C>(sum);
  }
};
struct Prod : Sum {
  template <NumberElement C>
  static C Nothing(DType) {
    return C(1);
  }
  template <NumberElement C>
  static Accumulator<C> Next(Accumulator<C> product, C x) {
    return Times(product, static_cast<Accumulator<C>>(x));
  }
};
struct Mean : Sum {
  template <NumberElement C>
  static C Finish(Accumulator<C> sum, int64_t count, DType dtype) {
    if constexpr (IntegerElement<C>) {
      return Wrapped(sum, dtype) / static_cast<C>(count);
    } else {
      return static_cast<C>(sum / static_cast<double>(count));
    }
  }
};
struct SqrtN : Sum {
  template <FloatElement C>
  static C Finish(Accumulator<C> sum, int64_t count, DType) {
    return static_cast<C>(sum / std::sqrt(static_cast<double>(count)));
  }
};
struct Max {
  template <RealElement C>
  static C Nothing(DType) {
    return C(0);
  }
  template <RealElement C>
  static C First(C x) {
    return x;
  }
  template <RealElement C>
  static C Next(C max, C x) {
    return max != max || max > x ? max : x;
  }
  template <RealElement C>
  static C Finish(C max, int64_t, DType) {
    return max;
  }
};
struct Min : Max {
  template <RealElement C>
  static C Next(C min, C x) {
    return min != min || min < x ? min : x;
  }
};

// The largest finite number of a dtype.
template <RealElement C>
C Largest(DType dtype) {
  if constexpr (IntegerElement<C>) {
    return std::numeric_limits<C>::max() >> (64 - 8 * DTypeSize(dtype));
  } else if constexpr (std::floating_point<C>) {
    return std::numeric_limits<C>::max();
  } else {
    return C(dtype == DType::kHalf ? 65504.0 : 0x1.FEp127);
  }
}

// Where the ids need not be sorted, an extreme begins with the farthest finite number of the dtype.
struct UnsortedMax : Max {
  template <RealElement C>
  static C Nothing(DType dtype) {
    if constexpr (std::same_as<C, uint64_t>) return 0;
    if constexpr (std::same_as<C, int64_t>) return -Largest<C>(dtype) - 1;
    return Negate(Largest<C>(dtype));
  }
  template <RealElement C>
  static C Finish(C max, int64_t, DType dtype) {
    return Next(Nothing<C>(dtype), max);
  }
};
struct UnsortedMin : Min {
  template <RealElement C>
  static C Nothing(DType dtype) {
    return Largest<C>(dtype);
  }
  template <RealElement C>
  static C Finish(C min, int64_t, DType dtype) {
    return Next(Nothing<C>(dtype), min);
  }
};

template <typename R, typename C>
Result<Tensor> Fold(const Tensor& data, const Plan& plan) {
  const std::vector<C> elements = Load<C>(data);
  const size_t size = static_cast<size_t>(plan.row_size);
  const size_t segments = static_cast<size_t>(plan.output[0]);
  std::vector<decltype(R::template First<C>(C()))> accumulators(segments * size);
  std::vector<int64_t> counts(segments, 0);
  for (size_t i = 0; i < plan.into.size(); ++i) {
    if (plan.into[i] == kNowhere) continue;
    const size_t segment = static_cast<size_t>(plan.into[i]);
    for (size_t j = 0; j < size; ++j) {
      const C& x = elements[static_cast<size_t>(plan.from[i]) * size + j];
      auto& accumulator = accumulators[segment * size + j];
      accumulator =
          counts[segment] == 0 ? R::template First<C>(x) : R::template Next<C>(accumulator, x);
    }
    ++counts[segment];
  }
  std::vector<C> values;
  for (size_t i = 0; i < accumulators.size(); ++i) {
    const int64_t count = counts[i / size];
    values.push_back(count == 0 ? R::template Nothing<C>(data.dtype())
                                : R::template Finish<C>(accumulators[i], count, data.dtype()));
  }
  return Store(data.dtype(), plan.output, values);
}

// The outcome of a plan; where it has no elements, not even the segments are gone through.
template <typename R>
Status Follow(KernelContext& context, const Plan& plan) {
  const Tensor& data = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(plan.output));
  if (*NumElements(plan.output) == 0) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(data.dtype(), plan.output));
    return Status();
  }
  return WithComputingType(data.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (requires { R::template Finish<C>(R::template First<C>(C()), 0, DType()); }) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Fold<R, C>(data, plan)));
      return Status();
    } else {
      return RequireDType(context.node.op, data.dtype(), {});
    }
  });
}

// `segments` rows of what follows the first `prefix` dimensions of the data.
void SetOutput(Plan& plan, DimsView dims, size_t prefix, int64_t segments) {
  plan.output.assign(dims.begin() + static_cast<std::ptrdiff_t>(prefix), dims.end());
  plan.output.insert(plan.output.begin(), segments);
  plan.row_size = ProductOf(dims, prefix, dims.size());
}

std::vector<int64_t> FirstNumbers(size_t count) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(static_cast<int64_t>(i));
  return numbers;
}

// How many segments sorted ids name: one more than the last of them.
//   Errors: INVALID_ARGUMENT when an id is negative or less than the one before
Result<int64_t> SortedSegments(const std::vector<int64_t>& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && (i == 0 || ids[i] >= ids[i - 1])) continue;
    return InvalidArgument("segment ids must not be negative and must not decrease, but id " +
                           std::to_string(i) + " is " + std::to_string(ids[i]));
  }
  if (ids.empty()) return 0;
  if (ids.back() == std::numeric_limits<int64_t>::max()) {
    return InvalidArgument("segment id " + std::to_string(ids.back()) + " is too large");
  }
  return ids.back() + 1;
}

Status RequireRows(const Tensor& data) {
  if (data.rank() > 0) return Status();
  return InvalidArgument("data must be at least a vector, not a scalar");
}

//   data: T [n, ...]; segment_ids: integers [n], sorted; output: T [last id + 1, ...]
//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED (dtype), RESOURCE_EXHAUSTED (many segments)
template <typename R>
Kernel Sorted(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const Tensor& data = context.inputs[0];
    const Tensor& ids = context.inputs[1];
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, data.dtype(), dtypes));
    TAGFLOW_RETURN_IF_ERROR(RequireRows(data));
    if (ids.rank() != 1 || ids.dim(0) != data.dim(0)) {
      return InvalidArgument("segment_ids must be a vector with an id for each row of " +
                             DimsString(data.dims()) + ", not of shape " + DimsString(ids.dims()));
    }
    Plan plan;
    TAGFLOW_ASSIGN_OR_RETURN(plan.into, IndexValues(ids));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, SortedSegments(plan.into));
    plan.from = FirstNumbers(plan.into.size());
    SetOutput(plan, data.dims(), 1, segments);
    return Follow<R>(context, plan);
  };
}

//   data: T, shape that begins as segment_ids'; num_segments: integer scalar; rows whose id is
//   negative go nowhere
//   output: T [num_segments, ...]
//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED (dtype), RESOURCE_EXHAUSTED (many segments)
template <typename R>
Kernel Unsorted(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const Tensor& data = context.inputs[0];
    const DimsView prefix = context.inputs[1].dims();
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, data.dtype(), dtypes));
    if (data.dims().size() < prefix.size() ||
        !std::ranges::equal(prefix, data.dims().first(prefix.size()))) {
      return InvalidArgument("data of shape " + DimsString(data.dims()) +
                             " must begin with the shape of its segment_ids, " +
                             DimsString(prefix));
    }
    if (context.inputs[2].rank() != 0) return InvalidArgument("num_segments must be a scalar");
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments,
                             SingleIndex(context.inputs[2], "num_segments"));
    if (segments < 0) return InvalidArgument("num_segments must not be negative");
    Plan plan;
    TAGFLOW_ASSIGN_OR_RETURN(plan.into, IndexValues(context.inputs[1]));
    for (int64_t& id : plan.into) {
      if (data.num_elements() > 0 && id >= segments) {
        return InvalidArgument("segment id " + std::to_string(id) + " is not below " +
                               std::to_string(segments));
      }
      id = std::max(id, kNowhere);
    }
    plan.from = FirstNumbers(plan.into.size());
    SetOutput(plan, data.dims(), prefix.size(), segments);
    return Follow<R>(context, plan);
  };
}

// OK if indices and segment_ids belong together.
Status RequireIdForEachIndex(const Tensor& indices, const Tensor& ids) {
  if (indices.rank() == 1 && ids.rank() == 1 && indices.dim(0) == ids.dim(0)) return Status();
  return InvalidArgument("indices and segment_ids must be vectors of one size, not " +
                         DimsString(indices.dims()) + " and " + DimsString(ids.dims()));
}

// OK if all are numbers of `count` rows.   Errors: INVALID_ARGUMENT
Status RequireRowsOf(int64_t count, const std::vector<int64_t>& numbers, std::string_view what) {
  for (int64_t number : numbers) {
    if (number >= 0 && number < count) continue;
    return InvalidArgument(std::string(what) + " " + std::to_string(number) + " is not in [0, " +
                           std::to_string(count) + ")");
  }
  return Status();
}

// A scalar that counts rows.   Errors: INVALID_ARGUMENT
Result<int64_t> RowCount(const Tensor& tensor, std::string_view what) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(tensor, what));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, SingleIndex(tensor, what));
  if (count >= 0) return count;
  return InvalidArgument(std::string(what) + " must not be negative");
}

// As many segments as the ids name, or more, where an input says so.
Result<int64_t> NumSegments(const KernelContext& context, const std::vector<int64_t>& ids) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t named, SortedSegments(ids));
  if (context.inputs.size() < 4) return named;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, RowCount(context.inputs[3], "num_segments"));
  if (named <= count) return count;
  return InvalidArgument("segment ids must be < num_segments");
}

//   data: T [n, ...]; indices: integers [k], which rows; segment_ids: integers [k], sorted;
//   num_segments, of the ops that have it: scalar
//   output: T [last id + 1, ...], or [num_segments, ...]
//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED (dtype), RESOURCE_EXHAUSTED (many segments)
template <typename R>
Kernel Sparse(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const Tensor& data = context.inputs[0];
    const Tensor& indices = context.inputs[1];
    const Tensor& ids = context.inputs[2];
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, data.dtype(), dtypes));
    TAGFLOW_RETURN_IF_ERROR(RequireRows(data));
    TAGFLOW_RETURN_IF_ERROR(RequireIdForEachIndex(indices, ids));
    Plan plan;
    TAGFLOW_ASSIGN_OR_RETURN(plan.from, IndexValues(indices));
    TAGFLOW_ASSIGN_OR_RETURN(plan.into, IndexValues(ids));
    TAGFLOW_RETURN_IF_ERROR(RequireRowsOf(data.dim(0), plan.from, "index"));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, NumSegments(context, plan.into));
    SetOutput(plan, data.dims(), 1, segments);
    return Follow<R>(context, plan);
  };
}

// What an element counts in a segment of so many, of each reduction of rows that indices name.
using Weight = double (*)(double count);
double OfSum(double) { return 1; }
double OfMean(double count) { return 1 / count; }
double OfSqrtN(double count) { return 1 / std::sqrt(count); }

// Rows [rows, row_size]: for each k row into[k] is what it was plus row ids[k] of the gradient
// times the weight of its segment.
template <typename C>
std::vector<C> GradientRows(const Tensor& grad, const std::vector<int64_t>& ids,
                            const std::vector<int64_t>& into, int64_t rows, Weight weight) {
  const std::vector<C> elements = Load<C>(grad);
  const size_t size = static_cast<size_t>(ProductOf(grad.dims(), 1, grad.dims().size()));
  std::vector<double> counts(static_cast<size_t>(grad.dim(0)));
  for (int64_t id : ids) ++counts[static_cast<size_t>(id)];
  std::vector<double> sums(static_cast<size_t>(rows) * size);
  for (size_t k = 0; k < ids.size(); ++k) {
    const size_t segment = static_cast<size_t>(ids[k]);
    for (size_t j = 0; j < size; ++j) {
      sums[static_cast<size_t>(into[k]) * size + j] +=
          static_cast<double>(elements[segment * size + j]) * weight(counts[segment]);
    }
  }
  return std::vector<C>(sums.begin(), sums.end());
}

//   grad: T [s, ...]; indices: integers [k], rows of the output; segment_ids: integers [k], rows of
//   grad, in any order; rows: int32 scalar
//   output: T [rows, ...]; of the second version only the rows that indices name, in ascending
//   order, and as a second output the indices, each once
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED (many rows)
Kernel SparseGrad(Weight weight) {
  return [weight](KernelContext& context) -> Status {
    const Tensor& grad = context.inputs[0];
    const Tensor& indices = context.inputs[1];
    TAGFLOW_RETURN_IF_ERROR(RequireRows(grad));
    TAGFLOW_RETURN_IF_ERROR(RequireIdForEachIndex(indices, context.inputs[2]));
    TAGFLOW_ASSIGN_OR_RETURN(int64_t rows, RowCount(context.inputs[3], "output_dim0"));
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> into, IndexValues(indices));
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, IndexValues(context.inputs[2]));
    TAGFLOW_RETURN_IF_ERROR(RequireRowsOf(rows, into, "index"));
    TAGFLOW_RETURN_IF_ERROR(RequireRowsOf(grad.dim(0), ids, "segment id"));
    if (context.outputs.size() > 1) {
      const std::set<int64_t> named(into.begin(), into.end());
      for (int64_t& row : into) row = std::distance(named.begin(), named.find(row));
      rows = static_cast<int64_t>(named.size());
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                               IndexTensor(indices.dtype(), Dims{rows},
                                           std::vector<int64_t>(named.begin(), named.end())));
    }
    Dims dims = ToDims(grad.dims());
    dims[0] = rows;
    TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
    if (*NumElements(dims) == 0) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(grad.dtype(), dims));
      return Status();
    }
    return WithComputingType(grad.dtype(), [&]<typename C>(Computing<C>) -> Status {
      if constexpr (FloatElement<C>) {
        TAGFLOW_ASSIGN_OR_RETURN(
            context.outputs[0],
            Store(grad.dtype(), dims, GradientRows<C>(grad, ids, into, rows, weight)));
      }
      return Status();
    });
  };
}

}  // namespace

Status RegisterSegmentKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SegmentSum", Sorted<Sum>(kNumbers)},
                                {"SegmentMean", Sorted<Mean>(kNumbers)},
                                {"SegmentProd", Sorted<Prod>(kNumbers)},
                                {"SegmentMax", Sorted<Max>(kReals)},
                                {"SegmentMin", Sorted<Min>(kReals)},
                                {"UnsortedSegmentSum", Unsorted<Sum>(kNumbers)},
                                {"UnsortedSegmentProd", Unsorted<Prod>(kNumbers)},
                                {"UnsortedSegmentMax", Unsorted<UnsortedMax>(kReals)},
                                {"UnsortedSegmentMin", Unsorted<UnsortedMin>(kReals)},
                                {"SparseSegmentSum", Sparse<Sum>(kReals)},
                                {"SparseSegmentMean", Sparse<Mean>(kFloating)},
                                {"SparseSegmentSqrtN", Sparse<SqrtN>(kFloating)},
                                {"SparseSegmentSumWithNumSegments", Sparse<Sum>(kReals)},
                                {"SparseSegmentMeanWithNumSegments", Sparse<Mean>(kFloating)},
                                {"SparseSegmentSqrtNWithNumSegments", Sparse<SqrtN>(kFloating)},
                                {"SparseSegmentSumGrad", SparseGrad(OfSum)},
                                {"SparseSegmentMeanGrad", SparseGrad(OfMean)},
                                {"SparseSegmentSqrtNGrad", SparseGrad(OfSqrtN)},
                                {"SparseSegmentSumGradV2", SparseGrad(OfSum)},
                                {"SparseSegmentMeanGradV2", SparseGrad(OfMean)},
                                {"SparseSegmentSqrtNGradV2", SparseGrad(OfSqrtN)}});
}

}  // namespace tagflow::reference
