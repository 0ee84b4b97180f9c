#ifndef TAGFLOW_CONFORMANCE_COMMANDS_H_
#define TAGFLOW_CONFORMANCE_COMMANDS_H_

// `tagflow check` and `tagflow serve`. argv[0] is the command's own name; the exit code is
// returned. `library`: of the built-in engines.

#include "conformance/op_library.h"

namespace tagflow::conformance {

// Runs cases against an engine; see `tagflow check --help`.
int CheckCommand(int argc, char** argv, const OpLibrary& library = {});

// Is an engine: speaks conformance/engine.proto on standard input and output. See
// `tagflow serve --help`.
int ServeCommand(int argc, char** argv, const OpLibrary& library = {});

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_COMMANDS_H_
