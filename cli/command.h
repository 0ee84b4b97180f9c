#ifndef TAGFLOW_CLI_COMMAND_H_
#define TAGFLOW_CLI_COMMAND_H_

// The whole `tagflow` command, for programs that are it with ops of their own
// (examples/custom_op/tagflow_main.cc).

#include "conformance/op_library.h"

namespace tagflow::cli {

// Finds the subcommand and hands it the words. argc and argv are those of main; what is returned is
// the exit code. `tagflow fuzz` makes its programs of standard ops, whatever the library has.
int Main(int argc, char** argv, const OpLibrary& library);
// With the standard ops.
int Main(int argc, char** argv);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_COMMAND_H_
