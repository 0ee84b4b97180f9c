#ifndef TAGFLOW_CLI_DEVICE_OPTIONS_H_
#define TAGFLOW_CLI_DEVICE_OPTIONS_H_

// The devices of `tagflow run`, as the command line names them, and what they did, for people.

#include <string>
#include <string_view>

#include "graph/status.h"
#include "optimized/devices/devices.h"

namespace tagflow::cli {

// "memory_bytes=1048576,kernel_ns=2000": the fields of SimOptions by name, between commas.
//   Errors: INVALID_ARGUMENT naming the field, and those there are
Result<optimized::SimOptions> ParseSimOptions(std::string_view text);

// A line for the step and one for each simulated device; "" where there is none.
std::string DeviceText(const optimized::DeviceReport& report);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DEVICE_OPTIONS_H_
