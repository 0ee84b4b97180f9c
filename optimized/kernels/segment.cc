// Reductions of the rows of a tensor, grouped by an id for each row: SegmentSum,
// UnsortedSegmentMax, SparseSegmentMean, ….
//
// Rows are taken in order, each added to the accumulators of its segment. Elements are widened for
// that (int64, uint64, double, complex128) and stored once: sums of floats are rounded once,
// integers wrap at their own width, before a mean divides them towards zero. The extreme of some
// numbers is NaN if any is.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optimized/formulas/numbers.h"
#include "optimized/formulas/segments.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/segments.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the table below is of nothing else

namespace {

// ---- Folding ----

// What goes where.
struct Plan {
  const IntView* from = nullptr;  // which row of the data is number i; null: row i
  const IntView& into;            // the segment of row number i; negative: none
  SmallDims output;               // the number of segments, then the dimensions of a row
  int64_t row_size = 0;
};

// Accumulators for the rows of a plan, [segments, row_size], and how many rows each has seen.
template <typename W>
struct Accumulators {
  Tensor room;
  std::vector<int64_t> counts;

  W* row(int64_t segment, int64_t row_size) {
    return static_cast<W*>(room.mutable_raw_data()) + segment * row_size;
  }
};

template <typename R, typename W>
void FoldRow(const char* row, const Widening* widening, size_t width, int64_t size, bool is_first,
             W* accumulators) {
  alignas(16) W block[kWideBlock];
  for (int64_t begin = 0; begin < size; begin += kWideBlock) {
    const int64_t count = std::min(kWideBlock, size - begin);
    const char* elements = row + static_cast<size_t>(begin) * width;
    const W* wide = reinterpret_cast<const W*>(elements);
    if (widening != nullptr) {
      widening->load(elements, block, count);
      wide = block;
    }
    W* into = accumulators + begin;
    if (is_first) {
      std::copy_n(wide, count, into);
    } else {
      for (int64_t i = 0; i < count; ++i) into[i] = R::template Next<W>(into[i], wide[i]);
    }
  }
}

template <typename R, typename W>
void FoldRows(const Tensor& data, const Plan& plan, Accumulators<W>& accumulators) {
  const Widening* widening = WidestWidening(data.dtype());
  const size_t width = DTypeSize(data.dtype());
  const char* rows = static_cast<const char*>(data.raw_data());
  for (int64_t i = 0; i < plan.into.size(); ++i) {
    const int64_t segment = plan.into[i];
    if (segment < 0) continue;
    const int64_t row = plan.from == nullptr ? i : (*plan.from)[i];
    const bool is_first = accumulators.counts[static_cast<size_t>(segment)]++ == 0;
    FoldRow<R, W>(rows + static_cast<size_t>(row * plan.row_size) * width, widening, width,
                  plan.row_size, is_first, accumulators.row(segment, plan.row_size));
  }
}

// Output 0 becomes the outcome of a plan; where it has no elements, not even the segments are gone
// through.
template <typename R, typename W>
Status Follow(KernelContext& context, const Tensor& data, const Plan& plan) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, data.dtype(), plan.output));
  if (out->num_elements() == 0) return Status();
  Accumulators<W> accumulators;
  TAGFLOW_ASSIGN_OR_RETURN(
      accumulators.room,
      Tensor::AllocateUninitialized(DType::kUInt8, Dims{out->num_elements(), sizeof(W)}));
  accumulators.counts.resize(static_cast<size_t>(plan.output[0]));
  FoldRows<R, W>(data, plan, accumulators);
  const DTypeFacts<W> facts = FactsOf<W>(data.dtype());
  for (int64_t segment = 0; segment < plan.output[0]; ++segment) {
    W* row = accumulators.row(segment, plan.row_size);
    const int64_t count = accumulators.counts[static_cast<size_t>(segment)];
    if (count == 0) {
      std::fill_n(row, plan.row_size, R::template Nothing<W>(facts));
    } else {
      for (int64_t i = 0; i < plan.row_size; ++i) {
        row[i] = R::template Finish<W>(row[i], count, facts);
      }
    }
  }
  const Widening* widening = WidestWidening(data.dtype());
  if (widening == nullptr) {
    std::copy_n(accumulators.row(0, 0), out->num_elements(),
                static_cast<W*>(out->mutable_raw_data()));
  } else {
    widening->store(accumulators.room.raw_data(), out->mutable_raw_data(), out->num_elements());
  }
  return Status();
}

