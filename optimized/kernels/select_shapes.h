#ifndef TAGFLOW_OPTIMIZED_KERNELS_SELECT_SHAPES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SELECT_SHAPES_H_

// How the inputs of Select and SelectV2 broadcast.
//
// Tested by conformance/ops/compare.ops.

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// x, y and the condition, seen as of this shape, broadcast to the output's.
struct SelectShapes {
  Dims condition;
  Dims output;
};

// Select: x and y have one shape, and the condition is a scalar, a vector over x's rows, or of x's
// shape; it has 1s for the dimensions that it lacks.
//   Errors: INVALID_ARGUMENT
Result<SelectShapes> ShapesOfSelect(DimsView condition, DimsView x, DimsView y);
// SelectV2: all three broadcast.
//   Errors: INVALID_ARGUMENT
Result<SelectShapes> ShapesOfSelectV2(DimsView condition, DimsView x, DimsView y);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SELECT_SHAPES_H_
