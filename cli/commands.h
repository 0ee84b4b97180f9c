#ifndef TAGFLOW_CLI_COMMANDS_H_
#define TAGFLOW_CLI_COMMANDS_H_

// The subcommands that live here. Each takes the words after its name and gives the exit code.

#include <string>
#include <vector>

#include "conformance/op_library.h"

namespace tagflow::cli {

int RunCommand(const std::vector<std::string>& words, const OpLibrary& library = {});
int ShowCommand(const std::vector<std::string>& words, const OpLibrary& library = {});
int BenchCommand(const std::vector<std::string>& words, const OpLibrary& library = {});
int ExploreCommand(const std::vector<std::string>& words, const OpLibrary& library = {});
int GradCommand(const std::vector<std::string>& words, const OpLibrary& library = {});
int PartitionCommand(const std::vector<std::string>& words, const OpLibrary& library = {});
int DiffCommand(const std::vector<std::string>& words, const OpLibrary& library = {});

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_COMMANDS_H_
