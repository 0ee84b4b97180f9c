#ifndef TAGFLOW_OPTIMIZED_DEVICES_PLANNED_KINDS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_PLANNED_KINDS_H_

// Kinds of devices for a session that is made to be looked at: how it would place and run a call.
// Where there are no such devices (FAILED_PRECONDITION: a GPU without its driver), stand-ins take
// their place, which have no room, and on which no step begins.
//
// Tested by planned_kinds_test.cc.

#include "optimized/devices/device.h"

namespace tagflow::optimized {

DeviceKinds PlannedKinds(const DeviceKinds& kinds);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_PLANNED_KINDS_H_
