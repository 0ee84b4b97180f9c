#ifndef TAGFLOW_CLI_SHOW_PLACEMENT_H_
#define TAGFLOW_CLI_SHOW_PLACEMENT_H_

// tagflow show --placement: which node would be on which device, and why.

#include <string>
#include <vector>

#include "conformance/command/args.h"
#include "conformance/op_library.h"
#include "graph/graph.h"
#include "transform/placement/place.h"

namespace tagflow::cli {

// What the candidates were estimated at, and a line for each node that is needed.
std::string PlacementText(const Graph& graph, const PlacementReport& report);

// By which executor the engine would run the call with its nodes there, and how its steps and
// loops, as far as that is known before a run; nothing is run.
//   graph: lowered; devices: need not be there; args: the call
//   Errors: why it would not run
Result<std::string> HowItWouldRun(const Graph& graph, const PlacementReport& report,
                                  const std::vector<std::string>& devices, const Args& args,
                                  const OpLibrary& library);

// What went wrong, and with which exit code the command ends.
struct PlacementFailure {
  Status status;
  int exit_code = kExitOk;
};
// Prints that, for the options of `tagflow show --placement`.
PlacementFailure ShowPlacement(const Graph& graph, const Args& args, const OpLibrary& library);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_SHOW_PLACEMENT_H_
