#ifndef TAGFLOW_FUZZ_COMMAND_COMMANDS_H_
#define TAGFLOW_FUZZ_COMMAND_COMMANDS_H_

namespace tagflow::fuzz {

// `tagflow fuzz`; see `tagflow fuzz --help`. argv[0] is the command's own name; the exit code is
// returned.
int FuzzCommand(int argc, char** argv);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_COMMAND_COMMANDS_H_
