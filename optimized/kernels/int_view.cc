#include "optimized/kernels/int_view.h"

#include <string>

namespace tagflow::optimized {
namespace {

template <typename T>
std::vector<int64_t> Widened(const Tensor& tensor) {
  const auto elements = tensor.flat<T>();
  return std::vector<int64_t>(elements.begin(), elements.end());
}

Status NoScalar(const Tensor& tensor, std::string_view what) {
  return InvalidArgument(std::string(what) + " must be a scalar, but it has shape " +
                         DimsString(tensor.dims()));
}

}  // namespace

Result<IntView> IntView::Of(const Tensor& tensor) {
  IntView view;
  view.size_ = tensor.num_elements();
  switch (tensor.dtype()) {
    case DType::kInt32:
      view.narrow_ = tensor.data<int32_t>();
      return view;
    case DType::kInt64:
      view.wide_ = tensor.data<int64_t>();
      return view;
    case DType::kInt8:
      view.widened_ = Widened<int8_t>(tensor);
      break;
    case DType::kInt16:
      view.widened_ = Widened<int16_t>(tensor);
      break;
    case DType::kUInt8:
      view.widened_ = Widened<uint8_t>(tensor);
      break;
    case DType::kUInt16:
      view.widened_ = Widened<uint16_t>(tensor);
      break;
    case DType::kUInt32:
      view.widened_ = Widened<uint32_t>(tensor);
      break;
    case DType::kUInt64:
      view.widened_ = Widened<uint64_t>(tensor);
      break;
    default:
      return InvalidArgument("an index must be an integer, not " + DTypeName(tensor.dtype()));
  }
  view.wide_ = view.widened_.data();
  return view;
}

std::vector<int64_t> IntView::values() const {
  std::vector<int64_t> all(static_cast<size_t>(size_));
  for (int64_t i = 0; i < size_; ++i) all[static_cast<size_t>(i)] = (*this)[i];
  return all;
}

Result<int64_t> OnlyInt(const Tensor& tensor, std::string_view what) {
  if (tensor.is_inline()) {
    if (tensor.dtype() == DType::kInt32) return int64_t{tensor.inline_value<int32_t>()};
    if (tensor.dtype() == DType::kInt64) return tensor.inline_value<int64_t>();
  }
  if (tensor.num_elements() != 1) return NoScalar(tensor, what);
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(tensor));
  return view[0];
}

Result<int64_t> ScalarInt(const Tensor& tensor, std::string_view what) {
  if (tensor.rank() != 0) return NoScalar(tensor, what);
  return OnlyInt(tensor, what);
}

}  // namespace tagflow::optimized
