#ifndef TAGFLOW_REFERENCE_TAPE_WALK_H_
#define TAGFLOW_REFERENCE_TAPE_WALK_H_

// Which element belongs to which, for ops that move elements: all of them are walks through a
// tensor in steps.

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/tensor.h"

namespace tagflow::reference {

// How far neighbours along each dimension are apart in row-major order.
Dims StepsOf(DimsView dims);

// start + sum over d of at[d] * steps[d], for every coordinate `at` below dims, in row-major order.
std::vector<size_t> Walk(DimsView dims, const Dims& steps, int64_t start = 0);

// For each element of shape `to` the element of shape `from` that broadcasting puts there.
// REQUIRES: `from` broadcasts to `to`
std::vector<size_t> BroadcastWalk(DimsView from, DimsView to);

// Calls visit for every coordinate below dims, in row-major order.
void ForEachCoordinate(DimsView dims, const std::function<void(const Dims& at)>& visit);
// The sum over d of at[d] * steps[d].
size_t PlaceOf(const Dims& at, const Dims& steps);

// An axis counted from the end when negative. REQUIRES: it is in range
inline size_t AxisOf(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

// The product of dims[begin, end).
int64_t Product(DimsView dims, size_t begin, size_t end);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_WALK_H_
