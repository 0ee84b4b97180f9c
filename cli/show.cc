// tagflow show: what a graph consists of, and what is wrong with it.

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/dot.h"
#include "cli/model_call.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "cli/show_native.h"
#include "cli/show_placement.h"
#include "cli/stats_table.h"
#include "conformance/command/args.h"
#include "graph/saved/tensor_bundle.h"
#include "graph/validate.h"
#include "transform/structure/structure_text.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp = R"(tagflow show GRAPH [--dot | --check | --structure]
tagflow show GRAPH --placement --devices NAME,NAME... [--soft-placement] [--fetch NAME]... [--times FILE]
tagflow show GRAPH --native [--feed NAME=VALUE]... [--fetch NAME]... [--target NAME]... [--ir]

Describes a TensorFlow graph: what it wants fed, its frames, loops (variables, invariants, bound,
parallel_iterations), branches with what they capture, and devices. GRAPH is a GraphDef, binary or
text: its content says which; a MetaGraph; the folder of a SavedModel, whose signatures come first; or
a checkpoint (PREFIX, where there is PREFIX.index, or one file of TensorFlow's first format), whose
tensors are listed.

  --dot     a drawing for Graphviz, frames as boxes: tagflow show g.pb --dot | dot -Tsvg > g.svg
            Control edges are dashed; back edges and what leads into and out of a frame are coloured
  --structure  the graph as nested pseudo-code: loops as "loop" with a "while" in it, conds as
            "if", "else" and "case", each Merge as an assignment in every branch; then the functions
            that nodes call. What cannot be told so is shown as primitives in its place ("# stays:")
            or, of a frame, with all that is in it, and with the reason
  --check   everything that is wrong with the whole graph; apart from it, what matters only to a call
            that needs the node: what is to be fed, and ops that are not there; and notes on what
            deserves a look. Exit code 1 if something is wrong (`run` checks only what a call needs)
  --placement  which device each node would be placed on, and why; and how the call would run: by
            which executor, and, over devices with streams, how its steps and each of its loops, and
            why not better
  --native  how the loops of a call become machine code: a step is run, with feeds and fetches as for
            `tagflow run`, and each loop is listed with the names of nodes. What has a dtype is a
            register; lines with a star are kernels that machine code calls. With --ir LLVM's text
            follows

For --placement:

  --devices LIST   the devices there are, by commas: /device:CPU:0,/device:CPU:1, or CPU,CPU:1. Each
                   kind is taken to have the kernels that the engine has on the CPU
  --without KIND:OP  but not this one. May be given again
  --soft-placement
                   a node that asks for a device that is not there, or has no kernel for it, goes to
                   another; otherwise that is an error
  --fetch NAME     a tensor that is to be fetched; --target NAME, a node to be run; --feed NAME, a
                   tensor that is fed. Without any, the whole graph is placed. May be given again
  --times FILE     what a run has measured, a line for each node: name, mean ns, firings of a step.
                   `tagflow run --engine optimized --times FILE` writes it

Nodes that share a variable, a reference or a handle are together; those that ask for it (_class:
"loc:@NAME"); and those of a loop that cannot be cut. Control flow goes with its data. Where that
leaves a choice, these are simulated, with what kernels and messages cost: everything on one device;
each node where it would be done soonest (greedy); nodes in turn (round robin). The quickest is it.
What was not measured is estimated from shapes; a loop is taken to run 100 times.

  $ tagflow show g.pbtxt --placement --devices /device:CPU:0,/device:CPU:1 --fetch sum
  a step, as estimated
    all on /device:CPU:0  135 ms
    all on /device:CPU:1  135 ms
    greedy                67.5 ms  chosen
    round robin           67.5 ms

  node  op      device         why
  a     MatMul  /device:CPU:0  greedy: done 106 us sooner than on /device:CPU:1
  ...

  the call would run by tokens: 'x/_send_to_1_0_on_0' sends or receives, over 2 devices

Nothing is run, and the devices need not be there: of a GPU that is not, what one would do is told.

Exit code: 0 fine; 1 --check found something wrong, or nodes cannot be placed; 2 the command line
makes no sense; 3 the graph, a file, a feed or a fetch cannot be used.
)";

const std::vector<OptionSpec> kOptions = {
    {"--dot", false},       {"--check", false},  {"--structure", false},
    {"--placement", false}, {"--native", false}, {"--ir", false},
    {"--signature"},        {"--tags"},          {"--soft-placement", false},
    {"--devices"},          {"--without"},       {"--fetch"},
    {"--target"},           {"--feed"},          {"--times"},
    {"--help", false},
};

int UsageError(const Status& status) {
  std::fprintf(stderr, "%sSee 'tagflow show --help'.\n", ErrorText(status).c_str());
  return kExitUsage;
}

// An op that is not there is an error of the calls that need it, and of no other.
bool IsOfCalls(const Status& problem) {
  return problem.code() == Code::kUnimplemented && problem.rule() == "graph.1";
}

