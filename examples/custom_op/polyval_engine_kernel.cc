#include "examples/custom_op/polyval_engine_kernel.h"

#include <cstdint>

#include "graph/graph.h"

namespace polyval {
namespace {

using tagflow::DType;
using tagflow::Result;
using tagflow::Status;
using tagflow::Tensor;
using tagflow::optimized::Binding;
using tagflow::optimized::BoundKernel;
using tagflow::optimized::KernelContext;

// The same order of operations as the reference's kernel has: so both give the same bits. Element
// i of x is read before element i of the result is written, so that the result may lie over x.
//
//   input 0: coefficients, T [n], of the highest power first unless `ascending`
//   input 1: x, T of any shape
//   output: T of the shape of x; zeros when n is 0
//   Errors: INVALID_ARGUMENT when the coefficients are no vector; RESOURCE_EXHAUSTED
template <typename T>
Status Polyval(KernelContext& context, bool ascending) {
  const Tensor& coefficients = context.input(0);
  if (coefficients.rank() != 1) {
    return tagflow::InvalidArgument("coefficients must be a vector, but have shape " +
                                    tagflow::DimsString(coefficients.dims()));
  }
  const Tensor& x = context.input(1);
  const T* const at = x.data<T>();
  const int64_t elements = x.num_elements();
  const T* const first = coefficients.data<T>();
  const int64_t n = coefficients.num_elements();
  const int64_t stride = ascending ? -1 : 1;
  const T* const highest = ascending && n > 0 ? first + n - 1 : first;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const y, context.Allocate(0, x.dtype(), x.dims(), {1}));
  T* const out = y->mutable_data<T>();
  for (int64_t i = 0; i < elements; ++i) {
    T sum = 0;
    for (int64_t k = 0; k < n; ++k) sum = sum * at[i] + highest[k * stride];
    out[i] = sum;
  }
  return Status();
}

// What does not change from firing to firing is looked at here, once.
Result<BoundKernel> BindPolyval(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool ascending, tagflow::BoolAttr(binding.node, "ascending"));
  if (binding.input_dtype(1) == DType::kFloat) {
    return BoundKernel(
        [ascending](KernelContext& context) { return Polyval<float>(context, ascending); });
  }
  return BoundKernel(
      [ascending](KernelContext& context) { return Polyval<double>(context, ascending); });
}

}  // namespace

Status RegisterEngineKernels(tagflow::optimized::KernelRegistry& registry) {
  return registry.Register("Examples>Polyval", BindPolyval);
}

}  // namespace polyval
