// tagflow run: one step of a graph.

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/device_options.h"
#include "cli/feeds.h"
#include "cli/file.h"
#include "cli/kernel_trace.h"
#include "cli/model_call.h"
#include "cli/progress_line.h"
#include "cli/races.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "cli/run_request.h"
#include "cli/run_results.h"
#include "cli/run_session.h"
#include "cli/watches.h"
#include "conformance/command/args.h"
#include "conformance/command/interrupt.h"
#include "graph/validate.h"
#include "optimized/observer.h"
#include "optimized/observer_stats.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow run GRAPH [--feed NAME=VALUE]... [--fetch NAME]... [--target NAME]... [options]

Runs a step of a TensorFlow graph and prints what is fetched.
GRAPH is a GraphDef, binary or text, or that compressed by gzip: its content says which. Or it is the
folder of a SavedModel, whose variables and tables are made ready first; or a MetaGraph (.meta).

  --signature NAME    of a model: by which of its signatures things are fed and fetched; without
                      --fetch and --target all that the signature gives is fetched. serving_default, if
                      there is one; `tagflow show` lists them
  --tags LIST         of a SavedModel with several graphs: the one with these tags, between commas;
                      serve, if nothing is said
  --feed NAME=VALUE   the value of a tensor, usually of a placeholder. VALUE is
                        3   -2.5e3   nan   true   "text"   (1,-2)   [1,2,3]   [[1,2],[3,4]]
                      of the dtype the graph wants there, or of one in front, as float:[1,2];
                      or as results are printed, which can say any shape: double[0,3] []
                      or an array of a file: x.npy, x.npz, or x.npz:NAME for one of several. What it
                      holds is made the dtype that the graph wants, where no element changes by it
  --fetch NAME        a tensor to compute and print: node, or node:1 for output 1
  --target NAME       a node to run for its effect; on stderr it says if it did not, for being dead
  --init NAME         a node to run before, in a step of its own with the same feeds: what initializes
                      the variables
  --repeat N          run the step N times, with the same feeds; the last one is printed and traced
  --engine NAME       optimized, the default: the fast one (its executor chosen: optimized-straight,
                      -tokens; loops as machine code at once: optimized-native; all passes:
                      optimized-simplified; bodies of functions as steps: optimized-unlowered;
                      threads and seed: optimized:4:7);
                      or reference: the standard as a program, slow and exact about it. --seed,
                      --races and --trace FILE.jsonl choose the reference where no engine is named
  --threads N         of the optimized engine; 0, the default: one per core (a session in a program
                      of your own has one thread, unless its SessionOptions say more)
  --passes LIST       of the optimized engine: by what the graph is made smaller before it runs;
                      none, the default; all; or some of constants, switches, identities,
                      duplicates, invariants, variables, between commas
  --devices LIST      of the optimized engine: the devices there are, by commas. A node runs where its
                      device attr says; what crosses is sent. CPU:1 is short for /device:CPU:1. Kinds
                      of devices are listed below
  --device-options KIND:LIST
                      options of all devices of a kind, by commas, as SIM:memory_bytes=65536,swaps=0
  --placement HOW     where a node goes that does not say: asked, the default: to the first device;
                      cost: where the step is estimated to be over soonest
                      (`tagflow show --placement` explains)
  --soft-placement    a node that asks for a device that is not there goes to one that is; else that is
                      an error. So does one of --devices that this machine has not, as a GPU without a
                      driver, which is told. Without --devices there is /device:CPU:0
                      (`tagflow show --placement --soft-placement` says what goes where, and why)
  --compress          floats cross between devices as bfloat16: 16 bits of each are lost
  --recvs WHEN        when a device with a memory of its own receives: late, the default: as late as
                      the critical path allows, so that less memory is taken; at-once: as soon as it
                      is sent
  --full              print every element of every result; a result of more than 1000 elements is
                      summarized otherwise: the first and last three of each dimension
  --out DIR           also write every fetched tensor to DIR/NAME.npy ('/' and ':' become '_')
  --watch NAME[@TAG]  print the values of a tensor inside of loops too, at every tag or at one
                      ("add@while[3]" is iteration 3); the reference tells
  --trace FILE        of the reference: every token of the step, one JSON object per line.
                      Of the optimized engine: when each kernel ran, with op and tag, in a lane per
                      thread, for ui.perfetto.dev or chrome://tracing. FILE.jsonl asks for the
                      reference
  --races             of the reference: which firings touch the same thing in no order, as the reads and
                      writes of a variable, and all that the orders of the step can give; it looks at
                      no more than 10,000 orders of 100,000 firings each (or --max-steps), for 60
                      seconds (or --deadline), and says where it stopped
  --stats             print how often each op and node ran and how long it took, over all steps of
                      --repeat; the optimized engine does. Steps of small ops take longer while
                      somebody looks: `tagflow bench` says how long they are. Over devices also by
                      which executor the call ran, and why not straight on one thread
  --times FILE        of the optimized engine: write a line for each node whose kernel ran: name, mean
                      ns, firings of a step; `tagflow show --placement --times` reads it
  --max-steps N       fail after N firings of nodes, so that an endless loop ends
  --deadline S        fail after S seconds
  --seed N            fire ready nodes in a random order; 0, the default: first come, first served
  --json              print one JSON object: {"outputs": {NAME: {"dtype", "shape", "value"}},
                      "files": [...]}, or {"error": {"code", "message", "node", "tag", "rule"}};
                      with --stats also "stats"; with --races {"races": [...],
                      "outcomes": [{"orders", "outputs" or "error"}], "orders", "exhaustive"}