int Check(const Graph& graph) {
  size_t wrong = 0;
  std::vector<std::string> of_calls;
  for (const std::string& line : PlaceholderLines(graph)) of_calls.push_back("feed " + line);
  for (const Status& problem : ValidateGraph(graph)) {
    if (IsOfCalls(problem)) {
      of_calls.push_back(problem.message());
      continue;
    }
    ++wrong;
    std::fputs(ErrorText(problem).c_str(), stdout);
  }
  if (!of_calls.empty()) std::puts("only where a call needs the node:");
  for (const std::string& line : of_calls) std::printf("  %s\n", line.c_str());
  for (const std::string& note : GraphNotes(graph)) std::printf("note: %s\n", note.c_str());
  std::printf("%zu %s wrong\n", wrong, wrong == 1 ? "thing is" : "things are");
  return wrong == 0 ? kExitOk : kExitFailed;
}

// The options make sense together, or what does not.
Status CheckOptions(const Args& args) {
  if (args.operands().size() != 1) return InvalidArgument("show takes one graph");
  const int ways = static_cast<int>(args.Has("--dot")) + static_cast<int>(args.Has("--check")) +
                   static_cast<int>(args.Has("--placement")) +
                   static_cast<int>(args.Has("--structure")) +
                   static_cast<int>(args.Has("--native"));
  if (ways > 1) {
    return InvalidArgument("give one of --dot, --check, --structure, --placement and --native");
  }
  for (const char* option : {"--ir", "--signature", "--tags"}) {
    if (args.Has(option) && !args.Has("--native")) {
      return InvalidArgument(std::string(option) + " goes with --native");
    }
  }
  if (args.Has("--placement")) {
    return args.Has("--devices") ? Status() : InvalidArgument("--placement needs --devices");
  }
  for (const char* option : {"--soft-placement", "--devices", "--without", "--times"}) {
    if (args.Has(option)) return InvalidArgument(std::string(option) + " goes with --placement");
  }
  for (const char* option : {"--fetch", "--target", "--feed"}) {
    if (args.Has(option) && !args.Has("--native")) {
      return InvalidArgument(std::string(option) + " goes with --placement or --native");
    }
  }
  return Status();
}

int Native(SavedModelGraph model, const Args& args, const OpLibrary& library) {
  const Result<std::string> text = NativeText(std::move(model), args, library);
  if (!text.ok()) {
    std::fputs(ErrorText(text.status()).c_str(), stderr);
    return kExitBadInput;
  }
  std::fputs(text->c_str(), stdout);
  return kExitOk;
}

int Placed(const Graph& graph, const Args& args, const OpLibrary& library) {
  const PlacementFailure failure = ShowPlacement(graph, args, library);
  if (failure.exit_code == kExitUsage) return UsageError(failure.status);
  if (!failure.status.ok()) std::fputs(ErrorText(failure.status).c_str(), stderr);
  return failure.exit_code;
}

}  // namespace

namespace {

std::string Names(const std::map<std::string, std::string>& tensors) {
  std::string text;
  for (const auto& [name, tensor] : tensors) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// A line for each signature of a model.
std::string SignatureText(const SavedModelGraph& model) {
  std::string text = model.signatures.empty() ? "" : "signatures:\n";
  for (const auto& [name, signature] : model.signatures) {
    text += "  " + name + ": (" + Names(signature.inputs) + ") gives " + Names(signature.outputs);
    text += "\n";
  }
  return text;
}

int ShowCheckpoint(const std::string& prefix) {
  const auto bundle = TensorBundle::Open(prefix);
  if (!bundle.ok()) {
    std::fputs(ErrorText(bundle.status()).c_str(), stderr);
    return kExitBadInput;
  }
  std::printf("checkpoint: %zu tensors\n", (*bundle)->entries().size());
  for (const auto& [name, entry] : (*bundle)->entries()) {
    const bool is_known = entry.dtype != DType::kInvalid;
    std::printf("  %s: %s%s", name.c_str(),
                is_known ? DTypeName(entry.dtype).c_str() : "a dtype that is not read",
                DimsString(entry.dims).c_str());
    if (entry.bytes > 0 || entry.pieces.empty())
      std::printf(", %s bytes", CountText(entry.bytes).c_str());
    std::printf("\n");
  }
  return kExitOk;
}

}  // namespace

int ShowCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  const Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) return UsageError(args.status());
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  if (const Status status = CheckOptions(*args); !status.ok()) return UsageError(status);
  const std::string path = args->operands()[0];
  if (std::filesystem::exists(path + ".index") || SortedTable::IsOne(path)) {
    return ShowCheckpoint(path);
  }
  Result<SavedModelGraph> model = ReadModel(path, library.ops, TagsOf(*args));
  if (!model.ok()) {
    std::fputs(ErrorText(model.status()).c_str(), stderr);
    return kExitBadInput;
  }
  if (args->Has("--native")) return Native(*std::move(model), *args, library);
  const Graph& graph = model->graph;
  if (args->Has("--check")) return Check(graph);
  if (args->Has("--structure")) {
    std::fputs(StructureText(graph).c_str(), stdout);
    return kExitOk;
  }
  if (args->Has("--placement")) return Placed(graph, *args, library);
  std::string problem;
  const FrameTree frames = FramesOrRoot(graph, problem);
  if (!problem.empty()) {
    std::fprintf(stderr, "warning: no frames are shown: %s\n", problem.c_str());
  }
  const std::string text = args->Has("--dot")
                               ? DrawDot(graph, frames)
                               : SignatureText(*model) + DescribeGraph(graph, frames);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace tagflow::cli
