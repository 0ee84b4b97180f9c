#include "fuzz/program/scalar.h"

namespace tagflow::fuzz {

Tensor ScalarOf(DType dtype, double value) {
  switch (dtype) {
    case DType::kBool:
      return Tensor::Scalar(value != 0);
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

double NumberOf(const Tensor& scalar) {
  switch (scalar.dtype()) {
    case DType::kBool:
      return scalar.scalar<bool>() ? 1 : 0;
    case DType::kInt32:
      return scalar.scalar<int32_t>();
    case DType::kInt64:
      return static_cast<double>(scalar.scalar<int64_t>());
    case DType::kFloat:
      return scalar.scalar<float>();
    default:
      return scalar.scalar<double>();
  }
}

}  // namespace tagflow::fuzz
