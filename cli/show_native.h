#ifndef TAGFLOW_CLI_SHOW_NATIVE_H_
#define TAGFLOW_CLI_SHOW_NATIVE_H_

// tagflow show --native: the loops of a call as machine code.

#include <string>

#include "conformance/command/args.h"
#include "conformance/op_library.h"
#include "graph/saved/saved_model.h"
#include "graph/status.h"

namespace tagflow::cli {

// Runs a step of the call that the options name, and tells how its loops were compiled.
//   Errors: INVALID_ARGUMENT, NOT_FOUND where the call cannot be made; those of the step
Result<std::string> NativeText(SavedModelGraph model, const Args& args, const OpLibrary& library);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_SHOW_NATIVE_H_
