#ifndef TAGFLOW_CLI_PLACING_H_
#define TAGFLOW_CLI_PLACING_H_

// What commands that place nodes on devices share: the devices, the call, and what the placer is
// told of both.

#include <string>
#include <vector>

#include "conformance/command/args.h"
#include "conformance/op_library.h"
#include "graph/call.h"
#include "graph/device_catalog.h"
#include "transform/partition/partition.h"
#include "transform/placement/place.h"

namespace tagflow::cli {

// The names between commas, in whole: "CPU" and "CPU:1" are short for "/device:CPU:0" and
// "/device:CPU:1". Errors: INVALID_ARGUMENT for an empty name, or one that is there twice.
Result<std::vector<std::string>> DevicesOf(const std::string& list);

// The call that --feed, --fetch and --target make; of the whole graph where they ask for nothing.
Result<CallSpec> CallOf(const Graph& graph, const Args& args);

// The devices, each with the kernels that the engine has for its kind.
//   without: "KIND:OP", ops that a kind of device has no kernel for
//   Errors: INVALID_ARGUMENT for a device that cannot be read or has no kind, or a pair that cannot
Result<DeviceCatalog> CatalogOf(const std::vector<std::string>& devices,
                                const std::vector<std::string>& without, const OpLibrary& library);

// What --recvs says: late where it is not given.
//   Errors: INVALID_ARGUMENT for anything but late and at-once
Result<RecvStart> RecvStartOf(const Args& args);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_PLACING_H_