using Follower = Status (*)(KernelContext& context, const Tensor& data, const Plan& plan);

template <typename R, typename W>
constexpr Follower FollowerIn() {
  if constexpr (requires(W x) { R::template Finish<W>(R::template Next<W>(x, x), 0, {}); }) {
    return &Follow<R, W>;
  } else {
    return nullptr;
  }
}

// REQUIRES: a dtype that the reduction is for
template <typename R>
Follower FollowerOf(DType dtype) {
  if (IsComplex(dtype)) return FollowerIn<R, std::complex<double>>();
  if (IsFloating(dtype)) return FollowerIn<R, double>();
  return Contains(kUnsigned, dtype) ? FollowerIn<R, uint64_t>() : FollowerIn<R, int64_t>();
}

// ---- Plans ----

// Dimensions of `segments` rows of what follows the first `prefix` dimensions of the data.
SmallDims OutputDims(DimsView dims, size_t prefix, int64_t segments) {
  SmallDims output(1, segments);
  output.append(dims.subspan(prefix));
  return output;
}

// How many segments sorted ids name: one more than the last of them.
//   Errors: INVALID_ARGUMENT when an id is negative or less than the one before
Result<int64_t> SortedSegments(const IntView& ids) {
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && (i == 0 || ids[i] >= ids[i - 1])) continue;
    return InvalidArgument("segment ids must not be negative and must not decrease, but id " +
                           std::to_string(i) + " is " + std::to_string(ids[i]));
  }
  if (ids.size() == 0) return 0;
  const int64_t last = ids[ids.size() - 1];
  if (last < std::numeric_limits<int64_t>::max()) return last + 1;
  return InvalidArgument("segment id " + std::to_string(last) + " is too large");
}

Status RequireRows(const Tensor& data) {
  if (data.rank() > 0) return Status();
  return InvalidArgument("data must be at least a vector, not a scalar");
}

//   data: T [n, ...]; segment_ids: integers [n], sorted; output: T [last id + 1, ...]
Status Sorted(KernelContext& context, Follower follow) {
  const Tensor& data = context.input(0);
  const Tensor& ids_input = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(RequireRows(data));
  if (ids_input.rank() != 1 || ids_input.dim(0) != data.dim(0)) {
    return InvalidArgument("segment_ids must be a vector with an id for each row of " +
                           DimsString(data.dims()) + ", not of shape " +
                           DimsString(ids_input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView ids, IntView::Of(ids_input));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, SortedSegments(ids));
  const Plan plan{nullptr, ids, OutputDims(data.dims(), 1, segments),
                  ProductOf(data.dims(), 1, data.dims().size())};
  return follow(context, data, plan);
}

//   data: T, shape that begins as segment_ids'; num_segments: integer scalar; rows whose id is
//   negative go nowhere
//   output: T [num_segments, ...]
Status Unsorted(KernelContext& context, Follower follow) {
  const Tensor& data = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(UnsortedSegments segments, UnsortedSegmentsOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView ids, IntView::Of(context.input(1)));
  if (data.num_elements() > 0) {
    TAGFLOW_RETURN_IF_ERROR(CheckSegmentIds(ids, segments.count()));
  }
  const Plan plan{nullptr, ids, std::move(segments.output), segments.row_size};
  return follow(context, data, plan);
}

// Rows that indices name, and a segment id for each.
struct NamedRows {
  IntView rows, ids;
};

// Inputs 1 and 2.   Errors: INVALID_ARGUMENT unless they are of one size, and rows below `count`
Result<NamedRows> NamedRowsOf(const KernelContext& context, int64_t count) {
  const Tensor& rows_input = context.input(1);
  const Tensor& ids_input = context.input(2);
  if (rows_input.rank() != 1 || !SameDims(rows_input.dims(), ids_input.dims())) {
    return InvalidArgument("indices and segment_ids must be vectors of one size, not " +
                           DimsString(rows_input.dims()) + " and " + DimsString(ids_input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(IntView rows, IntView::Of(rows_input));
  TAGFLOW_ASSIGN_OR_RETURN(IntView ids, IntView::Of(ids_input));
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0 && rows[i] < count) continue;
    return InvalidArgument("index " + std::to_string(rows[i]) + " is not in [0, " +
                           std::to_string(count) + ")");
  }
  return NamedRows{std::move(rows), std::move(ids)};
}

// The scalar input 3.   Errors: INVALID_ARGUMENT for a negative one
Result<int64_t> RowCount(const KernelContext& context, std::string_view what) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, ScalarInt(context.input(3), what));
  if (count >= 0) return count;
  return InvalidArgument(std::string(what) + " must not be negative");
}