Example: tagflow run newton.pbtxt --feed x=2 --fetch root
Prints:  root: float[] 1.41421
Example: tagflow run newton.pbtxt --feed x=2 --fetch root --stats --repeat 100

Exit code: 0 all fetched; 1 the step failed; 2 the command line makes no sense; 3 the graph, a feed
or a fetch cannot be used; 130 stopped by Ctrl-C. Results go to standard output, everything else
to standard error; files appear whole or not at all.
)";

const std::vector<OptionSpec> kOptions = {
    {"--signature"},    {"--tags"},
    {"--feed"},         {"--fetch"},
    {"--target"},       {"--out"},
    {"--trace"},        {"--watch"},
    {"--seed"},         {"--max-steps"},
    {"--deadline"},     {"--init"},
    {"--repeat"},       {"--json", false},
    {"--help", false},  {"--engine"},
    {"--threads"},      {"--stats", false},
    {"--passes"},       {"--times"},
    {"--devices"},      {"--device-options"},
    {"--placement"},    {"--compress", false},
    {"--recvs"},        {"--full", false},
    {"--races", false}, {"--soft-placement", false},
};

// The outcome of a part of the command: the exit code goes with the status.
struct Failure {
  Status status;
  int exit_code;
};

// ". Nothing consumes 'a', 'b'": what a user may have wanted to fetch.
std::string Sinks(const Graph& graph) {
  constexpr size_t kShown = 5;
  std::vector<bool> consumed(graph.id_limit());
  for (NodeId id : graph.NodeIds()) {
    for (const OutputRef& input : graph.node(id).inputs) consumed[Index(input.node)] = true;
    for (NodeId control : graph.node(id).control_inputs) consumed[Index(control)] = true;
  }
  std::string names;
  size_t count = 0;
  for (NodeId id : graph.NodeIds()) {
    if (consumed[Index(id)] || ++count > kShown) continue;
    names += (names.empty() ? "'" : ", '") + graph.node(id).name + "'";
  }
  if (names.empty()) return "";
  return ". Nodes that nothing consumes: " + names + (count > kShown ? ", …" : "");
}

// RunObservers gathers what --stats, --times and --trace look at in the steps.
class RunObservers {
 public:
  // The options outlive it.
  explicit RunObservers(const Args& args) : args_(args) {}

  // Whom the session has to tell; null where the options ask for nobody.
  optimized::Observer* ForSession() {
    return Measures() || args_.Has("--trace") ? &observers_ : nullptr;
  }

  // Opens the trace's file, where there is to be one, and has the engine write to it.
  Status OpenTrace(const EngineOptions& engine, const Graph& graph, StepOptions& step) {
    TAGFLOW_ASSIGN_OR_RETURN(watches_, Watches::Parse(graph, args_.All("--watch")));
    if (args_.Has("--watch")) {
      step.trace = [this](const reference::TraceEvent& event) { Tell(event); };
    }
    if (!args_.Has("--trace")) return Status();
    AtomicFile& file = trace_.emplace(args_.Last("--trace"));
    TAGFLOW_RETURN_IF_ERROR(file.Open());
    if (engine.engine != "reference") {
      kernel_trace_.emplace([&file](std::string_view bytes) { return file.Write(bytes); });
      return Status();
    }
    step.trace = [this](const reference::TraceEvent& event) { Tell(event); };
    return Status();
  }

