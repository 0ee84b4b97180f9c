#ifndef TAGFLOW_GRAPH_DEVICE_NAME_H_
#define TAGFLOW_GRAPH_DEVICE_NAME_H_

// Names of devices, "/job:worker/replica:0/task:1/device:GPU:0", whole or in part. A node's device
// says what it asks for; what it leaves out may be anything.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"

namespace tagflow {

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> kind;  // "CPU", "GPU", …: upper case
  std::optional<int> index;
};

// Parts in any order, each after a '/'; "/cpu:0" is short for "/device:CPU:0", and "*" stands for
// anything.                                             Errors: INVALID_ARGUMENT with the part.
Result<DeviceName> ParseDeviceName(std::string_view text);

// Whether a device that is there is one that was asked for. What `there` leaves out is what a
// process of its own has: job localhost, replica 0, task 0.
bool Satisfies(const DeviceName& there, const DeviceName& asked);

// INVALID_ARGUMENT, naming the devices there are, when none of them satisfies `asked`.
Status CheckDeviceIsThere(std::string_view asked, const std::vector<std::string>& there);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_DEVICE_NAME_H_
