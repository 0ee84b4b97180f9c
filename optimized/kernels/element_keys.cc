// Tested by conformance/ops/search.ops.

#include "optimized/kernels/element_keys.h"

#include <cstring>

namespace tagflow::optimized {
namespace {

uint64_t InfinityBits(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return 0x7c00;
    case DType::kBFloat16:
      return 0x7f80;
    case DType::kFloat:
      return 0x7f800000;
    case DType::kDouble:
      return 0x7ff0000000000000;
    default:
      return 0;
  }
}

}  // namespace

ElementKeys::ElementKeys(const Tensor& tensor)
    : data_(static_cast<const char*>(tensor.raw_data())),
      width_(tensor.dtype() == DType::kString ? 0 : DTypeSize(tensor.dtype())),
      infinity_(InfinityBits(tensor.dtype())) {}

bool ElementKeys::Number(int64_t i, uint64_t& key) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data_ + static_cast<size_t>(i) * width_, width_);
  key = bits;
  if (infinity_ == 0) return true;
  const uint64_t magnitude = bits & ~(uint64_t{1} << (8 * width_ - 1));
  if (magnitude == 0) key = 0;
  return magnitude <= infinity_;
}

bool ElementKeys::Append(int64_t i, std::string& key) const {
  uint64_t number = 0;
  if (is_number()) {
    if (!Number(i, number)) return false;
    key.append(reinterpret_cast<const char*>(&number), width_);
    return true;
  }
  const std::string& text = reinterpret_cast<const std::string*>(data_)[i];
  number = text.size();
  key.append(reinterpret_cast<const char*>(&number), sizeof(number)).append(text);
  return true;
}

}  // namespace tagflow::optimized
