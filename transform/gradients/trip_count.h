#ifndef TAGFLOW_TRANSFORM_GRADIENTS_TRIP_COUNT_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_TRIP_COUNT_H_

// How many iterations a loop makes, where the graph says it: a variable that begins with a
// constant, that a constant is added to in each iteration, and that is compared with a constant,
// the comparison being all that the loop asks. An upper bound (maximum_iterations) beside another
// question says nothing.

#include <cstdint>
#include <optional>

#include "transform/gradients/forward.h"

namespace tagflow::internal {

// Nothing where it is not plain, or more than an int32 holds.
std::optional<int64_t> KnownTrips(const Forward& forward, const ForwardLoop& loop);

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_TRIP_COUNT_H_
