// tagflow grad: a graph with its gradients.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/file.h"
#include "cli/model_call.h"
#include "cli/progress_line.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "conformance/command/args.h"
#include "graph/builder/scope.h"
#include "graph/io/export.h"
#include "graph/saved/saved_model.h"
#include "transform/gradients/gradients.h"
#include "transform/lower/lower.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow grad GRAPH --of Y [--of Y]... --wrt X [--wrt X]... [options] -o FILE

Adds to a TensorFlow graph the nodes that compute the gradient of Y by X, through branches and loops,
and writes the graph. GRAPH is a GraphDef, binary or text: its content says which; or the folder of a
SavedModel. For each X a line says what its gradient is called, or "none" where no path leads from X to
a Y. X may be the node of a variable: of a resource variable its handle, VarHandleOp.

  --of Y          a tensor to differentiate: node, or node:1 for output 1. Of several, and of the
                  elements of each, it is the sum that is differentiated
  --wrt X         a tensor to differentiate by
  --grad-y NAME   a tensor of the graph, of the type and shape of a Y: what its elements count. One
                  for each --of, in order; without any, every element counts 1
  --zeros         zeros for an X that no path leads from, not "none"
  --history KIND  what loops keep their values on for the way back: lists (the default), which have
                  gradients themselves, or stacks, as TensorFlow made them
  --remat LOOP    keep no history of the loop with this frame_name (*: of any other), but save its
                  variables now and then, and compute what lies between again: of N iterations at most
                  sqrt(2N) + 1 states and sqrt(2N) values are held at a time. What effects and random
                  numbers gave is kept
  --remat LOOP,states=S
                  the same with S saved states at a time and no history, and as few iterations computed
                  again as that allows. The loop's number of iterations must be known: from a counter
                  that is compared with a constant, or from you:
  --remat LOOP,states=S,trips=N
                  the gradient's run fails if the loop makes another number of iterations than N
  -o FILE         where the graph goes; as text if FILE ends in .pbtxt, .textproto, .prototxt or
                  .txt (.pb.txt too), else binary. FILE may be GRAPH
Of a SavedModel:
  --signature NAME  what its inputs and outputs are called (default: serving_default). Y and X may be
                  such names, too
  --tags LIST     as in `tagflow run`
  -o DIR          where the model goes, a copy with its variables and assets, in which the signature
                  also gives gradients/X for each X; a folder that is not there yet

Example, in a checkout:
  tagflow grad examples/newton/graph.pbtxt --of root --wrt a -o gradient.pbtxt
Prints:
  a: gradients/AddV2
Then:
  tagflow run gradient.pbtxt --feed a=[2,9] --fetch root --fetch gradients/AddV2
Prints:
  root: double[2] [1.414213562373095, 3]
  gradients/AddV2: double[2] [0.35355339059327373, 0.16666666666666669]

What is added has names of its own and changes nothing that was there, so a gradient can be taken of
the graph again, of a gradient too. docs/gradients.md explains.

Exit code: 0 the graph is written; 1 it cannot be; 2 the command line makes no sense; 3 the graph or
a name cannot be used, or an op on the way has no gradient. Nothing is written unless all is well.
)";

const std::vector<OptionSpec> kOptions = {
    {"--of"},    {"--wrt"}, {"--grad-y"},    {"--zeros", false}, {"--history"},
    {"--remat"}, {"-o"},    {"--signature"}, {"--tags"},         {"--help", false},
};

// The outcome of a part of the command: the exit code goes with the status.
struct Failure {
  Status status;
  int exit_code;
};

// Takes ",NAME=NUMBER" off the end of `words`, if that is how they end.
Result<std::optional<int64_t>> TakeNumber(std::string& words, const std::string& name) {
  const std::string key = "," + name + "=";
  const size_t at = words.rfind(key);
  if (at == std::string::npos) return std::optional<int64_t>();
  const std::string digits = words.substr(at + key.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return InvalidArgument("--remat " + words + ": '" + digits + "' is no number");
  }
  words.erase(at);
  return std::optional<int64_t>(number);
}

Result<std::vector<Rematerialization>> RematerializedLoops(const Args& args) {
  std::vector<Rematerialization> loops;
  for (std::string words : args.All("--remat")) {
    Rematerialization loop;
    TAGFLOW_ASSIGN_OR_RETURN(loop.trips, TakeNumber(words, "trips"));
    TAGFLOW_ASSIGN_OR_RETURN(loop.states, TakeNumber(words, "states"));
    loop.loop = words;
    loops.push_back(loop);
  }
  return loops;
}

