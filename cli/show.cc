// tagflow show: what a graph consists of, and what is wrong with it.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/dot.h"
#include "cli/report.h"
#include "graph/io/import.h"
#include "graph/validate.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp = R"(tagflow show GRAPH [--dot | --check]

Describes a TensorFlow graph: what it wants fed, its frames, loops (variables, invariants, bound,
parallel_iterations), branches with what they capture, and devices. GRAPH is a GraphDef, binary or
text: its content says which.

  --dot     a drawing for Graphviz, frames as boxes: tagflow show g.pb --dot | dot -Tsvg > g.svg
            Control edges are dashed; back edges and what leads into and out of a frame are coloured
  --check   everything that is wrong with the whole graph, and notes on what deserves a look; exit
            code 1 if something is wrong (`run` checks only what a call needs)

Exit code: 0 fine; 1 --check found something wrong; 2 the command line makes no sense; 3 the graph
cannot be read.
)";

const std::vector<OptionSpec> kOptions = {{"--dot", false}, {"--check", false}, {"--help", false}};

int UsageError(const Status& status) {
  std::fprintf(stderr, "%sSee 'tagflow show --help'.\n", ErrorText(status).c_str());
  return kExitUsage;
}

int Check(const Graph& graph) {
  const std::vector<Status> problems = ValidateGraph(graph);
  for (const Status& problem : problems) std::fputs(ErrorText(problem).c_str(), stdout);
  for (const std::string& note : GraphNotes(graph)) std::printf("note: %s\n", note.c_str());
  std::printf("%zu %s wrong\n", problems.size(), problems.size() == 1 ? "thing is" : "things are");
  return problems.empty() ? kExitOk : kExitFailed;
}

}  // namespace

int ShowCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  const Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) return UsageError(args.status());
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  if (args->operands().size() != 1) return UsageError(InvalidArgument("show takes one graph"));
  if (args->Has("--dot") && args->Has("--check")) {
    return UsageError(InvalidArgument("give --dot or --check, not both"));
  }
  const Result<Graph> graph = ReadGraphFile(args->operands()[0], {.registry = library.ops});
  if (!graph.ok()) {
    std::fputs(ErrorText(graph.status()).c_str(), stderr);
    return kExitBadInput;
  }
  if (args->Has("--check")) return Check(*graph);
  std::string problem;
  const FrameTree frames = FramesOrRoot(*graph, problem);
  if (!problem.empty()) {
    std::fprintf(stderr, "warning: no frames are shown: %s\n", problem.c_str());
  }
  const std::string text =
      args->Has("--dot") ? DrawDot(*graph, frames) : DescribeGraph(*graph, frames);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace tagflow::cli
