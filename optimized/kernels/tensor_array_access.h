#ifndef TAGFLOW_OPTIMIZED_KERNELS_TENSOR_ARRAY_ACCESS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TENSOR_ARRAY_ACCESS_H_

// What the kernels of TensorArrays share.

#include <string>
#include <vector>

#include "optimized/kernels/int_view.h"
#include "optimized/kernels/tensor_array.h"
#include "optimized/kernels/text_handle.h"

namespace tagflow::optimized {

// The array that input 0 is the handle of. Errors: INVALID_ARGUMENT
inline Result<TensorArray*> ArrayOf(const KernelContext& context) {
  return ObjectOf<TensorArray>(context, "a TensorArray");
}

// INVALID_ARGUMENT unless the array holds what the op is to give.
inline Status CheckRequested(const TensorArray& array, DType requested) {
  if (array.dtype() == requested) return Status();
  return InvalidArgument("TensorArray dtype is " + DTypeName(array.dtype()) +
                         " but Op requested dtype " + DTypeName(requested) + ".");
}

// The elements of an integer vector. Errors: INVALID_ARGUMENT
inline Result<std::vector<int64_t>> IndexVector(const Tensor& indices) {
  if (indices.rank() != 1) {
    return InvalidArgument("Expected indices to be a vector, but received shape: " +
                           DimsString(indices.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(indices));
  return view.values();
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TENSOR_ARRAY_ACCESS_H_
