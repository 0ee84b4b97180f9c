// Tested by conformance/ops/basic.ops.

#include "optimized/kernels/truth.h"

#include <string>

namespace tagflow::optimized {
namespace {

template <typename T>
bool IsNonzero(const Tensor& scalar) {
  return *scalar.data<T>() != T();
}

}  // namespace

ScalarTruth TruthOfScalars(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return IsNonzero<bool>;
    case DType::kInt8:
      return IsNonzero<int8_t>;
    case DType::kInt16:
      return IsNonzero<int16_t>;
    case DType::kInt32:
      return IsNonzero<int32_t>;
    case DType::kInt64:
      return IsNonzero<int64_t>;
    case DType::kUInt8:
      return IsNonzero<uint8_t>;
    case DType::kFloat:
      return IsNonzero<float>;
    case DType::kDouble:
      return IsNonzero<double>;
    case DType::kString:
      return IsNonzero<std::string>;
    default:
      return nullptr;
  }
}

Result<bool> Holds(const Tensor& condition, ScalarTruth scalar_truth) {
  if (condition.rank() > 0) return condition.num_elements() > 0;
  if (scalar_truth != nullptr) return scalar_truth(condition);
  return InvalidArgument(DTypeName(condition.dtype()) + " cannot be converted to a boolean");
}

}  // namespace tagflow::optimized
