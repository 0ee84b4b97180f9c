#include "graph/copy_elements.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace tagflow {

void CopyElements(const Tensor& from, size_t from_at, Tensor& to, size_t to_at, size_t count) {
  if (count == 0) return;
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>() + from_at, count, to.mutable_data<std::string>() + to_at);
    return;
  }
  const size_t bytes = DTypeSize(from.dtype());
  std::memcpy(static_cast<std::byte*>(to.mutable_raw_data()) + to_at * bytes,
              static_cast<const std::byte*>(from.raw_data()) + from_at * bytes, count * bytes);
}

}  // namespace tagflow
