#ifndef TAGFLOW_CLI_COMMANDS_H_
#define TAGFLOW_CLI_COMMANDS_H_

// The subcommands that live here. Each takes the words after its name and gives the exit code.

#include <string>
#include <vector>

namespace tagflow::cli {

int RunCommand(const std::vector<std::string>& words);
int ShowCommand(const std::vector<std::string>& words);
int DiffCommand(const std::vector<std::string>& words);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_COMMANDS_H_
