// tagflow diff: where two engines part on one graph.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/difference_page.h"
#include "cli/feeds.h"
#include "cli/file.h"
#include "cli/model_call.h"
#include "cli/observed_tokens.h"
#include "cli/progress_line.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "cli/run_session.h"
#include "cli/stages.h"
#include "conformance/case_file.h"
#include "conformance/command/args.h"
#include "conformance/engines.h"
#include "fuzz/harness/mutant_names.h"
#include "fuzz/harness/save.h"
#include "fuzz/harness/token_diff.h"
#include "fuzz/harness/token_trace.h"
#include "fuzz/lower/lower.h"
#include "transform/lower/lower.h"
#include "transform/placement/placement.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow diff GRAPH --engine A [--against B] [--feed NAME=VALUE]... [--fetch NAME]... [options]
tagflow diff GRAPH --stages [--feed NAME=VALUE]... [--fetch NAME]... [options]

Runs a graph on two engines and shows the first token that is not the same in both: its node, its tag,
both values, and what it was made from, back to the feeds. Or runs it after each transformation on its
way through the engine, and says after which one the results are others.

GRAPH is a GraphDef, binary or text; or the folder of a SavedModel, whose functions are put in their
places; or a conformance case (.case or .textproto); or a program that
`tagflow fuzz` saved (.program). A case and a program say themselves what to feed and to fetch.

  --engine A          what is suspected: optimized (optimized-straight, optimized-tokens; :N for N
                      threads); reference; reference:N, the same with ready nodes in random order N;
                      or a command that speaks conformance/engine.proto
  --against B         what is trusted (default: reference)
  --mutant NAME       run A, the reference, by rules of which one is broken on purpose (those that
                      `tagflow fuzz --list` shows)
  --stages            run the graph as it is written; lowered, simplified, parted by devices, each on
                      the reference; then on the engine, by tokens, by straight code, and as
                      `tagflow run` has it. Where simplifying changes a result, each pass runs alone
  --html FILE         a page of the comparison, to be opened in a browser: the reference's firings, to
                      step through, and beside each that differs what A gave
  --tolerance R       with --stages: numbers may be off by R of the largest of their tensor
                      (default: 1e-5), which is called rounding
  --signature NAME    as in `tagflow run`: without --fetch and --target, all that it gives is fetched
  --tags LIST         as in `tagflow run`
  --feed NAME=VALUE   as in `tagflow run`
  --fetch NAME        as in `tagflow run`
  --target NAME       as in `tagflow run`
  --init NAME         as in `tagflow run`; what these steps make is compared too
  --soft-placement    a node that asks for a device that is not there goes to one that is
  --timeout S         seconds that an engine may take (default: 20)

The reference tells every token. The optimized engine tells what its kernels give, by node and tag, in
loops too: what they give is compared, and so are the fetches; not the tokens that Switch, Merge and
their like hand on, nor dead ones. An engine behind the protocol tells only what can be fetched: of it
the tensors of the root frame are compared, in the order in which the reference makes them.

examples:
  tagflow diff loop.pbtxt --engine reference:7 --feed n=10 --fetch out
  tagflow diff loop.pbtxt --engine optimized --feed n=10 --fetch out
  tagflow diff loop.pbtxt --engine 'python3 my_engine.py' --feed n=10 --fetch out
  tagflow diff saved_model --engine optimized --feed x=image.npy
  tagflow diff loop.pbtxt --engine optimized --feed n=10 --fetch out --html diff.html
  tagflow diff loop.pbtxt --stages --feed n=10 --fetch out
  tagflow diff tagflow_fuzz/equal-1-17.program --engine 'python3 my_engine.py'

Exit code: 0 no difference; 1 there is one, or a run failed; 2 the command line makes no sense; 3 the
graph, a feed, a fetch or an engine cannot be used.
)";

const std::vector<OptionSpec> kOptions = {
    {"--engine"},    {"--against"},       {"--mutant"},
    {"--feed"},      {"--fetch"},         {"--target"},
    {"--init"},      {"--timeout"},       {"--soft-placement", false},
    {"--signature"}, {"--tags"},          {"--tolerance"},
    {"--html"},      {"--stages", false}, {"--help", false},
};

struct Failure {
  Status status;
  int exit_code;
};

bool SaysItsCalls(const std::string& path) {
  return path.ends_with(".case") || path.ends_with(".program");
}

Result<fuzz::CallSequence> CallsOfProgram(const std::string& path) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  TAGFLOW_ASSIGN_OR_RETURN(const fuzz::Saved saved, fuzz::ReadSaved(text));
  if (!saved.sample.program.has_value()) {
    return InvalidArgument("'" + path + "' holds choices and no program: give the .case beside it");
  }
  TAGFLOW_ASSIGN_OR_RETURN(fuzz::Lowered lowered, fuzz::Lower(*saved.sample.program));
  return fuzz::CallsOf(*saved.sample.program, std::move(lowered));
}

