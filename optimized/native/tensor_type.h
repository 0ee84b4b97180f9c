#ifndef TAGFLOW_OPTIMIZED_NATIVE_TENSOR_TYPE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_TENSOR_TYPE_H_

// What a slot holds while a loop is machine code: elements of a dtype in a shape.
//
// Tested by tensor_calls_test.cc.

#include <algorithm>
#include <cstdint>

#include "graph/tensor.h"

namespace tagflow::optimized {

struct TensorType {
  DType dtype = DType::kInvalid;
  Dims dims = {};  // none: a scalar

  friend bool operator==(const TensorType&, const TensorType&) = default;

  // Whether the tensor is of this type, and its elements in the host's memory.
  bool IsOf(const Tensor& tensor) const {
    return tensor.dtype() == dtype && std::ranges::equal(tensor.dims(), dims) &&
           tensor.memory_kind() != MemoryKind::kDevice;
  }
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_TENSOR_TYPE_H_
