#include "fuzz/lower/counter.h"

namespace tagflow::fuzz {

Tensor CounterValue(DType dtype, double value) {
  switch (dtype) {
    case DType::kInt32:
      return Tensor::Scalar(static_cast<int32_t>(value));
    case DType::kInt64:
      return Tensor::Scalar(static_cast<int64_t>(value));
    case DType::kFloat:
      return Tensor::Scalar(static_cast<float>(value));
    default:
      return Tensor::Scalar(value);
  }
}

double NumberOf(const Tensor& counter) {
  switch (counter.dtype()) {
    case DType::kInt32:
      return counter.scalar<int32_t>();
    case DType::kInt64:
      return static_cast<double>(counter.scalar<int64_t>());
    case DType::kFloat:
      return counter.scalar<float>();
    default:
      return counter.scalar<double>();
  }
}

}  // namespace tagflow::fuzz
