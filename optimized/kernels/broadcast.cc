// Tested by conformance/ops/math.ops.

#include "optimized/kernels/broadcast.h"

#include <algorithm>

namespace tagflow::optimized {
namespace {

// The size of dimension `axis` of a shape of `rank` dimensions that this one is aligned with.
int64_t SizeAt(DimsView dims, size_t axis, size_t rank) {
  const size_t missing = rank - dims.size();
  return axis < missing ? 1 : dims[axis - missing];
}

}  // namespace

Result<Dims> BroadcastShape(DimsView x, DimsView y) {
  Dims dims(std::max(x.size(), y.size()));
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t of_x = SizeAt(x, axis, dims.size());
    const int64_t of_y = SizeAt(y, axis, dims.size());
    if (of_x != of_y && of_x != 1 && of_y != 1) {
      return InvalidArgument("Incompatible shapes: " + DimsString(x) + " vs. " + DimsString(y));
    }
    dims[axis] = of_x == 1 ? of_y : of_x;
  }
  return dims;
}

// From the innermost dimension outwards. `strides` are what a dimension has unless it repeats.
BroadcastRows::BroadcastRows(std::initializer_list<DimsView> inputs, DimsView output)
    : empty_(std::ranges::count(output, 0) != 0) {
  if (empty_) output = {};
  int64_t strides[kInputsMax] = {1, 1, 1};
  for (size_t axis = output.size(); axis-- > 0;) {
    if (output[axis] == 1) continue;
    Axis next{output[axis], {}};
    bool merges = !axes_.empty();
    int i = 0;
    for (DimsView input : inputs) {
      const bool repeats = SizeAt(input, axis, output.size()) == 1;
      if (!repeats) next.strides[i] = strides[i];
      if (!axes_.empty()) merges = merges && repeats == (axes_.back().strides[i] == 0);
      if (!repeats) strides[i] *= output[axis];
      ++i;
    }
    if (merges) {
      axes_.back().size *= output[axis];
    } else {
      axes_.push_back(next);
    }
  }
  if (axes_.empty()) axes_.emplace_back();
  std::ranges::reverse(axes_);
}

bool BroadcastRows::Advance(std::vector<int64_t>& position, int64_t* offsets) const {
  for (size_t i = axes_.size() - 1; i-- > 0;) {
    const Axis& axis = axes_[i];
    const bool wraps = ++position[i] == axis.size;
    if (wraps) position[i] = 0;
    for (int input = 0; input < kInputsMax; ++input) {
      offsets[input] += wraps ? axis.strides[input] * (1 - axis.size) : axis.strides[input];
    }
    if (!wraps) return true;
  }
  return false;
}

}  // namespace tagflow::optimized
