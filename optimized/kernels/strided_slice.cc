// Tested by conformance/ops/slicing.ops.

#include "optimized/kernels/strided_slice.h"

#include <algorithm>
#include <string>

#include "graph/limits.h"
#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {
namespace {

bool Bit(int64_t mask, size_t i) { return ((mask >> i) & 1) != 0; }

struct Items {
  const SliceMasks& masks;
  SmallDims begin, end, strides;

  size_t size() const { return begin.size(); }
  bool is_ellipsis(size_t i) const { return Bit(masks.ellipsis, i); }
  bool is_new_axis(size_t i) const { return Bit(masks.new_axis, i) && !is_ellipsis(i); }
  bool is_index(size_t i) const { return Bit(masks.shrink_axis, i); }
};

Result<Items> ReadItems(const SliceMasks& masks, const Tensor& begin, const Tensor& end,
                        const Tensor& strides) {
  for (const Tensor* input : {&begin, &end, &strides}) {
    if (input->rank() == 1 && input->dim(0) == begin.num_elements() &&
        input->dim(0) <= kMostSlicePositions) {
      continue;
    }
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes " +
        DimsString(begin.dims()) + ", " + DimsString(end.dims()) + ", and " +
        DimsString(strides.dims()) + " instead.");
  }
  Items items{masks, {}, {}, {}};
  TAGFLOW_ASSIGN_OR_RETURN(items.begin, IndexValues(begin));
  TAGFLOW_ASSIGN_OR_RETURN(items.end, IndexValues(end));
  TAGFLOW_ASSIGN_OR_RETURN(items.strides, IndexValues(strides));
  return items;
}

// A walk along one dimension of the tensor.
struct Walk {
  int64_t begin = 0;
  int64_t size = 0;
};

Result<Walk> IndexWalk(const Items& items, size_t i, int64_t size, size_t d) {
  if (items.strides[i] <= 0) {
    return InvalidArgument("only stride 1 allowed on non-range indexing.");
  }
  const int64_t index = items.begin[i] < 0 ? items.begin[i] + size : items.begin[i];
  if (index >= 0 && index < size) return Walk{index, 1};
  return InvalidArgument("slice index " + std::to_string(index) + " of dimension " +
                         std::to_string(d) + " out of bounds.");
}

// What item i means for dimension d, which has this size.
Result<Walk> WalkOf(const Items& items, size_t i, int64_t size, size_t d) {
  const int64_t stride = items.strides[i];
  if (stride == 0) return InvalidArgument("strides[" + std::to_string(d) + "] must be non-zero");
  if (items.is_index(i)) return IndexWalk(items, i, size, d);
  // The first and last places where the walk may begin or stop: it stops outside of the tensor.
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? size : size - 1;
  auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
  const int64_t near_edge = stride > 0 ? low : high;
  const int64_t far_edge = stride > 0 ? high : low;
  const int64_t begin = Bit(items.masks.begin, i) ? near_edge : place(items.begin[i]);
  const int64_t end = Bit(items.masks.end, i) ? far_edge : place(items.end[i]);
  if (stride > 0 ? begin >= end : begin <= end) return Walk{begin, 0};
  return Walk{begin, (end - begin) / stride + ((end - begin) % stride != 0 ? 1 : 0)};
}

// Lays the items over the dimensions, from the first on.
class Layout {
 public:
  Layout(const Items& items, DimsView dims)
      : items_(items), dims_(dims), strides_(StridesOf(dims)) {}

  Result<Part> Run() {
    bool has_ellipsis = false;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_.is_ellipsis(i)) {
        if (has_ellipsis) return InvalidArgument("Multiple ellipses in slice spec not allowed");
        has_ellipsis = true;
        TakeWhole(DimsBefore(i + 1));
      } else if (items_.is_new_axis(i)) {
        part_.dims.push_back(1);
        part_.steps.push_back(0);
      } else {
        TAGFLOW_RETURN_IF_ERROR(Take(i));
      }
    }
    TakeWhole(dims_.size());  // without an ellipsis there is one at the end
    return part_;
  }

 private:
  // The dimension that is left to the items from number i on.
  size_t DimsBefore(size_t i) const {
    size_t taken = 0;
    for (; i < items_.size(); ++i) taken += items_.is_new_axis(i) ? 0 : 1;
    return taken < dims_.size() ? dims_.size() - taken : 0;
  }

  void TakeWhole(size_t end) {
    for (; next_ < end; ++next_) {
      part_.dims.push_back(dims_[next_]);
      part_.steps.push_back(strides_[next_]);
    }
  }

  Status Take(size_t i) {
    if (dims_.empty()) return InvalidArgument("Attempting to slice scalar input.");
    if (next_ == dims_.size()) {
      return InvalidArgument("Index out of range using input dim " + std::to_string(next_) +
                             "; input has only " + std::to_string(dims_.size()) + " dims");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Walk walk, WalkOf(items_, i, dims_[next_], next_));
    part_.first = WrappingSum(part_.first, WrappingProduct(walk.begin, strides_[next_]));
    if (!items_.is_index(i)) {
      part_.dims.push_back(walk.size);
      part_.steps.push_back(WrappingProduct(items_.strides[i], strides_[next_]));
    }
    ++next_;
    return Status();
  }

  const Items& items_;
  const DimsView dims_;
  const SmallDims strides_;
  size_t next_ = 0;
  Part part_;
};

}  // namespace

Result<SliceMasks> SliceMasks::Of(const Node& node) {
  SliceMasks masks;
  TAGFLOW_ASSIGN_OR_RETURN(masks.begin, IntAttr(node, "begin_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.end, IntAttr(node, "end_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.ellipsis, IntAttr(node, "ellipsis_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.new_axis, IntAttr(node, "new_axis_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.shrink_axis, IntAttr(node, "shrink_axis_mask"));
  return masks;
}

Result<Part> StridedPart(const SliceMasks& masks, const Tensor& begin, const Tensor& end,
                         const Tensor& strides, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const Items items, ReadItems(masks, begin, end, strides));
  return Layout(items, dims).Run();
}

}  // namespace tagflow::optimized
