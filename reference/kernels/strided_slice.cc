// Tested by conformance/ops/slicing.ops.

#include "reference/kernels/strided_slice.h"

#include <algorithm>
#include <string>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"

namespace tagflow::reference {
namespace {

bool Bit(int64_t mask, size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }

// What the brackets say of one dimension of the input.
struct Item {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool from_edge = true;
  bool to_edge = true;
  bool is_index = false;
};

struct Range {
  int64_t begin = 0;
  int64_t size = 0;
};

Result<Range> IndexRange(const Item& item, int64_t dim, const std::string& axis) {
  if (item.stride <= 0) return InvalidArgument("only stride 1 allowed on non-range indexing.");
  const int64_t index = item.begin < 0 ? item.begin + dim : item.begin;
  if (index < 0 || index >= dim) {
    return InvalidArgument("slice index " + std::to_string(index) + " of dimension " + axis +
                           " out of bounds.");
  }
  return Range{index, 1};
}

Result<Range> RangeOf(const Item& item, int64_t dim, size_t axis) {
  if (item.stride == 0) {
    return InvalidArgument("strides[" + std::to_string(axis) + "] must be non-zero");
  }
  if (item.is_index) return IndexRange(item, dim, std::to_string(axis));
  const bool forward = item.stride > 0;
  // The places a walk may start or stop at: one past each edge is where it stops.
  const int64_t lowest = forward ? 0 : -1;
  const int64_t highest = forward ? dim : dim - 1;
  auto place = [&](int64_t x) { return std::clamp(x < 0 ? x + dim : x, lowest, highest); };
  const int64_t begin = item.from_edge ? (forward ? lowest : highest) : place(item.begin);
  const int64_t end = item.to_edge ? (forward ? highest : lowest) : place(item.end);
  const int64_t distance = end - begin;
  if (distance == 0 || (distance < 0) == forward) return Range{begin, 0};
  return Range{begin, distance / item.stride + (distance % item.stride != 0 ? 1 : 0)};
}

// Lays the items over the input's dimensions, in order.
class Layout {
 public:
  Layout(const SparseSlice& slice, DimsView dims) : slice_(slice), dims_(dims) {}

  Result<DenseSlice> Run() {
    const size_t count = slice_.begin.size();
    bool seen_ellipsis = false;
    for (size_t i = 0; i < count; ++i) {
      if (Bit(slice_.ellipsis_mask, i)) {
        if (seen_ellipsis) return InvalidArgument("Multiple ellipses in slice spec not allowed");
        seen_ellipsis = true;
        TAGFLOW_RETURN_IF_ERROR(TakeWhole(DimsLeftFor(i)));
      } else if (Bit(slice_.new_axis_mask, i)) {
        dense_.axes.push_back(DenseSlice::kNewAxis);
      } else {
        TAGFLOW_RETURN_IF_ERROR(Take(ItemAt(i)));
      }
    }
    // Without an ellipsis there is one at the end.
    if (!seen_ellipsis) TAGFLOW_RETURN_IF_ERROR(TakeWhole(dims_.size() - next_));
    return std::move(dense_);
  }

 private:
  Item ItemAt(size_t i) const {
    return {.begin = slice_.begin[i],
            .end = slice_.end[i],
            .stride = slice_.strides[i],
            .from_edge = Bit(slice_.begin_mask, i),
            .to_edge = Bit(slice_.end_mask, i),
            .is_index = Bit(slice_.shrink_axis_mask, i)};
  }

  // How many dimensions an ellipsis at item i stands for: those no later item takes.
  size_t DimsLeftFor(size_t i) const {
    size_t taken = next_;
    for (size_t later = i + 1; later < slice_.begin.size(); ++later) {
      const bool takes_none = Bit(slice_.new_axis_mask, later) && !Bit(slice_.ellipsis_mask, later);
      if (!takes_none) ++taken;
    }
    return taken < dims_.size() ? dims_.size() - taken : 0;
  }

  Status TakeWhole(size_t count) {
    for (size_t i = 0; i < count; ++i) TAGFLOW_RETURN_IF_ERROR(Take(Item()));
    return Status();
  }

  Status Take(const Item& item) {
    if (dims_.empty()) return InvalidArgument("Attempting to slice scalar input.");
    if (next_ == dims_.size()) {
      return InvalidArgument("Index out of range using input dim " + std::to_string(next_) +
                             "; input has only " + std::to_string(dims_.size()) + " dims");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Range range, RangeOf(item, dims_[next_], next_));
    dense_.begin.push_back(range.begin);
    dense_.strides.push_back(item.stride);
    dense_.sizes.push_back(range.size);
    if (!item.is_index) dense_.axes.push_back(static_cast<int64_t>(next_));
    ++next_;
    return Status();
  }

  const SparseSlice& slice_;
  DimsView dims_;
  size_t next_ = 0;
  DenseSlice dense_;
};

}  // namespace

Dims DenseSlice::OutputDims() const {
  Dims dims;
  for (int64_t axis : axes) dims.push_back(axis == kNewAxis ? 1 : sizes[static_cast<size_t>(axis)]);
  return dims;
}

int64_t DenseSlice::Element(const Dims& at, const std::vector<int64_t>& input_strides) const {
  int64_t element = 0;
  for (size_t d = 0; d < begin.size(); ++d) element += begin[d] * input_strides[d];
  for (size_t i = 0; i < at.size(); ++i) {
    if (axes[i] == kNewAxis) continue;
    const size_t d = static_cast<size_t>(axes[i]);
    element += at[i] * strides[d] * input_strides[d];
  }
  return element;
}

Result<SparseSlice> ReadSlice(const KernelContext& context) {
  const Tensor& begin = context.inputs[1];
  const Tensor& end = context.inputs[2];
  const Tensor& strides = context.inputs[3];
  if (begin.rank() != 1 || end.rank() != 1 || strides.rank() != 1 ||
      begin.num_elements() != end.num_elements() ||
      begin.num_elements() != strides.num_elements() ||
      begin.num_elements() > kMostSlicePositions) {
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes " +
        DimsString(begin.dims()) + ", " + DimsString(end.dims()) + ", and " +
        DimsString(strides.dims()) + " instead.");
  }
  SparseSlice slice;
  TAGFLOW_ASSIGN_OR_RETURN(slice.begin, IndexValues(begin));
  TAGFLOW_ASSIGN_OR_RETURN(slice.end, IndexValues(end));
  TAGFLOW_ASSIGN_OR_RETURN(slice.strides, IndexValues(strides));
  TAGFLOW_ASSIGN_OR_RETURN(slice.begin_mask, IntAttr(context.node, "begin_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(slice.end_mask, IntAttr(context.node, "end_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(slice.ellipsis_mask, IntAttr(context.node, "ellipsis_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(slice.new_axis_mask, IntAttr(context.node, "new_axis_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(slice.shrink_axis_mask, IntAttr(context.node, "shrink_axis_mask"));
  return slice;
}

Result<DenseSlice> MakeDense(const SparseSlice& slice, DimsView dims) {
  return Layout(slice, dims).Run();
}

}  // namespace tagflow::reference
