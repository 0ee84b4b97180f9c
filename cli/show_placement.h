#ifndef TAGFLOW_CLI_SHOW_PLACEMENT_H_
#define TAGFLOW_CLI_SHOW_PLACEMENT_H_

// tagflow show --placement: which node would be on which device, and why.

#include <string>

#include "conformance/command/args.h"
#include "conformance/op_library.h"
#include "graph/graph.h"
#include "transform/placement/place.h"

namespace tagflow::cli {

// What the candidates were estimated at, and a line for each node that is needed.
std::string PlacementText(const Graph& graph, const PlacementReport& report);

// What went wrong, and with which exit code the command ends.
struct PlacementFailure {
  Status status;
  int exit_code = kExitOk;
};
// Prints that, for the options of `tagflow show --placement`.
PlacementFailure ShowPlacement(const Graph& graph, const Args& args, const OpLibrary& library);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_SHOW_PLACEMENT_H_
