// Tested by conformance/ops/ragged.ops.
#include "optimized/kernels/ragged_splits.h"

#include <utility>

namespace tagflow::optimized {
namespace {

// How many rows those of splits i are split into.
int64_t RowsBehind(const KernelContext& context, int i, int count) {
  return i + 1 < count ? context.input(i + 1).num_elements() - 1 : context.input(count).dim(0);
}

}  // namespace

Result<IntView> ReadSplits(const Tensor& tensor) {
  if (tensor.rank() != 1) return InvalidArgument("Ragged splits must be vectors");
  TAGFLOW_ASSIGN_OR_RETURN(IntView splits, IntView::Of(tensor));
  if (splits.size() == 0) return InvalidArgument("Ragged splits may not be empty");
  if (splits[0] < 0) return InvalidArgument("Ragged splits must be non-negative");
  for (int64_t row = 1; row < splits.size(); ++row) {
    if (splits[row] < splits[row - 1]) return InvalidArgument("Ragged splits must be sorted");
  }
  return splits;
}

Result<std::vector<IntView>> SplitsOf(const KernelContext& context, int count) {
  std::vector<IntView> all;
  if (context.input(count).rank() < 1) return InvalidArgument("params.rank must be nonzero");
  for (int i = 0; i < count; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(IntView splits, ReadSplits(context.input(i)));
    all.push_back(std::move(splits));
  }
  for (int i = 0; i < count; ++i) {
    const IntView& splits = all[static_cast<size_t>(i)];
    if (splits[splits.size() - 1] > RowsBehind(context, i, count)) {
      return InvalidArgument("Ragged splits must not point past values");
    }
  }
  return all;
}

Result<std::vector<IntView>> ExactSplitsOf(const KernelContext& context, int count) {
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<IntView> all, SplitsOf(context, count));
  for (int i = 0; i < count; ++i) {
    const IntView& splits = all[static_cast<size_t>(i)];
    if (splits[0] != 0) return InvalidArgument("First value of ragged splits must be 0.");
    if (splits[splits.size() - 1] != RowsBehind(context, i, count)) {
      return InvalidArgument(
          "Final value of ragged splits must match the length the corresponding ragged values.");
    }
  }
  return all;
}

}  // namespace tagflow::optimized
