// Tested by set_ops_test.cc.

#include "graph/ops/sparse_shapes.h"

#include "graph/limits.h"
#include "graph/ops/shape_functions.h"

namespace tagflow::shapes {

Result<SparseSize> SparseInput(const ShapeContext& context, SparseArgs inputs) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, inputs.indices, 2));
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, inputs.values, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, inputs.shape, 1));
  const PartialShape& indices = context.input(inputs.indices);
  const PartialShape& values = context.input(inputs.values);
  const PartialShape& shape = context.input(inputs.shape);
  SparseSize size;
  if (indices.known_rank()) size = {indices.dim(0), indices.dim(1)};
  if (values.known_rank()) {
    TAGFLOW_ASSIGN_OR_RETURN(size.count, MergeDims(size.count, values.dim(0)));
  }
  if (shape.known_rank()) {
    TAGFLOW_ASSIGN_OR_RETURN(size.rank, MergeDims(size.rank, shape.dim(0)));
  }
  return size;
}

void SetSparseOutput(ShapeContext& context, SparseArgs outputs, SparseSize size) {
  context.set_output(outputs.indices, PartialShape(Dims{size.count, size.rank}));
  context.set_output(outputs.values, PartialShape(Dims{size.count}));
  context.set_output(outputs.shape, PartialShape(Dims{size.rank}));
}

PartialShape OfRank(int64_t rank) {
  if (rank < 0 || rank > kMostDimensions) return PartialShape();
  return PartialShape::UnknownOfRank(static_cast<int>(rank));
}

}  // namespace tagflow::shapes
