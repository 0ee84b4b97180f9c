#include "cli/command.h"

#include <cstdio>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "conformance/command/args.h"
#include "conformance/commands.h"
#include "fuzz/command/commands.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow: dataflow graphs with control flow, run by written rules

  tagflow run GRAPH --feed NAME=VALUE --fetch NAME    run a TensorFlow graph
  tagflow explore GRAPH … -o FILE.html                a page on which one sees it run
  tagflow show GRAPH                                  its frames, loops, branches, devices
  tagflow grad GRAPH --of Y --wrt X -o FILE           add the gradient of Y by X to it
  tagflow bench GRAPH --feed NAME=VALUE --fetch NAME  how long a step of it takes
  tagflow partition GRAPH --devices LIST --out DIR    a graph for each device
  tagflow check PATH...                               hold an engine to conformance cases
  tagflow fuzz --engine NAME                          … to random programs
  tagflow diff GRAPH --engine NAME                    the first token that two engines differ in
  tagflow serve --engine NAME                         be an engine for another process

`tagflow COMMAND --help` explains a command. The rules are in docs/semantics.md.
)";

struct Command {
  std::string_view name;
  // argv[0] is the command's own name
  int (*run)(int argc, char** argv, const OpLibrary& library);
};

std::vector<std::string> Words(int argc, char** argv) { return {argv + 1, argv + argc}; }

constexpr Command kCommands[] = {
    {"run", [](int argc, char** argv,
               const OpLibrary& library) { return RunCommand(Words(argc, argv), library); }},
    {"show", [](int argc, char** argv,
                const OpLibrary& library) { return ShowCommand(Words(argc, argv), library); }},
    {"explore",
     [](int argc, char** argv, const OpLibrary& library) {
       return ExploreCommand(Words(argc, argv), library);
     }},
    {"grad", [](int argc, char** argv,
                const OpLibrary& library) { return GradCommand(Words(argc, argv), library); }},
    {"bench", [](int argc, char** argv,
                 const OpLibrary& library) { return BenchCommand(Words(argc, argv), library); }},
    {"partition",
     [](int argc, char** argv, const OpLibrary& library) {
       return PartitionCommand(Words(argc, argv), library);
     }},
    {"diff", [](int argc, char** argv,
                const OpLibrary& library) { return DiffCommand(Words(argc, argv), library); }},
    {"check", conformance::CheckCommand},
    {"fuzz", [](int argc, char** argv, const OpLibrary&) { return fuzz::FuzzCommand(argc, argv); }},
    {"serve", conformance::ServeCommand},
};

int Help(std::FILE* where, int exit_code) {
  std::fwrite(kHelp.data(), 1, kHelp.size(), where);
  return exit_code;
}

// What runs out of memory outside of the library's calls, which say more, ends the command all the
// same as any error does.
int OrFailed(const std::function<int()>& part) {
  try {
    return part();
  } catch (const std::bad_alloc&) {
    std::fputs("error: RESOURCE_EXHAUSTED: out of memory\n", stderr);
    return kExitFailed;
  }
}

// A result that could not be printed, to a full disk for one, is no success.
int Delivered(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fputs("error: cannot write to standard output\n", stderr);
  return exit_code == kExitOk ? kExitFailed : exit_code;
}

}  // namespace

int Main(int argc, char** argv, const OpLibrary& library) {
  if (argc < 2) return Help(stderr, kExitUsage);
  const std::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") return Help(stdout, kExitOk);
  for (const Command& command : kCommands) {
    if (command.name != name) continue;
    const auto run = [&] { return command.run(argc - 1, argv + 1, library); };
    return Delivered(OrFailed(run));
  }
  std::fprintf(stderr, "error: there is no command '%s'\n\n", argv[1]);
  return Help(stderr, kExitUsage);
}

int Main(int argc, char** argv) {
  // OpLibrary asks for the standard ops, which puts them together and may run out of memory.
  return OrFailed([&] { return Main(argc, argv, OpLibrary{}); });
}

}  // namespace tagflow::cli