  // The statistics are of every step, and next to the kernel; the trace is of the last.
  void Watch(bool is_last) {
    std::vector<optimized::Observer*> observers;
    if (is_last && kernel_trace_.has_value()) observers.push_back(&*kernel_trace_);
    if (Measures()) observers.push_back(&stats_);
    observers_.Set(std::move(observers));
  }

  // The first error of writing the trace.
  Status FinishTrace() {
    if (!trace_.has_value()) return Status();
    TAGFLOW_RETURN_IF_ERROR(trace_status_);
    if (kernel_trace_.has_value()) TAGFLOW_RETURN_IF_ERROR(kernel_trace_->Finish());
    return trace_->Commit();
  }

  const optimized::StatsObserver& stats() const { return stats_; }
  const Watches& watches() const { return watches_; }

 private:
  void Tell(const reference::TraceEvent& event) {
    watches_.Look(event);
    if (!trace_.has_value() || !trace_status_.ok()) return;
    trace_status_ = trace_->Write(reference::TraceLine(event) + "\n");
  }

  bool Measures() const { return args_.Has("--stats") || args_.Has("--times"); }

  const Args& args_;
  optimized::StatsObserver stats_;
  Watches watches_;
  std::optional<AtomicFile> trace_;
  Status trace_status_;  // of the lines that the reference writes
  std::optional<KernelTrace> kernel_trace_;
  optimized::ObserverList observers_;
};

class Runner {
 public:
  Runner(Args args, const OpLibrary& library) : args_(std::move(args)), library_(library) {}

  int Run() {
    const std::optional<Failure> failure = Steps();
    if (!failure.has_value()) return kExitOk;
    ReportFailure(args_, failure->status, failure->exit_code, observers_.stats());
    return failure->exit_code;
  }

 private:
  // Each returns what went wrong, if anything did.
  std::optional<Failure> Steps() {
    Result<RunRequest> request = ReadRunRequest(args_, library_);
    if (!request.ok()) return Failure{request.status(), kExitUsage};
    request_ = *std::move(request);
    Result<SavedModelGraph> model = ReadModel(args_.operands()[0], library_.ops, TagsOf(args_));
    if (!model.ok()) return Failure{model.status(), kExitBadInput};
    if (auto failure = ReadCall(*model)) return failure;
    if (args_.Has("--races")) return Races(std::move(model->graph));
    if (auto failure = Open(std::move(model->graph))) return failure;
    PrintWarnings();
    return Step();
  }

  std::optional<Failure> ReadCall(const SavedModelGraph& model) {
    Result<ModelCall> call = CallOf(model, args_);
    if (!call.ok()) return Failure{call.status(), kExitBadInput};
    fetches_ = std::move(call->fetches);
    labels_ = std::move(call->labels);
    init_ = model.init;
    if (fetches_.empty() && targets_.empty()) {
      return Failure{
          InvalidArgument("nothing to run: give --fetch or --target" + Sinks(model.graph)),
          kExitUsage};
    }
    for (const std::string& word : call->feeds) {
      auto feed = ParseFeed(model.graph, word);
      if (!feed.ok()) return Failure{feed.status(), kExitBadInput};
      feeds_.push_back(*std::move(feed));
    }
    return std::nullopt;
  }

  // Opens the session and makes the calls ready.
  std::optional<Failure> Open(Graph graph) {
    const ProgressLine line("planning");
    request_.engine.observer = observers_.ForSession();
    request_.engine.watches_targets = true;
    auto session = OpenSession(request_.engine, std::move(graph), library_);
    if (!session.ok()) return Failure{session.status(), kExitUsage};
    session_ = *std::move(session);
    Status status = session_->Check(feeds_, fetches_, targets_);
    for (const ModelInit& init : init_) {
      if (status.ok()) status = session_->Check(init.feeds, {}, {init.target});
    }
    for (const std::string& node : args_.All("--init")) {
      if (status.ok()) status = session_->Check(feeds_, {}, {node});
    }
    if (!status.ok()) return Failure{status, kExitBadInput};
    return std::nullopt;
  }

  std::optional<Failure> Races(Graph graph) {
    constexpr double kSeconds = 60;
    const ExploredCall call = {feeds_,
                               fetches_,
                               targets_,
                               args_.All("--init"),
                               request_.repeat - 1,
                               args_.Has("--soft-placement"),
                               init_};
    reference::ExploreOptions options;
    if (args_.Has("--max-steps")) options.max_firings = request_.step.max_firings;
    options.deadline_s = args_.Has("--deadline") ? request_.step.deadline_s : kSeconds;
    options.cancelled = Interrupted;
    CatchInterrupts();
    const Result<reference::Exploration> found = [&] {
      const ProgressLine line("exploring orders");
      return ExploreCall(call, std::move(graph), library_, options);
    }();
    if (!found.ok()) return Failure{found.status(), kExitBadInput};
    const std::string text =
        args_.Has("--json") ? RacesJson(*found, labels_) : RacesText(*found, labels_, options);
    std::fputs(text.c_str(), stdout);
    return std::nullopt;
  }

