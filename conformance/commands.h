#ifndef TAGFLOW_CONFORMANCE_COMMANDS_H_
#define TAGFLOW_CONFORMANCE_COMMANDS_H_

// `tagflow check` and `tagflow serve`. argv[0] is the command's own name; the exit code is
// returned.

namespace tagflow::conformance {

// Runs cases against an engine; see `tagflow check --help`.
int CheckCommand(int argc, char** argv);

// Is an engine: speaks conformance/engine.proto on standard input and output. See
// `tagflow serve --help`.
int ServeCommand(int argc, char** argv);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_COMMANDS_H_
