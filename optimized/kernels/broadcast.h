#ifndef TAGFLOW_OPTIMIZED_KERNELS_BROADCAST_H_
#define TAGFLOW_OPTIMIZED_KERNELS_BROADCAST_H_

// Broadcasting: shapes are aligned at their last dimensions; a missing dimension, and one of size
// 1, repeats to the size of the others'.
//
// What is left to do is a walk over rows. Neighbouring dimensions in which the same inputs repeat
// are one, so that most broadcasts have a row or two dimensions, and along a row each input either
// steps from element to element or stays.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// The shape both broadcast to.
//   Errors: INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]"
Result<Dims> BroadcastShape(DimsView x, DimsView y);

class BroadcastRows {
 public:
  static constexpr int kInputsMax = 3;

  // REQUIRES: each input broadcasts to `output`, which is the shape of a tensor; at most
  // kInputsMax of them
  BroadcastRows(std::initializer_list<DimsView> inputs, DimsView output);

  int64_t row_size() const { return axes_.back().size; }
  // How far the input goes from one element of a row to the next: 1 or 0.
  int64_t step(int input) const { return axes_.back().strides[input]; }

  // Calls visit(offsets): for each row in order, where it begins in each input; until false.
  template <typename Visit>
  bool ForEach(Visit visit) const {
    if (empty_) return true;
    std::vector<int64_t> position(axes_.size(), 0);
    int64_t offsets[kInputsMax] = {};
    while (true) {
      if (!visit(static_cast<const int64_t*>(offsets))) return false;
      if (!Advance(position, offsets)) return true;
    }
  }

 private:
  struct Axis {
    int64_t size = 1;
    int64_t strides[kInputsMax] = {};
  };

  // To the next row; false after the last.
  bool Advance(std::vector<int64_t>& position, int64_t* offsets) const;

  std::vector<Axis> axes_;  // outermost first, at least one
  const bool empty_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_BROADCAST_H_