//   data: T [n, ...]; indices: integers [k], which rows; segment_ids: integers [k], sorted;
//   num_segments, of the ops that have it: scalar
//   output: T [last id + 1, ...], or [num_segments, ...]
Status Sparse(KernelContext& context, Follower follow) {
  const Tensor& data = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireRows(data));
  TAGFLOW_ASSIGN_OR_RETURN(const NamedRows named, NamedRowsOf(context, data.dim(0)));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t segments, SortedSegments(named.ids));
  if (context.num_inputs() > 3) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, RowCount(context, "num_segments"));
    if (segments > count) return InvalidArgument("segment ids must be < num_segments");
    segments = count;
  }
  const Plan plan{&named.rows, named.ids, OutputDims(data.dims(), 1, segments),
                  ProductOf(data.dims(), 1, data.dims().size())};
  return follow(context, data, plan);
}

// ---- Gradients of rows that indices name ----

// What an element counts in a segment of so many.
using Weight = double (*)(double count);
double OfSum(double) { return 1; }
double OfMean(double count) { return 1 / count; }
double OfSqrtN(double count) { return 1 / std::sqrt(count); }

// The weight of each of `segments`.   Errors: INVALID_ARGUMENT for an id of none of them
Result<std::vector<double>> Weights(const IntView& ids, int64_t segments, Weight weight) {
  std::vector<double> weights(static_cast<size_t>(segments));
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= segments) {
      return InvalidArgument("segment id " + std::to_string(ids[i]) + " is not in [0, " +
                             std::to_string(segments) + ")");
    }
    ++weights[static_cast<size_t>(ids[i])];
  }
  for (double& count : weights) count = count == 0 ? 0 : weight(count);
  return weights;
}

// Output 1 becomes the rows that are named, each once, ascending.
//   Returns: for each name, which of them it is
Result<std::vector<int64_t>> SetUnique(KernelContext& context, const IntView& rows) {
  std::vector<int64_t> unique = rows.values();
  std::ranges::sort(unique);
  unique.erase(std::ranges::unique(unique).begin(), unique.end());
  std::vector<int64_t> places;
  for (int64_t i = 0; i < rows.size(); ++i) {
    places.push_back(std::ranges::lower_bound(unique, rows[i]) - unique.begin());
  }
  TAGFLOW_RETURN_IF_ERROR(SetIndices(context, 1, context.input(1).dtype(),
                                     SmallDims(1, static_cast<int64_t>(unique.size())), unique));
  return places;
}

//   grad: T [s, ...]; indices: integers [k], rows of the output; segment_ids: integers [k], rows of
//   grad, in any order; rows: int32 scalar
//   output: T [rows, ...]: for each k row ids[k] of grad, times the weight of its segment, is added
//   to row indices[k]. With `only_named` only the rows that indices name, in ascending order, and
//   as a second output the indices, each once.
Status SparseGrad(KernelContext& context, Weight weight, bool only_named) {
  const Tensor& grad = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireRows(grad));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t rows, RowCount(context, "output_dim0"));
  TAGFLOW_ASSIGN_OR_RETURN(const NamedRows named, NamedRowsOf(context, rows));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<double> weights,
                           Weights(named.ids, grad.dim(0), weight));
  std::vector<int64_t> places;
  if (only_named) {
    TAGFLOW_ASSIGN_OR_RETURN(places, SetUnique(context, named.rows));
    rows = context.output(1).dim(0);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out,
                           Tensor::Allocate(grad.dtype(), OutputDims(grad.dims(), 1, rows)));
  if (out.num_elements() > 0 && named.rows.size() > 0) {
    const int64_t size = ProductOf(grad.dims(), 1, grad.dims().size());
    TAGFLOW_ASSIGN_OR_RETURN(const auto elements, ElementsAs<double>::OfWidest(grad));
    TAGFLOW_ASSIGN_OR_RETURN(auto sums, ElementsFor<double>::OfWidest(out, Contents::kKept));
    for (int64_t i = 0; i < named.rows.size(); ++i) {
      const int64_t segment = named.ids[i];
      const double factor = weights[static_cast<size_t>(segment)];
      const double* from = elements.data() + segment * size;
      double* sum =
          sums.data() + (only_named ? places[static_cast<size_t>(i)] : named.rows[i]) * size;
      for (int64_t j = 0; j < size; ++j) sum[j] += factor * from[j];
    }
    sums.Finish();
  }
  context.output(0) = std::move(out);
  return Status();
}

