#ifndef TAGFLOW_CLI_DEVICE_OPTIONS_H_
#define TAGFLOW_CLI_DEVICE_OPTIONS_H_

// The kinds of devices of `tagflow run`, and what devices did, for people.

#include <string>

#include "optimized/devices/device.h"

namespace tagflow::cli {

// The kinds of devices there are and their options, for --help.
std::string KindsText(const optimized::DeviceKinds& kinds);

// A line for each device that the session does without; for the step, where its time is virtual;
// for each device apart from the host's; and, where there is one, for how the step and each loop of
// it ran.
std::string DeviceText(const optimized::DeviceReport& report);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DEVICE_OPTIONS_H_