  void PrintWarnings() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : feeds_) names.push_back(name);
    const Result<CallSpec> call = ResolveCall(session_->graph(), names, fetches_, targets_);
    if (!call.ok()) return;
    const Result<ValidatedCall> valid = ValidateCall(session_->graph(), *call);
    if (!valid.ok()) return;
    for (const std::string& warning : valid->frames.warnings) {
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
    }
  }

  std::optional<Failure> Step() {
    if (Status status = observers_.OpenTrace(request_.engine, session_->graph(), request_.step);
        !status.ok()) {
      return Failure{status, kExitBadInput};
    }
    Result<std::vector<Tensor>> values = RunWithProgress();
    // The trace of a step that failed is wanted most.
    const Status trace_status = observers_.FinishTrace();
    // Standard output is JSON's alone.
    std::fputs(observers_.watches().Text().c_str(), args_.Has("--json") ? stderr : stdout);
    if (!values.ok()) {
      const bool interrupted = Interrupted() && values.status().code() == Code::kCancelled;
      return Failure{values.status(), interrupted ? kExitInterrupted : kExitFailed};
    }
    if (!trace_status.ok()) return Failure{trace_status, kExitFailed};
    NoteDeadTargets();
    Status status =
        DeliverResults(args_, labels_, *values, observers_.stats(), session_->device_report());
    if (!status.ok()) return Failure{status, kExitFailed};
    return std::nullopt;
  }

  void NoteDeadTargets() const {
    for (const std::string& target : dead_targets_) {
      std::fprintf(stderr, "note: target '%s' was dead: it did not run\n", target.c_str());
    }
  }

  Result<std::vector<Tensor>> RunWithProgress() {
    ProgressLine line("running");
    CatchInterrupts();
    request_.step.cancelled = Interrupted;
    request_.step.progress = [&line](int64_t firings) { line.Update(firings); };
    TAGFLOW_RETURN_IF_ERROR(RunBefore());
    observers_.Watch(/*is_last=*/true);
    std::vector<std::string> dead;
    request_.step.dead_targets = &dead;
    Result<std::vector<Tensor>> values = session_->Run(feeds_, fetches_, targets_, request_.step);
    dead_targets_.insert(dead_targets_.end(), dead.begin(), dead.end());
    return values;
  }

  // The steps that leave nothing but what they did to variables.
  Status RunBefore() {
    StepOptions options = request_.step;
    options.trace = nullptr;
    for (const ModelInit& init : init_) {
      options.dead_targets = nullptr;
      TAGFLOW_RETURN_IF_ERROR(session_->Run(init.feeds, {}, {init.target}, options).status());
    }
    for (const std::string& node : args_.All("--init")) {
      std::vector<std::string> dead;
      options.dead_targets = &dead;
      TAGFLOW_RETURN_IF_ERROR(session_->Run(feeds_, {}, {node}, options).status());
      dead_targets_.insert(dead_targets_.end(), dead.begin(), dead.end());
    }
    options.dead_targets = nullptr;
    observers_.Watch(/*is_last=*/false);
    for (int64_t i = 1; i < request_.repeat; ++i) {
      TAGFLOW_RETURN_IF_ERROR(session_->Run(feeds_, fetches_, targets_, options).status());
    }
    return Status();
  }

  const Args args_;
  const OpLibrary library_;
  std::vector<std::string> fetches_;  // tensors
  std::vector<std::string> labels_;   // and their names to the user
  std::vector<ModelInit> init_;
  const std::vector<std::string> targets_ = args_.All("--target");
  RunRequest request_;
  std::vector<std::string> dead_targets_;
  RunSession::Feeds feeds_;
  RunObservers observers_{args_};
  std::unique_ptr<RunSession> session_;
};

}  // namespace

int RunCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) {
    std::fprintf(stderr, "%sSee 'tagflow run --help'.\n", ErrorText(args.status()).c_str());
    return kExitUsage;
  }
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    std::fputs(KindsText(*library.device_kinds).c_str(), stdout);
    return kExitOk;
  }
  return Runner(*std::move(args), library).Run();
}

}  // namespace tagflow::cli
