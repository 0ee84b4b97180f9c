#ifndef TAGFLOW_TRANSFORM_GRADIENTS_ROW_UPDATES_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_ROW_UPDATES_H_

// Updates that touch a few rows of a gradient, or a few elements of a list of gradients: what they
// cost is what they touch, however large the sum is that they add to.

#include "transform/gradients/gradient_function.h"

namespace tagflow {

// sum[indices[i…]] += slices[i…], for coordinates along the last dimension of `indices` (int32 or
// int64). Slices of one place add up.
//   bad_indices_policy: as the op that read had it
GradientUpdate AddAtCoordinates(const Output& indices, const Output& slices,
                                const std::string& bad_indices_policy = "");
// sum[indices[i…]] += rows[i…], for any indices into dimension 0.
GradientUpdate AddAtRows(const Scope& scope, const Output& indices, const Output& rows);

// Element `index` (an int32 scalar) of a list gains `gradient`, which has the shape `shape`.
GradientUpdate AddToElement(const Output& index, const Output& gradient, const Output& shape);
// Elements indices[i] of a list gain gradients[i], all of one shape, which is `shape`.
//   distinct: whether no index is there twice; else rows of one element are added up first
GradientUpdate AddToElements(const Scope& scope, const Output& indices, const Output& gradients,
                             const Output& shape, bool distinct);

// UNIMPLEMENTED where input 0 holds lists or optionals, which are not added to at a place.
Status RequireNumbers(const NodeGradient& node);

// Whether it can be seen that input `slot` holds no number twice.
bool AreDistinct(const NodeGradient& node, size_t slot);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_ROW_UPDATES_H_
