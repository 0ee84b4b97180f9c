// Reductions of sparse tensors: SparseReduceSum, SparseReduceMax, SparseBincount.
//
// Only elements that are there count; where a result has none it is 0. Sums are accumulated in
// double and rounded once. The maximum of numbers with NaN among them is NaN.

#include <algorithm>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

struct Sum {
  template <NumberElement C>
  static Accumulator<C> First(C x) {
    return static_cast<Accumulator<C>>(x);
  }
  template <NumberElement C>
  static Accumulator<C> Next(Accumulator<C> sum, C x) {
    return Plus(sum, static_cast<Accumulator<C>>(x));
  }
};
struct Max {
  template <RealElement C>
  static C First(C x) {
    return x;
  }
  template <RealElement C>
  static C Next(C max, C x) {
    return max != max || max > x ? max : x;
  }
};

// Which dimensions the axes name.   Errors: INVALID_ARGUMENT
Result<std::vector<bool>> ReducedDims(const Tensor& axes, size_t rank) {
  if (axes.rank() > 1) {
    return InvalidArgument("Expected reduction_axes to be a scalar or a vector; got shape: " +
                           DimsString(axes.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> given, IndexValues(axes));
  std::vector<bool> is_reduced(rank, false);
  for (int64_t axis : given) {
    TAGFLOW_ASSIGN_OR_RETURN(
        const int64_t canonical,
        CanonicalAxis(axis, static_cast<int64_t>(rank),
                      "Invalid reduction dimension " + std::to_string(axis) + ", for input with " +
                          std::to_string(rank) + " dimensions."));
    is_reduced[static_cast<size_t>(canonical)] = true;
  }
  return is_reduced;
}

template <typename R, typename C>
Result<Tensor> Reduced(const SparseInput& sparse, const std::vector<bool>& is_reduced,
                       const Dims& output_dims) {
  Dims dims = sparse.dims;  // a reduced dimension has one place
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = is_reduced[d] ? 1 : dims[d];
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(output_dims));
  const size_t size = static_cast<size_t>(*NumElements(output_dims));
  const std::vector<C> elements = Load<C>(sparse.values);
  std::vector<decltype(R::template First<C>(C()))> results(size);
  std::vector<bool> has_any(size, false);
  for (size_t i = 0; i < elements.size(); ++i) {
    Dims place = sparse.places[i];
    for (size_t d = 0; d < dims.size(); ++d) place[d] = is_reduced[d] ? 0 : place[d];
    const size_t at = static_cast<size_t>(NumberOf(place, dims));
    results[at] = has_any[at] ? R::template Next<C>(results[at], elements[i])
                              : R::template First<C>(elements[i]);
    has_any[at] = true;
  }
  std::vector<C> values;
  for (size_t i = 0; i < size; ++i)
    values.push_back(has_any[i] ? static_cast<C>(results[i]) : C(0));
  return Store(sparse.values.dtype(), output_dims, values);
}

//   reduction_axes: int32, scalar or vector; output: T, without the axes, or with ones for them
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED (dtype)
template <typename R>
Kernel Reduce(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const DType dtype = context.inputs[1].dtype();
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, dtypes));
    TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<bool> is_reduced,
                             ReducedDims(context.inputs[3], sparse.rank()));
    TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(context.node, "keep_dims"));
    Dims dims;
    for (size_t d = 0; d < sparse.rank(); ++d) {
      if (!is_reduced[d] || keep_dims) dims.push_back(is_reduced[d] ? 1 : sparse.dims[d]);
    }
    return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
      if constexpr (requires { R::template First<C>(C()); }) {
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Reduced<R, C>(sparse, is_reduced, dims)));
      }
      return Status();
    });
  };
}

//   values: integers [n]; size: scalar; weights: T [n], or none
//   output: T [size] of a sparse vector, else a row [size] for each place in the first dimension:
//   the sum of the weights of each number, or how often it comes; with binary_output whether it
//   does. Numbers of size or more are in no bin, nor are negative ones, but that a vector must not
//   hold.
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status SparseBincount(KernelContext& context) {
  const Tensor& weights = context.inputs[4];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[3], "size"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, SingleIndex(context.inputs[3], "size"));
  if (size < 0) return InvalidArgument("size (" + std::to_string(size) + ") must be non-negative");
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
  if (sparse.rank() == 0) return InvalidArgument("dense_shape must have at least one dimension");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, IndexValues(sparse.values));
  if (weights.num_elements() != 0 &&
      (weights.rank() != 1 || weights.num_elements() != sparse.values.num_elements())) {
    return InvalidArgument("there must be no weights or one for each value, not of shape " +
                           DimsString(weights.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_binary, BoolAttr(context.node, "binary_output"));
  const bool has_rows = sparse.rank() > 1;
  const Dims dims = has_rows ? Dims{sparse.dims[0], size} : Dims{size};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  return WithComputingType(weights.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> weight = Load<C>(weights);
      std::vector<C> bins(static_cast<size_t>(*NumElements(dims)));
      for (size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] < 0 && !has_rows) return InvalidArgument("Input arr must be non-negative!");
        if (numbers[i] < 0 || numbers[i] >= size) continue;
        C& bin =
            bins[static_cast<size_t>((has_rows ? sparse.places[i][0] : 0) * size + numbers[i])];
        bin = is_binary ? C(1) : Plus(bin, weight.empty() ? C(1) : weight[i]);
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(weights.dtype(), dims, bins));
    }
    return Status();
  });
}

}  // namespace

Status RegisterSparseReductionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseReduceSum", Reduce<Sum>(kNumbers)},
                                {"SparseReduceMax", Reduce<Max>(kReals)},
                                {"SparseBincount", SparseBincount}});
}

}  // namespace tagflow::reference