template <Weight weight>
Result<BoundKernel> BindGrad(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.output_dtype(0), kFloats));
  const bool only_named = binding.signature.outputs.size() > 1;
  return BoundKernel(
      [only_named](KernelContext& context) { return SparseGrad(context, weight, only_named); });
}

//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED (dtype), RESOURCE_EXHAUSTED (many segments)
template <typename R, Status (*kernel)(KernelContext& context, Follower follow), DTypeSet dtypes>
Result<BoundKernel> Bind(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
  return BoundKernel(
      [follow = FollowerOf<R>(dtype)](KernelContext& context) { return kernel(context, follow); });
}

}  // namespace

Result<UnsortedSegments> UnsortedSegmentsOf(const KernelContext& context) {
  const DimsView dims = context.input(0).dims();
  const DimsView prefix = context.input(1).dims();
  if (dims.size() < prefix.size() || !SameDims(prefix, dims.first(prefix.size()))) {
    return InvalidArgument("data of shape " + DimsString(dims) +
                           " must begin with the shape of its segment_ids, " + DimsString(prefix));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, ScalarInt(context.input(2), "num_segments"));
  if (segments < 0) return InvalidArgument("num_segments must not be negative");
  return UnsortedSegments{OutputDims(dims, prefix.size(), segments),
                          ProductOf(dims, prefix.size(), dims.size())};
}

Status CheckSegmentIds(const IntView& ids, int64_t segments) {
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < segments) continue;
    return InvalidArgument("segment id " + std::to_string(ids[i]) + " is not below " +
                           std::to_string(segments));
  }
  return Status();
}

Status RegisterSegmentKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry, {
                    {"SegmentMax", Bind<SegmentMax, Sorted, kReals>},
                    {"SegmentMean", Bind<SegmentMean, Sorted, kNumbers>},
                    {"SegmentMin", Bind<SegmentMin, Sorted, kReals>},
                    {"SegmentProd", Bind<SegmentProduct, Sorted, kNumbers>},
                    {"SegmentSum", Bind<SegmentSum, Sorted, kNumbers>},
                    {"SparseSegmentMean", Bind<SegmentMean, Sparse, kFloats>},
                    {"SparseSegmentMeanGrad", BindGrad<OfMean>},
                    {"SparseSegmentMeanGradV2", BindGrad<OfMean>},
                    {"SparseSegmentMeanWithNumSegments", Bind<SegmentMean, Sparse, kFloats>},
                    {"SparseSegmentSqrtN", Bind<SegmentSumBySqrtN, Sparse, kFloats>},
                    {"SparseSegmentSqrtNGrad", BindGrad<OfSqrtN>},
                    {"SparseSegmentSqrtNGradV2", BindGrad<OfSqrtN>},
                    {"SparseSegmentSqrtNWithNumSegments", Bind<SegmentSumBySqrtN, Sparse, kFloats>},
                    {"SparseSegmentSum", Bind<SegmentSum, Sparse, kReals>},
                    {"SparseSegmentSumGrad", BindGrad<OfSum>},
                    {"SparseSegmentSumGradV2", BindGrad<OfSum>},
                    {"SparseSegmentSumWithNumSegments", Bind<SegmentSum, Sparse, kReals>},
                    {"UnsortedSegmentMax", Bind<UnsortedSegmentMax, Unsorted, kReals>},
                    {"UnsortedSegmentMin", Bind<UnsortedSegmentMin, Unsorted, kReals>},
                    {"UnsortedSegmentProd", Bind<SegmentProduct, Unsorted, kNumbers>},
                    {"UnsortedSegmentSum", Bind<SegmentSum, Unsorted, kNumbers>},
                });
}

}  // namespace tagflow::optimized
