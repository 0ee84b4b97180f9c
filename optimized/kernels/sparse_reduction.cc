// Reductions of sparse tensors: SparseReduceSum, SparseReduceMax, SparseBincount.
//
// Only elements that are there count; where a result has none it is 0. Elements are widened
// (int64, uint64, double, complex128) and results rounded once. The maximum of numbers with NaN
// among them is NaN.
// Tested by conformance/ops/sparse_math.ops.

#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

struct Sum {
  template <Number W>
  static W Next(W sum, W x) {
    return Plus(sum, x);
  }
};
struct Max {
  template <Real W>
  static W Next(W max, W x) {
    return max != max || max > x ? max : x;
  }
};

// What a reduction gives, and how far apart in it neighbours along each dimension are: 0 along a
// reduced one.
struct Reduction {
  SmallDims dims, strides;
};

//   Errors: INVALID_ARGUMENT
Result<Reduction> ReductionOf(DimsView dims, const Tensor& axes, bool keep_dims) {
  if (axes.rank() > 1) {
    return InvalidArgument("Expected reduction_axes to be a scalar or a vector; got shape: " +
                           DimsString(axes.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims given, IndexValues(axes));
  std::vector<bool> is_reduced(dims.size(), false);
  for (const int64_t axis : given) {
    TAGFLOW_ASSIGN_OR_RETURN(
        const int64_t canonical,
        CanonicalAxis(axis, static_cast<int64_t>(dims.size()), "reduction dimension"));
    is_reduced[static_cast<size_t>(canonical)] = true;
  }
  Reduction reduction;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!is_reduced[d] || keep_dims) reduction.dims.push_back(is_reduced[d] ? 1 : dims[d]);
  }
  reduction.strides.resize(dims.size(), 0);
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    if (is_reduced[d]) continue;
    reduction.strides[d] = stride;
    stride = WrappingProduct(stride, dims[d]);
  }
  return reduction;
}

//   reduction_axes: int32, scalar or vector; output: T, without the axes, or with ones for them
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <typename R, typename W>
Status Reduce(KernelContext& context, bool keep_dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const Reduction reduction,
                           ReductionOf(sparse.dims, context.input(3), keep_dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(sparse.values.dtype(), reduction.dims));
  if (sparse.places.size() > 0) {
    TAGFLOW_ASSIGN_OR_RETURN(const auto values, ElementsAs<W>::OfWidest(sparse.values));
    TAGFLOW_ASSIGN_OR_RETURN(auto results, ElementsFor<W>::OfWidest(out, Contents::kKept));
    std::vector<bool> has_any(static_cast<size_t>(out.num_elements()), false);
    for (int64_t i = 0; i < sparse.places.size(); ++i) {
      int64_t at = 0;
      for (size_t d = 0; d < sparse.dims.size(); ++d) {
        at += reduction.strides[d] * sparse.places.at(i, static_cast<int64_t>(d));
      }
      const bool is_first = !has_any[static_cast<size_t>(at)];
      results[at] = is_first ? values[i] : R::template Next<W>(results[at], values[i]);
      has_any[static_cast<size_t>(at)] = true;
    }
    results.Finish();
  }
  context.output(0) = std::move(out);
  return Status();
}

template <typename R, DTypeSet dtypes>
Result<BoundKernel> BindReduce(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
  TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(binding.node, "keep_dims"));
  return ForWidestType(dtype, [keep_dims]<typename W>(Computing<W>) {
    if constexpr (requires(W x) { R::template Next<W>(x, x); }) {
      return BoundKernel(
          [keep_dims](KernelContext& context) { return Reduce<R, W>(context, keep_dims); });
    }
    return BoundKernel();
  });
}

// ---- SparseBincount ----

// The inputs, looked through.
struct Counting {
  SparseInput sparse;
  int64_t size;

  bool has_rows() const { return sparse.dims.size() > 1; }
};

Result<Counting> CountingOf(const KernelContext& context) {
  const Tensor& weights = context.input(4);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInt(context.input(3), "size"));
  if (size < 0) return InvalidArgument("size (" + std::to_string(size) + ") must be non-negative");
  TAGFLOW_ASSIGN_OR_RETURN(SparseInput sparse, SparseInputAt(context, 0));
  if (sparse.dims.empty()) {
    return InvalidArgument("dense_shape must have at least one dimension");
  }
  if (weights.num_elements() != 0 && !SameDims(weights.dims(), sparse.values.dims())) {
    return InvalidArgument("there must be no weights or one for each value, not of shape " +
                           DimsString(weights.dims()));
  }
  return Counting{std::move(sparse), size};
}

//   values: integers [n]; size: scalar; weights: C [n], or none
//   output: C [size] of a sparse vector, else a row [size] for each place in the first dimension:
//   the sum of the weights of each number, or how often it comes; with `is_binary` whether it does.
//   Numbers of size or more are in no bin, nor are negative ones, but that a vector must not hold.
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <typename C>
Status SparseBincount(KernelContext& context, bool is_binary) {
  TAGFLOW_ASSIGN_OR_RETURN(const Counting counting, CountingOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView numbers, IntView::Of(counting.sparse.values));
  SmallDims dims(1, counting.size);
  if (counting.has_rows()) dims.insert(0, counting.sparse.dims[0]);
  const Tensor& weights = context.input(4);
  const C* weight = weights.num_elements() == 0 ? nullptr : weights.data<C>();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(weights.dtype(), dims));
  C* bins = out.mutable_data<C>();
  for (int64_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 && !counting.has_rows()) {
      return InvalidArgument("Input arr must be non-negative!");
    }
    if (numbers[i] < 0 || numbers[i] >= counting.size) continue;
    const int64_t row = counting.has_rows() ? counting.sparse.places.at(i, 0) : 0;
    C& bin = bins[row * counting.size + numbers[i]];
    bin = is_binary ? C(1) : Plus(bin, weight == nullptr ? C(1) : weight[i]);
  }
  context.output(0) = std::move(out);
  return Status();
}

template <typename C>
BoundKernel CountInto(bool is_binary) {
  return BoundKernel(
      [is_binary](KernelContext& context) { return SparseBincount<C>(context, is_binary); });
}

Result<BoundKernel> BindBincount(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_binary, BoolAttr(binding.node, "binary_output"));
  switch (binding.output_dtype(0)) {
    case DType::kInt32:
      return CountInto<int32_t>(is_binary);
    case DType::kInt64:
      return CountInto<int64_t>(is_binary);
    case DType::kFloat:
      return CountInto<float>(is_binary);
    case DType::kDouble:
      return CountInto<double>(is_binary);
    default:
      return NoKernelFor(binding, binding.output_dtype(0));
  }
}

}  // namespace

Status RegisterSparseReductionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseBincount", BindBincount},
                                {"SparseReduceMax", BindReduce<Max, kReals>},
                                {"SparseReduceSum", BindReduce<Sum, kNumbers>}});
}

}  // namespace tagflow::optimized
