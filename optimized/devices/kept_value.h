#ifndef TAGFLOW_OPTIMIZED_DEVICES_KEPT_VALUE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_KEPT_VALUE_H_

// The value of a variable by handle, which a device with streams keeps while its kernels use it.
//
// Tested by kept_value_test.cc.

#include "graph/status.h"
#include "optimized/devices/device.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// Whether a scalar that the host has goes to the device, too.
enum class HostScalars : uint8_t { kStay, kMove };

// Brings the value to the stream's device, for all who use it from now on.
//   Errors: RESOURCE_EXHAUSTED; of the device that has it
// REQUIRES: a value; the variable is locked
Status BringTo(DeviceStream& stream, Variable::Contents& contents,
               HostScalars scalars = HostScalars::kStay);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_KEPT_VALUE_H_
