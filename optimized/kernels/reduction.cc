// Sum, Prod, Mean, EuclideanNorm, Max, Min, All and Any.

#include "optimized/kernels/reduction.h"

#include <utility>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/reduced_shapes.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/small_vector.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {
namespace {

static_assert(kWideBlock == formulas::kFoldBlock);

// ---- Kernels ----

//   inputs[0]: one of `dtypes`;  inputs[1]: the dimensions, see ReducedShapesOf
//   output: inputs[0] without them, or, with the attr keep_dims, with 1 in their place
template <typename F>
Result<BoundKernel> BindReduction(const Binding& binding, DTypeSet dtypes, const char* formula) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, binding.input_dtype(1), SetOf(DType::kInt32, DType::kInt64)));
  TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(binding.node, "keep_dims"));
  const Reducer& reducer = ReducerOf(kReducers<F>, dtype);
  const ReductionPart part = {formula, dtype, ReducedAxes::kInput};
  return BindPart(part, [&reducer, dtype, keep_dims](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(const ReducedShapes shapes,
                             ReducedShapesOf(input.dims(), context.input(1), keep_dims));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, shapes.output));
    return Reduce(reducer, input, shapes.kept, *out, context);
  });
}

template <typename F>
NamedBinder Reduction(const char* op, DTypeSet dtypes) {
  return {op,
          [dtypes, op](const Binding& binding) { return BindReduction<F>(binding, dtypes, op); }};
}

// ---- Walking ----

DType WideDType(DType dtype) {
  if (IsComplex(dtype)) return DType::kComplex128;
  if (IsFloating(dtype)) return DType::kDouble;
  return Contains(kUnsigned, dtype) ? DType::kUInt64 : DType::kInt64;
}

// Folds a row into its total, or into a total for each element.
class RowFolder {
 public:
  RowFolder(const Reducer& reducer, DType dtype, bool each)
      : fold_(each ? reducer.fold_each : reducer.fold),
        widening_(WidestWidening(dtype)),
        size_(static_cast<int64_t>(DTypeSize(dtype))),
        total_step_(each ? static_cast<int64_t>(DTypeSize(WideDType(dtype))) : 0) {}

  void operator()(const char* x, int64_t count, char* total) {
    if (widening_ == nullptr) return fold_(x, count, total);
    for (int64_t done = 0; done < count; done += kWideBlock) {
      const int64_t block = std::min(kWideBlock, count - done);
      widening_->load(x + done * size_, wide_, block);
      fold_(wide_, block, total + done * total_step_);
    }
  }

 private:
  void (*fold_)(const void* x, int64_t count, void* total);
  const Widening* widening_;
  int64_t size_;
  int64_t total_step_;
  alignas(64) char wide_[kWideBlock * kWideSizeMax];
};

// Folds elements into their totals, which are as `kept`: rows [begin, end) of the first dimension,
// which is kept if these are not all.
void FoldPart(const Reducer& reducer, const Tensor& input, DimsView kept, int64_t begin,
              int64_t end, char* totals) {
  const auto size = static_cast<int64_t>(DTypeSize(input.dtype()));
  const auto total_size = static_cast<int64_t>(DTypeSize(WideDType(input.dtype())));
  SmallDims dims(input.dims()), totals_dims(kept);
  const char* x = static_cast<const char*>(input.raw_data());
  if (!dims.empty() && end - begin < dims[0]) {
    x += begin * (input.num_elements() / dims[0]) * size;
    totals += begin * (*NumElements(kept) / dims[0]) * total_size;
    dims[0] = totals_dims[0] = end - begin;
  }
  const BroadcastRows rows({dims, totals_dims}, dims);
  RowFolder fold(reducer, input.dtype(), rows.step(1) == 1);
  rows.ForEach([&](const int64_t* offsets) {
    fold(x + offsets[0] * size, rows.row_size(), totals + offsets[1] * total_size);
    return true;
  });
}

void FoldAll(const Reducer& reducer, const Tensor& input, DimsView kept, char* totals,
             const KernelContext& context) {
  constexpr double kElementNs = 0.5;  // about how long an element takes
  if (kept.empty() || kept[0] == 1) {
    return FoldPart(reducer, input, kept, 0, kept.empty() ? 1 : input.dim(0), totals);
  }
  const double row_ns = kElementNs * static_cast<double>(input.num_elements() / kept[0]);
  context.ForRanges(kept[0], row_ns, [&](int64_t begin, int64_t end) {
    FoldPart(reducer, input, kept, begin, end, totals);
  });
}

}  // namespace

const Reducers& SumReducers() { return kReducers<formulas::Sum>; }

const Reducer& ReducerOf(const Reducers& reducers, DType dtype) {
  switch (WideDType(dtype)) {
    case DType::kInt64:
      return reducers.of_int64;
    case DType::kUInt64:
      return reducers.of_uint64;
    case DType::kDouble:
      return reducers.of_double;
    default:
      return reducers.of_complex;
  }
}

Status Reduce(const Reducer& reducer, const Tensor& input, DimsView kept, Tensor& output,
              const KernelContext& context) {
  const DType dtype = input.dtype();
  const Widening* widening = WidestWidening(dtype);
  const int64_t count = output.num_elements();
  Tensor wide_totals;
  alignas(kWideSizeMax) char one_total[kWideSizeMax];
  char* total = one_total;
  if (widening == nullptr) {
    total = static_cast<char*>(output.mutable_raw_data());
  } else if (count != 1) {
    TAGFLOW_ASSIGN_OR_RETURN(wide_totals,
                             Tensor::AllocateUninitialized(WideDType(dtype), Dims{count}));
    total = static_cast<char*>(wide_totals.mutable_raw_data());
  }
  reducer.start(dtype, count, total);
  if (input.num_elements() > 0) {
    FoldAll(reducer, input, kept, total, context);
  }
  reducer.finish(dtype, count == 0 ? 0 : input.num_elements() / count, count, total);
  if (widening != nullptr) widening->store(total, output.mutable_raw_data(), count);
  return Status();
}

Status RegisterReductionKernels(KernelRegistry& registry) {
  constexpr DTypeSet kBool = SetOf(DType::kBool);
  return RegisterAll(registry, {
                                   Reduction<formulas::All>("All", kBool),
                                   Reduction<formulas::Any>("Any", kBool),
                                   Reduction<formulas::EuclideanNorm>("EuclideanNorm", kNumbers),
                                   Reduction<formulas::Max>("Max", kReals),
                                   Reduction<formulas::Mean>("Mean", kNumbers),
                                   Reduction<formulas::Min>("Min", kReals),
                                   Reduction<formulas::Prod>("Prod", kNumbers),
                                   Reduction<formulas::Sum>("Sum", kNumbers),
                               });
}

}  // namespace tagflow::optimized
