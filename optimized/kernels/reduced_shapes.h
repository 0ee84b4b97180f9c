#ifndef TAGFLOW_OPTIMIZED_KERNELS_REDUCED_SHAPES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_REDUCED_SHAPES_H_

// The shapes of a reduction over dimensions that an input names.
//
// Tested by shape_rules_test.cc.

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

struct ReducedShapes {
  Dims kept;    // the input's, with 1 for each reduced dimension
  Dims output;  // the output's
};

//   input: the dims of what is reduced
//   axes: int32 or int64 of any shape, on the host; -rank <= axis < rank
//   keep_dims: whether the output has 1 in the place of each reduced dimension
//   Errors: INVALID_ARGUMENT for an axis out of range, and for one named twice
Result<ReducedShapes> ReducedShapesOf(DimsView input, const Tensor& axes, bool keep_dims);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_REDUCED_SHAPES_H_
