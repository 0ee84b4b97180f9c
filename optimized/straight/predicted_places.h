#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_PREDICTED_PLACES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_PREDICTED_PLACES_H_

// In which memory the values of a placed call will be, as far as ops and shapes tell before a step:
// for people who ask how it would run. Nothing is decided by it.
//
// Scalars that the host has stay there, and what a device's kernel makes of such alone; what it
// makes of anything else is the device's. A loop that the host counts is one whose predicate comes
// of scalars. (Kernels of GPUs are so; those of another kind may keep less on the host.)
//
// Tested by predicted_places_test.cc.

#include <cstdint>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "optimized/devices/devices.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

enum class PredictedPlace : uint8_t {
  kNone,  // the call does not need the node, or nothing comes of it
  kHost,
  kDevice,   // or it is an array, which is brought to the device that reads it
  kUnknown,  // it hangs on shapes, or on which way is taken
};

// By node.
//   graph: each node names its device; needed: by node, those of the call
std::vector<PredictedPlace> PredictPlaces(const Graph& graph, const CallSpec& call,
                                          const std::vector<bool>& needed, const Devices& devices,
                                          const KernelRegistry& kernels);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_PREDICTED_PLACES_H_
