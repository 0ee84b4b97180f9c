#include "optimized/kernels/strided_copy.h"

#include <algorithm>
#include <utility>

#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {
namespace {

// A square of this many elements of 8 bytes on a side stays in the first cache, on both sides.
constexpr int64_t kTile = 32;

}  // namespace

void StridedCopy::Add(int64_t size, int64_t from_step, int64_t to_step) {
  if (size == 0) is_empty_ = true;
  if (size == 1) return;
  if (!axes_.empty()) {
    Axis& outer = axes_.back();
    if (outer.from_step == WrappingProduct(size, from_step) &&
        outer.to_step == WrappingProduct(size, to_step)) {
      outer = {WrappingProduct(outer.size, size), from_step, to_step};
      return;
    }
  }
  axes_.push_back({size, from_step, to_step});
}

void StridedCopy::AddAll(DimsView dims, DimsView from_steps) {
  AddAll(dims, from_steps, StridesOf(dims));
}

void StridedCopy::AddAll(DimsView dims, DimsView from_steps, DimsView to_steps) {
  for (size_t d = 0; d < dims.size(); ++d) Add(dims[d], from_steps[d], to_steps[d]);
}

bool StridedCopy::is_one_run() const {
  return axes_.empty() || (axes_.size() == 1 && axes_[0].from_step == 1 && axes_[0].to_step == 1);
}

void StridedCopy::Run(const Mover& mover, const void* from, void* to) const {
  if (is_empty_) return;
  if (axes_.empty()) return mover.run(from, to, 1);
  RunFrom(0, mover, from, to);
}

void StridedCopy::RunFrom(size_t axis, const Mover& mover, const void* from, void* to) const {
  const Axis& here = axes_[axis];
  if (axis + 1 == axes_.size()) {
    if (here.to_step == 1 && here.from_step == 1) return mover.run(from, to, here.size);
    if (here.to_step == 1 && here.from_step == 0) return mover.fill(from, to, here.size);
    return mover.strided(from, here.from_step, to, here.to_step, here.size);
  }
  if (axis + 2 == axes_.size() && here.from_step == 1 && axes_[axis + 1].from_step > kTile) {
    return RunInTiles(mover, here, axes_[axis + 1], from, to);
  }
  for (int64_t i = 0; i < here.size; ++i) {
    RunFrom(axis + 1, mover, mover.At(from, i * here.from_step), mover.At(to, i * here.to_step));
  }
}

// A transposition: row by row, each step of the inner loop would touch another line of memory, and
// the next row would find them gone.
void StridedCopy::RunInTiles(const Mover& mover, const Axis& outer, const Axis& inner,
                             const void* from, void* to) const {
  for (int64_t i = 0; i < outer.size; i += kTile) {
    const int64_t i_end = std::min(outer.size, i + kTile);
    for (int64_t j = 0; j < inner.size; j += kTile) {
      const int64_t count = std::min(kTile, inner.size - j);
      for (int64_t row = i; row < i_end; ++row) {
        mover.strided(mover.At(from, row * outer.from_step + j * inner.from_step), inner.from_step,
                      mover.At(to, row * outer.to_step + j * inner.to_step), inner.to_step, count);
      }
    }
  }
}

}  // namespace tagflow::optimized
