#ifndef TAGFLOW_OPTIMIZED_DEVICES_KINDS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_KINDS_H_

// The kinds of devices that a session has where nobody says: the one place that knows all of them.
//
// Tested by kinds_test.cc.

#include <memory>
#include <string>
#include <string_view>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

const DeviceKinds& StandardDeviceKinds();

// The kinds, with this one in the place of the one of its name, or behind them.
DeviceKinds WithKind(DeviceKinds kinds, std::shared_ptr<const DeviceKind> kind);
// "KIND:NAME=VALUE,...": the kinds, with these options for one of them.
//   Errors: INVALID_ARGUMENT for a kind that is not there, naming those that are; of WithOptions
Result<DeviceKinds> WithKindOptions(const DeviceKinds& kinds, std::string_view text);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_KINDS_H_
