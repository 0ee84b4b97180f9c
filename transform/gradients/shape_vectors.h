#ifndef TAGFLOW_TRANSFORM_GRADIENTS_SHAPE_VECTORS_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_SHAPE_VECTORS_H_

// Parts of the shapes of forward values as tensors: constants where shape inference knows them, so
// that the gradients of static graphs have no arithmetic on shapes.

#include <cstdint>
#include <optional>
#include <vector>

#include "transform/gradients/gradient_function.h"

namespace tagflow {

// Dimensions [begin, begin + count) of input `slot`, int32; count -1: all from `begin`.
Output DimsOfInput(NodeGradient& node, size_t slot, int begin, int count = -1);

// A number of elements: known, or an int64 scalar of the graph.
struct Extent {
  std::optional<int64_t> known;
  Output output;  // unless known
};
// The product of dimensions [begin, begin + count) of input `slot`.
Extent ExtentOfInput(NodeGradient& node, size_t slot, int begin, int count = -1);
Extent Times(const Scope& scope, const Extent& x, const Extent& y);
Output AsOutput(const Scope& scope, const Extent& extent);
// A vector, int64.
Output AsDims(const Scope& scope, const std::vector<Extent>& extents);

// Dimensions [1, …) of output `port`, int32: the shape of a row.
Output RowShapeOfOutput(NodeGradient& node, size_t port);

// A vector of one element: a scalar index as the bound of a slice.
Output AsVector(const Scope& scope, const Output& scalar);
// `x`, cast where it is of another dtype.
Output AsDType(const Scope& scope, const Output& x, DType dtype);
// The sum of all elements, a scalar.
Output SumAll(const Scope& scope, const Output& x);
// Gives that to an input that is a scalar or, as some kernels take it, of one element.
void GiveSum(NodeGradient& node, size_t slot, const Output& gradient);

// The axis that a constant input holds, counted from 0, for a tensor of known rank.
std::optional<int> KnownAxis(const NodeGradient& node, size_t slot, const PartialShape& shape);
// The integers of a constant input.
std::optional<std::vector<int64_t>> KnownIntegers(const NodeGradient& node, size_t slot);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_SHAPE_VECTORS_H_
