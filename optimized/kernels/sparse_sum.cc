// SparseAdd, the sum of two sparse tensors, and its gradient: merges of lists of places.
// Tested by conformance/ops/sparse_math.ops.

#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kSummed = kSigned | kComplexes | SetOf(DType::kFloat, DType::kDouble);

// Sums of integers are as their own dtype has them.
template <typename T>
struct MagnitudeOf {
  using Type = T;
};
template <typename R>
struct MagnitudeOf<std::complex<R>> {
  using Type = R;
};
template <typename T>
using Magnitude = typename MagnitudeOf<T>::Type;

template <typename T>
bool Reaches(T x, Magnitude<T> threshold) {
  if constexpr (std::is_integral_v<T>) {
    const auto bits = static_cast<uint64_t>(static_cast<int64_t>(x));
    return threshold <= 0 || (x < 0 ? 0 - bits : bits) >= static_cast<uint64_t>(threshold);
  } else {
    return threshold <= std::abs(x);
  }
}

template <typename T>
T Added(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  } else {
    return x + y;
  }
}

// Calls visit(i, j) for the places of both in order: those that one of them alone has with -1 for
// the other.
template <typename F>
void Merge(const Places& a, const Places& b, F visit) {
  for (int64_t i = 0, j = 0; i < a.size() || j < b.size();) {
    int order = i == a.size() ? 1 : -1;
    if (i < a.size() && j < b.size()) order = a.Compare(i, b, j);
    visit(order <= 0 ? i : -1, order >= 0 ? j : -1);
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
}

//   a, b: sparse, of one shape; thresh: scalar, real
//   sum: where either has an element; where both have one, if the magnitude of the sum is thresh or
//   more
template <typename T>
Status SparseAdd(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput a, SparseInputAt(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput b, SparseInputAt(context, 3));
  const Tensor& threshold = context.input(6);
  if (!SameDims(a.dims, b.dims)) {
    return InvalidArgument("Operands' shapes do not match: got " + DimsString(a.dims) + " and " +
                           DimsString(b.dims));
  }
  if (threshold.rank() != 0) {
    return InvalidArgument("The magnitude threshold must be a scalar: got shape " +
                           DimsString(threshold.dims()));
  }
  const auto least = threshold.scalar<Magnitude<T>>();
  const T* const of_a = a.values.data<T>();
  const T* const of_b = b.values.data<T>();
  std::vector<T> values;
  std::vector<int64_t> places;
  Merge(a.places, b.places, [&](int64_t i, int64_t j) {
    const T sum = j < 0 ? of_a[i] : i < 0 ? of_b[j] : Added(of_a[i], of_b[j]);
    if (i >= 0 && j >= 0 && !Reaches<T>(sum, least)) return;
    values.push_back(sum);
    for (int64_t d = 0; d < a.places.rank(); ++d) {
      places.push_back(i < 0 ? b.places.at(j, d) : a.places.at(i, d));
    }
  });
  const auto count = static_cast<int64_t>(values.size());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * out, SetMatrix(context, 0, count, a.places.rank()));
  std::ranges::copy(places, out);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * sums,
                           context.Allocate(1, DTypeOf<T>::value, SmallDims(1, count)));
  std::ranges::copy(values, sums->mutable_data<T>());
  return SetShape(context, 2, a.dims);
}

template <typename T>
Result<BoundKernel> BindOf(const Binding& binding) {
  const DType threshold = binding.input_dtype(6);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, threshold, SetOf(DTypeOf<Magnitude<T>>::value)));
  return BoundKernel([](KernelContext& context) { return SparseAdd<T>(context); });
}

Result<BoundKernel> BindAdd(const Binding& binding) {
  switch (binding.input_dtype(1)) {
    case DType::kInt8:
      return BindOf<int8_t>(binding);
    case DType::kInt16:
      return BindOf<int16_t>(binding);
    case DType::kInt32:
      return BindOf<int32_t>(binding);
    case DType::kInt64:
      return BindOf<int64_t>(binding);
    case DType::kFloat:
      return BindOf<float>(binding);
    case DType::kDouble:
      return BindOf<double>(binding);
    case DType::kComplex64:
      return BindOf<std::complex<float>>(binding);
    case DType::kComplex128:
      return BindOf<std::complex<double>>(binding);
    default:
      return NoKernelFor(binding, binding.input_dtype(1));
  }
}

// Output i becomes the gradients of one side: those of the sum's elements where the side has one,
// else 0.
Status SetSide(KernelContext& context, int i, const Places& side, const Places& sum) {
  const Tensor& grads = context.input(0);
  const Mover& mover = MoverOf(grads.dtype());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(grads.dtype(), SmallDims(1, side.size())));
  Merge(side, sum, [&](int64_t of_side, int64_t of_sum) {
    if (of_side < 0 || of_sum < 0) return;
    mover.run(mover.At(grads.raw_data(), of_sum), mover.At(out.mutable_raw_data(), of_side), 1);
  });
  context.output(i) = std::move(out);
  return Status();
}

//   backprop_val_grad: T [m], of the elements at sum_indices: int64 [m, rank]; a_indices, b_indices
//   a_val_grad, b_val_grad: T, one for each of these; all are gone through in order
Status SparseAddGrad(KernelContext& context) {
  const Tensor& grads = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const Places a, Places::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const Places b, Places::Of(context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(const Places sum, Places::Of(context.input(3)));
  if (a.rank() != sum.rank() || b.rank() != sum.rank()) {
    return InvalidArgument("The densified operands should have the same ndims");
  }
  if (grads.rank() != 1 || grads.dim(0) != sum.size()) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): "
        "got " +
        DimsString(grads.dims()) + " and " + std::to_string(sum.size()));
  }
  TAGFLOW_RETURN_IF_ERROR(SetSide(context, 0, a, sum));
  return SetSide(context, 1, b, sum);
}

Result<BoundKernel> BindGrad(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.output_dtype(0), kSummed));
  return BoundKernel([](KernelContext& context) { return SparseAddGrad(context); });
}

}  // namespace

Status RegisterSparseSumKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseAdd", BindAdd}, {"SparseAddGrad", BindGrad}});
}

}  // namespace tagflow::optimized
