// Tested by conformance/ops/math.ops.

#include "reference/kernels/broadcast.h"

#include <algorithm>
#include <numeric>

namespace tagflow::reference {

Result<Dims> BroadcastShape(DimsView a, DimsView b) {
  if (a.size() < b.size()) {
    auto swapped = BroadcastShape(b, a);
    if (swapped.ok()) return swapped;
  } else {
    Dims out(a.begin(), a.end());
    const size_t missing = a.size() - b.size();
    bool compatible = true;
    for (size_t i = 0; i < b.size(); ++i) {
      int64_t& size = out[missing + i];
      if (size == 1) size = b[i];
      compatible = compatible && (b[i] == size || b[i] == 1);
    }
    if (compatible) return out;
  }
  return InvalidArgument("Incompatible shapes: " + DimsString(a) + " vs. " + DimsString(b));
}

std::vector<int64_t> BroadcastIndices(DimsView from, DimsView to) {
  std::vector<int64_t> indices(static_cast<size_t>(*NumElements(to)));
  if (indices.empty()) return indices;
  if (std::ranges::equal(from, to)) {
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
  }
  // How far one step along each dimension of `to` goes in `from`: 0 where it repeats.
  std::vector<int64_t> stride(to.size(), 0);
  int64_t step = 1;
  for (size_t i = from.size(); i-- > 0;) {
    if (from[i] != 1) stride[to.size() - from.size() + i] = step;
    step *= from[i];
  }
  Dims position(to.size(), 0);
  int64_t index = 0;
  for (int64_t& out : indices) {
    out = index;
    for (size_t i = to.size(); i-- > 0;) {
      index += stride[i];
      if (++position[i] < to[i]) break;
      index -= stride[i] * to[i];
      position[i] = 0;
    }
  }
  return indices;
}

Status RequireRoom(DimsView dims) {
  constexpr int64_t kBytesPerElement = 32;  // widened values, and an index into each input
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(dims));
  int64_t bytes = 0;
  void* room = nullptr;
  if (!__builtin_mul_overflow(elements, kBytesPerElement, &bytes)) {
    room = HostAllocator().Allocate(static_cast<size_t>(bytes));
  }
  if (room == nullptr && elements > 0) {
    return ResourceExhausted("no room to compute an output of shape " + DimsString(dims));
  }
  HostAllocator().Deallocate(room, static_cast<size_t>(bytes));
  return Status();
}

}  // namespace tagflow::reference