Result<fuzz::CallSequence> CallsOfGraph(const std::string& path, const Args& args,
                                        const OpLibrary& library) {
  TAGFLOW_ASSIGN_OR_RETURN(SavedModelGraph model, ReadModel(path, library.ops, TagsOf(args)));
  TAGFLOW_ASSIGN_OR_RETURN(ModelCall named, CallOf(model, args));
  fuzz::GraphCall call;
  for (const std::string& word : named.feeds) {
    TAGFLOW_ASSIGN_OR_RETURN(auto feed, ParseFeed(model.graph, word));
    call.feeds.push_back(std::move(feed));
  }
  call.fetches = std::move(named.fetches);
  call.targets = args.All("--target");
  if (call.fetches.empty() && call.targets.empty()) {
    return InvalidArgument("nothing to run: give --fetch or --target");
  }
  fuzz::CallSequence calls{std::move(model.graph), {}, library.reference_kernels};
  for (ModelInit& init : model.init) {
    calls.calls.push_back(
        {.feeds = std::move(init.feeds), .fetches = {}, .targets = {std::move(init.target)}});
  }
  for (const std::string& node : args.All("--init")) {
    calls.calls.push_back({.feeds = call.feeds, .fetches = {}, .targets = {node}});
  }
  calls.calls.push_back(std::move(call));
  return calls;
}

Result<fuzz::CallSequence> ReadCalls(const std::string& path, const Args& args,
                                     const OpLibrary& library) {
  if (path.ends_with(".program")) return CallsOfProgram(path);
  const bool asked = args.Has("--fetch") || args.Has("--target");
  if (path.ends_with(".case") || (path.ends_with(".textproto") && !asked)) {
    TAGFLOW_ASSIGN_OR_RETURN(const conformance::Case test, conformance::ReadCase(path));
    return fuzz::CallsOf(test, library);
  }
  return CallsOfGraph(path, args, library);
}

// Lets no node ask for what an engine that runs in one place does not have.
//   Errors: of a node whose device cannot be read.
Status PlaceSoftly(Graph& graph) {
  TAGFLOW_ASSIGN_OR_RETURN(const Placement placement,
                           PlaceAsAsked(graph, {"/device:CPU:0"}, /*soft=*/true));
  for (const NodeId id : graph.NodeIds()) {
    graph.mutable_node(id).device = placement.device_of[Index(id)];
  }
  return Status();
}

class Differ {
 public:
  Differ(Args args, const OpLibrary& library) : args_(std::move(args)), library_(library) {}

  int Run() {
    std::optional<Failure> failure = Prepare();
    if (!failure.has_value()) failure = Compare();
    if (!failure.has_value()) return exit_code_;
    std::fputs(ErrorText(failure->status).c_str(), stderr);
    if (failure->exit_code == kExitUsage) std::fputs("See 'tagflow diff --help'.\n", stderr);
    return failure->exit_code;
  }

 private:
  std::optional<Failure> Prepare() {
    if (args_.operands().size() != 1) {
      return Failure{InvalidArgument("diff takes one graph, and " +
                                     std::to_string(args_.operands().size()) + " are given"),
                     kExitUsage};
    }
    if (const Status status = CheckWhatToCompare(); !status.ok())
      return Failure{status, kExitUsage};
    const std::string& path = args_.operands()[0];
    const bool asked = args_.Has("--fetch") || args_.Has("--target");
    if (SaysItsCalls(path) && (asked || args_.Has("--feed") || args_.Has("--init"))) {
      return Failure{InvalidArgument("'" + path + "' says itself what to feed and to fetch"),
                     kExitUsage};
    }
    const bool has_signatures = std::filesystem::is_directory(path);
    if (!asked && !has_signatures && !SaysItsCalls(path) && !path.ends_with(".textproto")) {
      return Failure{InvalidArgument("nothing to run: give --fetch or --target"), kExitUsage};
    }
    const Result<double> timeout = args_.Seconds("--timeout", 20);
    if (!timeout.ok()) return Failure{timeout.status(), kExitUsage};
    timeout_s_ = *timeout;
    return std::nullopt;
  }

  Status CheckWhatToCompare() const {
    if (!args_.Has("--stages")) {
      if (args_.Has("--tolerance")) return InvalidArgument("--tolerance is of --stages");
      if (args_.Has("--html") && !Against().starts_with("reference")) {
        return InvalidArgument("--html shows the firings of the reference, not of " + Against());
      }
      return args_.Has("--engine") ? Status() : InvalidArgument("--engine says what to compare");
    }
    for (const char* option : {"--engine", "--against", "--mutant", "--html"}) {
      if (!args_.Has(option)) continue;
      return InvalidArgument(std::string(option) + " compares two engines, and --stages its own");
    }
    return Status();
  }