Status CheckWords(const Args& args) {
  if (args.operands().size() != 1) {
    return InvalidArgument("grad takes one graph, and " + std::to_string(args.operands().size()) +
                           " are given");
  }
  if (!args.Has("--of")) {
    return InvalidArgument("nothing to differentiate: say what with --of NAME");
  }
  if (!args.Has("--wrt")) {
    return InvalidArgument("nothing to differentiate by: say what with --wrt NAME");
  }
  if (args.Last("-o").empty()) return InvalidArgument("say where the graph goes with -o FILE");
  const std::string history = args.Last("--history");
  if (!history.empty() && history != "lists" && history != "stacks") {
    return InvalidArgument("--history is lists or stacks, not '" + history + "'");
  }
  return RematerializedLoops(args).status();
}

//   names: of the model's signature, for tensors
Result<OutputList> FindAll(const Scope& scope, const Args& args, std::string_view option,
                           const std::map<std::string, std::string>& names) {
  OutputList found;
  for (const std::string& name : args.All(option)) {
    const Result<Output> output = scope.Find(TensorOf(names, name));
    if (!output.ok()) {
      return Status(output.status().code(), std::string(option) + " " + name + ": " +
                                                std::string(output.status().message()));
    }
    found.push_back(*output);
  }
  return found;
}

Result<GradientOptions> OptionsOf(const Args& args, const OpLibrary& library) {
  GradientOptions options;
  options.registry = library.gradients;
  options.zeros_for_unreached = args.Has("--zeros");
  if (args.Last("--history") == "stacks") options.history = History::kStacks;
  TAGFLOW_ASSIGN_OR_RETURN(options.rematerialize, RematerializedLoops(args));
  return options;
}

struct Differentiated {
  Graph graph;
  std::string signature;               // of a model: its name
  std::vector<std::string> gradients;  // "none" where there is none
};

Result<Differentiated> Differentiate(const Args& args, const OpLibrary& library) {
  TAGFLOW_ASSIGN_OR_RETURN(SavedModelGraph model,
                           ReadModel(args.operands()[0], library.ops, TagsOf(args)));
  const ProgressLine line("differentiating");
  TAGFLOW_ASSIGN_OR_RETURN(const NamedSignature named, SignatureOf(model, args));
  const ModelSignature& signature = named.signature;
  LowerFunctions(model.graph);
  TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(std::move(model.graph)));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList ys, FindAll(scope, args, "--of", signature.outputs));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList xs, FindAll(scope, args, "--wrt", signature.inputs));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList grad_ys, FindAll(scope, args, "--grad-y", {}));
  TAGFLOW_ASSIGN_OR_RETURN(const GradientOptions options, OptionsOf(args, library));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients, Gradients(scope, ys, xs, grad_ys, options));
  Differentiated made;
  made.signature = named.name;
  for (const Output& gradient : gradients) {
    made.gradients.push_back(gradient.valid() ? gradient.name() : "none");
  }
  TAGFLOW_ASSIGN_OR_RETURN(made.graph, scope.Finish());
  return made;
}

Result<std::string> BytesFor(const std::string& path, const Graph& graph) {
  return IsTextGraphName(path) ? ExportGraphToText(graph) : ExportGraphToBytes(graph);
}

Status Write(const std::string& path, const Graph& graph) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, BytesFor(path, graph));
  return WriteFile(path, bytes);
}

Status WriteModel(const Args& args, const Differentiated& made, const OpLibrary& library) {
  ModelChange change{made.graph, made.signature, {}};
  const std::vector<std::string> xs = args.All("--wrt");
  for (size_t i = 0; i < xs.size(); ++i) {
    if (made.gradients[i] != "none") change.outputs["gradients/" + xs[i]] = made.gradients[i];
  }
  return SaveChangedModel(args.operands()[0], args.Last("-o"), change,
                          {.tags = TagsOf(args), .registry = library.ops});
}

std::optional<Failure> Grad(const Args& args, const OpLibrary& library) {
  if (Status status = CheckWords(args); !status.ok()) return Failure{status, kExitUsage};
  const Result<Differentiated> made = Differentiate(args, library);
  if (!made.ok()) return Failure{made.status(), kExitBadInput};
  const Status written = IsSavedModel(args.operands()[0]) ? WriteModel(args, *made, library)
                                                          : Write(args.Last("-o"), made->graph);
  if (!written.ok()) return Failure{written, kExitFailed};
  const std::vector<std::string> xs = args.All("--wrt");
  for (size_t i = 0; i < xs.size(); ++i) {
    std::printf("%s: %s\n", xs[i].c_str(), made->gradients[i].c_str());
  }
  return std::nullopt;
}

int Report(const Failure& failure) {
  std::fputs(ErrorText(failure.status).c_str(), stderr);
  if (failure.exit_code == kExitUsage) std::fputs("See 'tagflow grad --help'.\n", stderr);
  return failure.exit_code;
}

}  // namespace

int GradCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  const Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) return Report({args.status(), kExitUsage});
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  const std::optional<Failure> failure = Grad(*args, library);
  return failure.has_value() ? Report(*failure) : kExitOk;
}

}  // namespace tagflow::cli
