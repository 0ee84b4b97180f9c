#include <unistd.h>

#include <cstdio>
#include <string>

#include "conformance/commands.h"
#include "conformance/engines.h"
#include "conformance/serve.h"

namespace tagflow::conformance {
namespace {

constexpr std::string_view kServeHelp = R"(usage: tagflow serve [--engine NAME]

Is an engine for a conformance runner: reads requests from standard input and writes responses to
standard output, each a 4-byte little-endian length and a message of conformance/engine.proto. The
first message is a Hello, unasked. Ends when its input ends. `tagflow check` starts it by itself.

  --engine NAME   the built-in engine to be, as `tagflow check --help` has them (default: reference)

Exit code: 0 at the end of the input; 1 if the input is not the protocol; 2 for a wrong command line.
)";

int UsageError(const std::string& message) {
  std::fprintf(stderr, "tagflow serve: %s (--help says more)\n", message.c_str());
  return 2;
}

}  // namespace

int ServeCommand(int argc, char** argv, const OpLibrary& library) {
  std::string name = "reference";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fwrite(kServeHelp.data(), 1, kServeHelp.size(), stdout);
      return 0;
    }
    if (argument.starts_with("--engine=")) {
      name = argument.substr(std::string("--engine=").size());
    } else if (argument == "--engine" && i + 1 < argc) {
      name = argv[++i];
    } else {
      return UsageError("unknown or incomplete argument '" + argument + "'");
    }
  }
  Result<std::unique_ptr<Servant>> servant = MakeServant(name, library);
  if (!servant.ok()) return UsageError(servant.status().message());
  const Status status = Serve(**servant, STDIN_FILENO, ClaimStandardOutput());
  if (status.ok()) return 0;
  std::fprintf(stderr, "tagflow serve: %s\n", status.message().c_str());
  return 1;
}

}  // namespace tagflow::conformance
