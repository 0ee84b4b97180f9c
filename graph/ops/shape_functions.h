#ifndef TAGFLOW_GRAPH_OPS_SHAPE_FUNCTIONS_H_
#define TAGFLOW_GRAPH_OPS_SHAPE_FUNCTIONS_H_

// Shape functions that several ops share, and what shape functions are made of.

#include <optional>
#include <string>

#include "graph/shape_inference.h"

namespace tagflow::shapes {

// Whole shape functions.
Status Unchanged(ShapeContext& context);      // every output is as the first input
Status AllUnchanged(ShapeContext& context);   // output i is as input i
Status Merged(ShapeContext& context);         // the inputs and the output have one shape
Status Broadcast(ShapeContext& context);      // output 0: all inputs broadcast together
Status Scalar(ShapeContext& context);         // every output is a scalar
Status Unknown(ShapeContext& context);        // known only when it runs
Status NoOutputs(ShapeContext& context);      // there is nothing to say
Status FromShapeAttr(ShapeContext& context);  // the output has the shape of the attr "shape"
// Inputs: a tensor, and the dimensions to fold away (int32 or int64, rank 0 or 1); attr keep_dims.
Status Reduction(ShapeContext& context);
Status StridedSlice(ShapeContext& context);  // in strided_slice_shape.cc

// The name that input i is declared under, e.g. "pred".
std::string InputName(const ShapeContext& context, int i);

// INVALID_ARGUMENT unless input i may have this rank.
Status RequireRank(const ShapeContext& context, int i, int rank);
Status RequireRankAtLeast(const ShapeContext& context, int i, int rank);

// The elements of input i where it is a constant of an integer dtype, else nothing.
std::optional<Dims> ConstantInts(const ShapeContext& context, int i);
// The same of a scalar.
std::optional<int64_t> ConstantInt(const ShapeContext& context, int i);

// The shape that input i, a vector of dimensions with -1 for unknown ones, spells: from its value,
// else its length gives the rank. INVALID_ARGUMENT for dimensions below -1 or an input not of
// rank 1.
Result<PartialShape> ShapeFromInput(const ShapeContext& context, int i);

// `axis` counted from the front. INVALID_ARGUMENT unless -rank <= axis < rank.
Result<int> NormalizeAxis(const ShapeContext& context, int64_t axis, int rank);

// a + b and a * b of dimensions, unknown if either is; overflow is unknown too.
int64_t AddDims(int64_t a, int64_t b);
int64_t MultiplyDims(int64_t a, int64_t b);
// The dimension that satisfies both; INVALID_ARGUMENT when they differ.
Result<int64_t> MergeDims(int64_t a, int64_t b);
// The number of elements, unknown unless all dimensions are known.
int64_t ElementCount(const PartialShape& shape);
// Dimensions [begin, end) of a shape of known rank, and one shape after another; unknown if any is.
PartialShape Subshape(const PartialShape& shape, int begin, int end);
PartialShape Concatenated(const PartialShape& a, const PartialShape& b);

// OK if updates may hold a slice of a tensor of shape `into` for each place that indices [...,
// depth] name by their first `depth` coordinates. Coordinates that are too many are let pass.
//   Errors: INVALID_ARGUMENT
Status CheckScatteredSlices(const PartialShape& into, const PartialShape& indices,
                            const PartialShape& updates);

}  // namespace tagflow::shapes

#endif  // TAGFLOW_GRAPH_OPS_SHAPE_FUNCTIONS_H_
