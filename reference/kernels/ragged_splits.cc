// Tested by conformance/ops/ragged.ops.

#include "reference/kernels/ragged_splits.h"

#include <algorithm>
#include <utility>

#include "reference/kernels/array_util.h"

namespace tagflow::reference {

using Numbers = std::vector<int64_t>;

Result<Numbers> ReadSplits(const Tensor& tensor) {
  if (tensor.rank() != 1) return InvalidArgument("Ragged splits must be vectors");
  TAGFLOW_ASSIGN_OR_RETURN(Numbers splits, IndexValues(tensor));
  if (splits.empty()) return InvalidArgument("Ragged splits may not be empty");
  if (splits.front() < 0) return InvalidArgument("Ragged splits must be non-negative");
  if (!std::ranges::is_sorted(splits)) return InvalidArgument("Ragged splits must be sorted");
  return splits;
}

Result<std::vector<Numbers>> SplitsOf(const KernelContext& context, size_t count) {
  std::vector<Numbers> all;
  for (size_t i = 0; i < count; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(all.emplace_back(), ReadSplits(context.inputs[i]));
  }
  const Tensor& values = context.inputs[count];
  if (values.rank() < 1) return InvalidArgument("params.rank must be nonzero");
  for (size_t i = 0; i < count; ++i) {
    const int64_t there = i + 1 < count ? std::ssize(all[i + 1]) - 1 : values.dim(0);
    if (all[i].back() > there) {
      return InvalidArgument("Ragged splits must not point past values");
    }
  }
  return all;
}

Result<std::vector<Numbers>> ExactSplitsOf(const KernelContext& context, size_t count) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Numbers> all, SplitsOf(context, count));
  for (size_t i = 0; i < count; ++i) {
    if (all[i].front() != 0) return InvalidArgument("First value of ragged splits must be 0.");
    const int64_t there = i + 1 < count ? std::ssize(all[i + 1]) - 1 : context.inputs[count].dim(0);
    if (all[i].back() == there) continue;
    return InvalidArgument(
        "Final value of ragged splits must match the length the corresponding ragged values.");
  }
  return all;
}

}  // namespace tagflow::reference
