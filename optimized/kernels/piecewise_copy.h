#ifndef TAGFLOW_OPTIMIZED_KERNELS_PIECEWISE_COPY_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PIECEWISE_COPY_H_

// Copies of tensors whose dimensions are cut into pieces that go to different places: rolling puts
// an end in front, mirrors add pieces that are read backwards. Each choice of one piece per
// dimension is a box, and each box one strided copy.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "graph/tensor.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

// `size` places from `from` on, one by one in the direction `step` (1 or -1), go to `to`.
struct Piece {
  int64_t size, from, step, to;
};

class PiecewiseCopy {
 public:
  // From a tensor of shape `from` to one of shape `to`. REQUIRES: equal ranks
  PiecewiseCopy(DimsView from, DimsView to);

  // The next dimension is in these pieces; those without places are passed over.
  void Add(std::initializer_list<Piece> pieces);
  // REQUIRES: as many calls of Add as dimensions; pieces inside
  void Run(const Mover& mover, const Tensor& from, Tensor& to) const;

 private:
  struct Box {
    SmallDims sizes, from_steps;
    int64_t from = 0;
    int64_t to = 0;
  };
  void RunFrom(size_t d, Box box, const Mover& mover, const void* from, void* to) const;

  const SmallDims from_strides_, to_strides_;
  std::vector<SmallVector<Piece, 3>> dimensions_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PIECEWISE_COPY_H_
