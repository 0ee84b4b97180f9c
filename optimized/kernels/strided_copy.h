#ifndef TAGFLOW_OPTIMIZED_KERNELS_STRIDED_COPY_H_
#define TAGFLOW_OPTIMIZED_KERNELS_STRIDED_COPY_H_

// Copying along nested dimensions, each with a step of its own on either side. Nearly every op that
// moves elements is one or a few such copies: a slice starts further inside, a transposition
// permutes the steps, a repetition has step 0, a reversal a negative one, padding writes with the
// steps of the larger tensor.
//
// Dimensions that can be walked as one are joined as they are added; so the inner loop is as long
// as it can be, and is a block copy or a fill where its steps allow it.

#include <cstdint>

#include "optimized/kernels/mover.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

class StridedCopy {
 public:
  // One more dimension, inside of those so far. Steps are in elements.
  void Add(int64_t size, int64_t from_step, int64_t to_step);
  // Dimensions `dims` of a tensor that is filled in order, read with these steps.
  void AddAll(DimsView dims, DimsView from_steps);
  void AddAll(DimsView dims, DimsView from_steps, DimsView to_steps);

  // Copies. `from` and `to` are where the walks begin.
  // REQUIRES: the walks stay inside of the elements
  void Run(const Mover& mover, const void* from, void* to) const;

  // Whether source and target are both walked in order.
  bool is_one_run() const;
  bool is_empty() const { return is_empty_; }

 private:
  struct Axis {
    int64_t size, from_step, to_step;
  };

  void RunFrom(size_t axis, const Mover& mover, const void* from, void* to) const;
  void RunInTiles(const Mover& mover, const Axis& outer, const Axis& inner, const void* from,
                  void* to) const;

  SmallVector<Axis> axes_;  // outermost first; none of size 1
  bool is_empty_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_STRIDED_COPY_H_
