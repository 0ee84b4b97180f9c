#ifndef TAGFLOW_CLI_RUN_REQUEST_H_
#define TAGFLOW_CLI_RUN_REQUEST_H_

// What the options of `tagflow run` ask of the engine and of the step.

#include <cstdint>

#include "cli/run_session.h"
#include "conformance/command/args.h"
#include "conformance/op_library.h"

namespace tagflow::cli {

struct RunRequest {
  EngineOptions engine;
  StepOptions step;
  int64_t repeat = 1;
};

// Sets the engine's devices as --devices, --device-options, --placement and their like say.
//   Errors: INVALID_ARGUMENT where they make no sense
Status ReadDevices(const Args& args, const OpLibrary& library, EngineOptions& engine);

// Says on standard error which option chose the reference, where one did.
//   Errors: INVALID_ARGUMENT where the command line makes no sense
Result<RunRequest> ReadRunRequest(const Args& args, const OpLibrary& library);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_RUN_REQUEST_H_
