#ifndef TAGFLOW_OPTIMIZED_NATIVE_TENSOR_TYPE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_TENSOR_TYPE_H_

// What a slot holds while a loop is machine code: elements of a dtype in a shape.
//
// Tested by tensor_calls_test.cc.

#include <algorithm>
#include <cstdint>

#include "graph/tensor.h"
#include "optimized/native/cells.h"

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

// The header of a cell (cells.h) with such a tensor; null: with a scalar.
inline uint16_t HeaderOf(DType dtype, const TensorType* type) {
  const auto header = static_cast<uint16_t>(dtype);
  return type == nullptr ? header : static_cast<uint16_t>(header | kElsewhere);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_TENSOR_TYPE_H_
