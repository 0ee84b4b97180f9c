#ifndef TAGFLOW_GRAPH_OPS_SPARSE_SHAPES_H_
#define TAGFLOW_GRAPH_OPS_SPARSE_SHAPES_H_

// Shapes of sparse tensors, which are three arguments each: the indices [n, rank] of n elements,
// their values [n], and the shape [rank] of the whole.

#include <cstdint>

#include "graph/shape_inference.h"

namespace tagflow::shapes {

// Which inputs, or outputs, a sparse tensor is.
struct SparseArgs {
  int indices, values, shape;
};

// Three in a row.
inline SparseArgs SparseFrom(int first) { return {first, first + 1, first + 2}; }

// What is known of a sparse tensor; kUnknownDim where nothing is.
struct SparseSize {
  int64_t count = PartialShape::kUnknownDim;  // of the elements that it has
  int64_t rank = PartialShape::kUnknownDim;
};

//   Errors: INVALID_ARGUMENT where the inputs cannot be one sparse tensor
Result<SparseSize> SparseInput(const ShapeContext& context, SparseArgs inputs);
inline Result<SparseSize> SparseInput(const ShapeContext& context, int first) {
  return SparseInput(context, SparseFrom(first));
}

void SetSparseOutput(ShapeContext& context, SparseArgs outputs, SparseSize size);
inline void SetSparseOutput(ShapeContext& context, int first, SparseSize size) {
  SetSparseOutput(context, SparseFrom(first), size);
}

// A shape of that rank; an unknown one where the rank is not known, or more than a shape is ever
// of.
PartialShape OfRank(int64_t rank);

}  // namespace tagflow::shapes

#endif  // TAGFLOW_GRAPH_OPS_SPARSE_SHAPES_H_
