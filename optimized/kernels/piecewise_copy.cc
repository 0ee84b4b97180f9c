// Tested by conformance/ops/slicing.ops.

#include "optimized/kernels/piecewise_copy.h"

#include <utility>

#include "optimized/kernels/index_input.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {

PiecewiseCopy::PiecewiseCopy(DimsView from, DimsView to)
    : from_strides_(StridesOf(from)), to_strides_(StridesOf(to)) {}

void PiecewiseCopy::Add(std::initializer_list<Piece> pieces) {
  dimensions_.emplace_back();
  for (const Piece& piece : pieces) {
    if (piece.size > 0) dimensions_.back().push_back(piece);
  }
}

void PiecewiseCopy::Run(const Mover& mover, const Tensor& from, Tensor& to) const {
  RunFrom(0, {}, mover, from.raw_data(), to.mutable_raw_data());
}

void PiecewiseCopy::RunFrom(size_t d, Box box, const Mover& mover, const void* from,
                            void* to) const {
  if (d == dimensions_.size()) {
    StridedCopy copy;
    copy.AddAll(box.sizes, box.from_steps, to_strides_);
    copy.Run(mover, mover.At(from, box.from), mover.At(to, box.to));
    return;
  }
  for (const Piece& piece : dimensions_[d]) {
    Box inner = box;
    inner.sizes.push_back(piece.size);
    inner.from_steps.push_back(piece.step * from_strides_[d]);
    inner.from += piece.from * from_strides_[d];
    inner.to += piece.to * to_strides_[d];
    RunFrom(d + 1, std::move(inner), mover, from, to);
  }
}

}  // namespace tagflow::optimized