  std::optional<Failure> Compare() {
    Result<fuzz::CallSequence> calls = ReadCalls(args_.operands()[0], args_, library_);
    if (!calls.ok()) return Failure{calls.status(), kExitBadInput};
    if (args_.Has("--soft-placement")) {
      const Status placed = PlaceSoftly(calls->graph);
      if (!placed.ok()) return Failure{placed, kExitBadInput};
    }
    return args_.Has("--stages") ? CompareStages(*calls) : CompareTokens(*calls);
  }

  std::optional<Failure> CompareStages(const fuzz::CallSequence& calls) {
    const Result<double> tolerance = args_.Fraction("--tolerance", 1e-5);
    if (!tolerance.ok()) return Failure{tolerance.status(), kExitUsage};
    const StageReport report = ReportOf(calls, RunStages(calls, library_, timeout_s_), *tolerance);
    std::fputs(report.text.c_str(), stdout);
    if (report.differs) exit_code_ = kExitFailed;
    return std::nullopt;
  }

  std::optional<Failure> CompareTokens(fuzz::CallSequence& calls) {
    // As the engine does: so both have the same nodes.
    LowerFunctions(calls.graph);
    const Result<fuzz::TokenTrace> guide = fuzz::TraceReference(calls, timeout_s_);
    if (!guide.ok()) return Failure{guide.status(), kExitBadInput};
    const Result<fuzz::TokenTrace> actual = Trace(Engine(), args_.Last("--mutant"), calls, *guide);
    if (!actual.ok()) return Failure{actual.status(), kExitBadInput};
    const Result<fuzz::TokenTrace> expected = Trace(Against(), "", calls, *guide);
    if (!expected.ok()) return Failure{expected.status(), kExitBadInput};
    const std::optional<fuzz::TokenDifference> first =
        fuzz::FirstDifference(calls, *actual, *expected);
    Print(*actual, *expected, first);
    if (!args_.Has("--html")) return std::nullopt;
    const std::string page = DifferencePage(args_.operands()[0], calls,
                                            {ActualName(), Against(), *actual, *expected, first});
    const Status written = WriteFile(args_.Last("--html"), page);
    if (!written.ok()) return Failure{written, kExitFailed};
    return std::nullopt;
  }

  std::string ActualName() const {
    return args_.Has("--mutant") ? Engine() + ", mutant " + args_.Last("--mutant") : Engine();
  }

  Result<fuzz::TokenTrace> Trace(const std::string& engine, const std::string& mutant,
                                 const fuzz::CallSequence& calls,
                                 const fuzz::TokenTrace& guide) const {
    if (engine == "direct") {
      return InvalidArgument("direct evaluates programs and makes no tokens");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const fuzz::Mutant* const broken, fuzz::MutantOf(mutant));
    const ProgressLine line("running " + engine);
    const auto named = conformance::OptimizedOptionsOf(engine);
    // One that simplifies has other nodes than the graph.
    if (named && !named->simplify && broken == nullptr) {
      return TraceObserved(engine, library_, timeout_s_, calls, guide);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<fuzz::TokenSource> source,
                             fuzz::MakeTokenSource(engine, timeout_s_, broken));
    return source->Trace(calls, guide);
  }

  void Print(const fuzz::TokenTrace& actual, const fuzz::TokenTrace& expected,
             const std::optional<fuzz::TokenDifference>& difference) {
    if (difference.has_value()) {
      std::fputs(fuzz::ToText(*difference, ActualName(), Against()).c_str(), stdout);
      exit_code_ = kExitFailed;
      return;
    }
    const size_t compared = std::min(actual.events.size(), expected.events.size());
    std::printf("no difference in %zu firings%s\n", compared,
                actual.partial || expected.partial ? " (of those that both engines tell)" : "");
    for (const auto& [name, trace] : {std::pair(Engine(), &actual), {Against(), &expected}}) {
      if (trace->status.ok()) continue;
      std::printf("%s failed: %s\n", name.c_str(), trace->status.ToString().c_str());
      exit_code_ = kExitFailed;
    }
  }

  std::string Engine() const { return args_.Last("--engine"); }
  std::string Against() const { return args_.Last("--against", "reference"); }

  const Args args_;
  const OpLibrary library_;
  double timeout_s_ = 20;
  int exit_code_ = kExitOk;
};

}  // namespace

int DiffCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) {
    std::fprintf(stderr, "%sSee 'tagflow diff --help'.\n", ErrorText(args.status()).c_str());
    return kExitUsage;
  }
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  return Differ(*std::move(args), library).Run();
}

}  // namespace tagflow::cli
