#include "examples/custom_op/polyval_kernel.h"

#include <cstdint>

#include "graph/graph.h"

namespace polyval {
namespace {

using tagflow::DType;
using tagflow::Status;
using tagflow::Tensor;
using tagflow::reference::KernelContext;

// Horner's scheme: y = (…((c[0] x + c[1]) x + c[2]) x + …) x + c[n-1], from the left, each
// operation rounded. Any engine's kernel has to keep to this order, or say by how much it may
// differ.
template <typename T>
Status Evaluate(const Tensor& coefficients, bool ascending, const Tensor& x, Tensor& y) {
  TAGFLOW_ASSIGN_OR_RETURN(y, Tensor::Allocate(x.dtype(), x.dims()));
  const T* c = coefficients.data<T>();
  const int64_t n = coefficients.num_elements();
  T* out = y.mutable_data<T>();
  for (const T& at : x.flat<T>()) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum = sum * at + (ascending ? c[n - 1 - i] : c[i]);
    *out++ = sum;
  }
  return Status();
}

//   inputs[0]: coefficients, T [n], of the highest power first unless the attr ascending is set
//   inputs[1]: x, T of any shape
//   output: T of the shape of x; zeros when n is 0
//   Errors: INVALID_ARGUMENT when the coefficients are no vector
Status Polyval(KernelContext& context) {
  const Tensor& coefficients = context.inputs[0];
  const Tensor& x = context.inputs[1];
  if (coefficients.rank() != 1) {
    return tagflow::InvalidArgument("coefficients must be a vector, but have shape " +
                                    tagflow::DimsString(coefficients.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool ascending, tagflow::BoolAttr(context.node, "ascending"));
  if (x.dtype() == DType::kFloat) {
    return Evaluate<float>(coefficients, ascending, x, context.outputs[0]);
  }
  return Evaluate<double>(coefficients, ascending, x, context.outputs[0]);
}

}  // namespace

Status RegisterReferenceKernels(tagflow::reference::KernelRegistry& registry) {
  return registry.Register("Examples>Polyval", Polyval);
}

}  // namespace polyval
