// tagflow run: one step of a graph.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/device_options.h"
#include "cli/engine_choice.h"
#include "cli/feeds.h"
#include "cli/file.h"
#include "cli/kernel_trace.h"
#include "cli/outputs.h"
#include "cli/placing.h"
#include "cli/progress_line.h"
#include "cli/races.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "cli/result_text.h"
#include "cli/run_session.h"
#include "cli/stats_table.h"
#include "conformance/command/args.h"
#include "conformance/command/interrupt.h"
#include "conformance/command/json.h"
#include "graph/validate.h"
#include "optimized/observer.h"
#include "optimized/observer_stats.h"
#include "transform/placement/measured_times.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow run GRAPH [--feed NAME=VALUE]... [--fetch NAME]... [--target NAME]... [options]

Runs a step of a TensorFlow graph and prints what is fetched.
GRAPH is a GraphDef, binary or text, or that compressed by gzip: its content says which.

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
                      -tokens; all passes: optimized-simplified; threads and seed: optimized:4:7);
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
                      an error. Without --devices there is /device:CPU:0
                      (`tagflow show --placement --soft-placement` says what goes where, and why)
  --compress          floats cross between devices as bfloat16: 16 bits of each are lost
  --recvs WHEN        when a device with a memory of its own receives: late, the default: as late as
                      the critical path allows, so that less memory is taken; at-once: as soon as it
                      is sent
  --full              print every element of every result; a result of more than 1000 elements is
                      summarized otherwise: the first and last three of each dimension
  --out DIR           also write every fetched tensor to DIR/NAME.npy ('/' and ':' become '_')
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
                      somebody looks: `tagflow bench` says how long they are
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
    {"--feed"},
    {"--fetch"},
    {"--target"},
    {"--out"},
    {"--trace"},
    {"--seed"},
    {"--max-steps"},
    {"--deadline"},
    {"--init"},
    {"--repeat"},
    {"--json", false},
    {"--help", false},
    {"--engine"},
    {"--threads"},
    {"--stats", false},
    {"--passes"},
    {"--times"},
    {"--devices"},
    {"--device-options"},
    {"--placement"},
    {"--compress", false},
    {"--recvs"},
    {"--full", false},
    {"--races", false},
    {"--soft-placement", false},
};

// What the options ask for.
struct Request {
  EngineOptions engine;
  StepOptions step;
  int64_t repeat = 1;
};

Status ReadDevices(const Args& args, const OpLibrary& library, EngineOptions& engine) {
  if (args.Has("--devices")) {
    TAGFLOW_ASSIGN_OR_RETURN(engine.devices, DevicesOf(args.Last("--devices")));
  }
  engine.device_kinds = *library.device_kinds;
  for (const std::string& options : args.All("--device-options")) {
    TAGFLOW_ASSIGN_OR_RETURN(engine.device_kinds,
                             optimized::WithKindOptions(engine.device_kinds, options));
  }
  engine.spread.compresses_floats = args.Has("--compress");
  engine.spread.soft = args.Has("--soft-placement");
  TAGFLOW_ASSIGN_OR_RETURN(engine.spread.recvs, RecvStartOf(args));
  const std::string placement = args.Has("--placement") ? args.Last("--placement") : "asked";
  if (placement == "cost") {
    engine.spread.placement = optimized::PlacementChoice::kByCost;
  } else if (placement != "asked") {
    return InvalidArgument("--placement is asked or cost, not '" + placement + "'");
  }
  return Status();
}

//   Errors: INVALID_ARGUMENT where the command line makes no sense
Result<Request> ReadRequest(const Args& args, const OpLibrary& library) {
  if (args.operands().size() != 1) {
    return InvalidArgument("run takes one graph, and " + std::to_string(args.operands().size()) +
                           " are given");
  }
  Request request;
  StepOptions& step = request.step;
  TAGFLOW_ASSIGN_OR_RETURN(step.max_firings, args.Int("--max-steps", 0, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed, args.Int("--seed", 0, 0));
  step.seed = static_cast<uint64_t>(seed);
  TAGFLOW_ASSIGN_OR_RETURN(request.repeat, args.Int("--repeat", 1, 1));
  TAGFLOW_ASSIGN_OR_RETURN(request.engine.threads, args.Int("--threads", 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(step.deadline_s, args.Seconds("--deadline", 0));
  const EngineChoice choice = ChooseEngine(args);
  TAGFLOW_RETURN_IF_ERROR(CheckEngineOptions(args, choice));
  if (!choice.because.empty()) {
    std::fprintf(stderr, "note: %s: the reference runs the step\n", choice.because.c_str());
  }
  request.engine.engine = choice.engine;
  if (args.Has("--passes")) request.engine.passes = args.Last("--passes");
  TAGFLOW_RETURN_IF_ERROR(ReadDevices(args, library, request.engine));
  return request;
}

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

class Runner {
 public:
  Runner(Args args, const OpLibrary& library)
      : args_(std::move(args)), library_(library), json_(args_.Has("--json")) {}

  int Run() {
    if (const std::optional<Failure> failure = Steps()) return Report(*failure);
    return kExitOk;
  }

 private:
  // Each returns what went wrong, if anything did.
  std::optional<Failure> Steps() {
    Result<Request> request = ReadRequest(args_, library_);
    if (!request.ok()) return Failure{request.status(), kExitUsage};
    engine_ = std::move(request->engine);
    options_ = std::move(request->step);
    repeat_ = request->repeat;
    fetches_ = args_.All("--fetch");
    targets_ = args_.All("--target");
    Result<Graph> graph = ReadGraph(args_.operands()[0], library_.ops);
    if (!graph.ok()) return Failure{graph.status(), kExitBadInput};
    if (auto failure = ReadCall(*graph)) return failure;
    if (args_.Has("--races")) return Races(*std::move(graph));
    if (auto failure = Open(*std::move(graph))) return failure;
    PrintWarnings();
    return Step();
  }

  std::optional<Failure> ReadCall(const Graph& graph) {
    if (fetches_.empty() && targets_.empty()) {
      return Failure{InvalidArgument("nothing to run: give --fetch or --target" + Sinks(graph)),
                     kExitUsage};
    }
    for (const std::string& word : args_.All("--feed")) {
      auto feed = ParseFeed(graph, word);
      if (!feed.ok()) return Failure{feed.status(), kExitBadInput};
      feeds_.push_back(*std::move(feed));
    }
    return std::nullopt;
  }

  // Opens the session and makes the calls ready.
  std::optional<Failure> Open(Graph graph) {
    const ProgressLine line("planning");
    if (Measures() || args_.Has("--trace")) engine_.observer = &observers_;
    engine_.watches_targets = true;
    auto session = OpenSession(engine_, std::move(graph), library_);
    if (!session.ok()) return Failure{session.status(), kExitUsage};
    session_ = *std::move(session);
    Status status = session_->Check(feeds_, fetches_, targets_);
    for (const std::string& node : args_.All("--init")) {
      if (status.ok()) status = session_->Check(feeds_, {}, {node});
    }
    if (!status.ok()) return Failure{status, kExitBadInput};
    return std::nullopt;
  }

  std::optional<Failure> Races(Graph graph) {
    constexpr double kSeconds = 60;
    const ExploredCall call = {feeds_,      fetches_,
                               targets_,    args_.All("--init"),
                               repeat_ - 1, args_.Has("--soft-placement")};
    reference::ExploreOptions options;
    if (args_.Has("--max-steps")) options.max_firings = options_.max_firings;
    options.deadline_s = args_.Has("--deadline") ? options_.deadline_s : kSeconds;
    options.cancelled = Interrupted;
    CatchInterrupts();
    const Result<reference::Exploration> found = [&] {
      const ProgressLine line("exploring orders");
      return ExploreCall(call, std::move(graph), library_, options);
    }();
    if (!found.ok()) return Failure{found.status(), kExitBadInput};
    const std::string text =
        json_ ? RacesJson(*found, fetches_) : RacesText(*found, fetches_, options);
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
    std::optional<AtomicFile> trace;
    Status trace_status;
    if (args_.Has("--trace")) {
      trace.emplace(args_.Last("--trace"));
      if (Status status = trace->Open(); !status.ok()) return Failure{status, kExitBadInput};
      TraceTo(*trace, trace_status);
    }
    Result<std::vector<Tensor>> values = RunWithProgress();
    // The trace of a step that failed is wanted most.
    if (trace.has_value() && trace_status.ok()) trace_status = Finish(*trace);
    if (!values.ok()) {
      const bool interrupted = Interrupted() && values.status().code() == Code::kCancelled;
      return Failure{values.status(), interrupted ? kExitInterrupted : kExitFailed};
    }
    if (!trace_status.ok()) return Failure{trace_status, kExitFailed};
    NoteDeadTargets();
    return Deliver(*values);
  }

  void NoteDeadTargets() const {
    for (const std::string& target : dead_targets_) {
      std::fprintf(stderr, "note: target '%s' was dead: it did not run\n", target.c_str());
    }
  }

  void TraceTo(AtomicFile& file, Status& status) {
    if (engine_.engine != "reference") {
      kernel_trace_.emplace([&file](std::string_view bytes) { return file.Write(bytes); });
      return;
    }
    options_.trace = [&file, &status](const std::string& line) {
      if (status.ok()) status = file.Write(line + "\n");
    };
  }

  Status Finish(AtomicFile& trace) {
    if (kernel_trace_.has_value()) TAGFLOW_RETURN_IF_ERROR(kernel_trace_->Finish());
    return trace.Commit();
  }

  Result<std::vector<Tensor>> RunWithProgress() {
    ProgressLine line("running");
    CatchInterrupts();
    options_.cancelled = Interrupted;
    options_.progress = [&line](int64_t firings) { line.Update(firings); };
    TAGFLOW_RETURN_IF_ERROR(RunBefore());
    Observe(/*is_last=*/true);
    std::vector<std::string> dead;
    options_.dead_targets = &dead;
    Result<std::vector<Tensor>> values = session_->Run(feeds_, fetches_, targets_, options_);
    dead_targets_.insert(dead_targets_.end(), dead.begin(), dead.end());
    return values;
  }

  bool Measures() const { return args_.Has("--stats") || args_.Has("--times"); }

  // The statistics are of every step, and next to the kernel; the trace is of the last.
  void Observe(bool is_last) {
    std::vector<optimized::Observer*> observers;
    if (is_last && kernel_trace_.has_value()) observers.push_back(&*kernel_trace_);
    if (Measures()) observers.push_back(&stats_);
    observers_.Set(std::move(observers));
  }

  // The steps that leave nothing but what they did to variables.
  Status RunBefore() {
    StepOptions options = options_;
    options.trace = nullptr;
    for (const std::string& node : args_.All("--init")) {
      std::vector<std::string> dead;
      options.dead_targets = &dead;
      TAGFLOW_RETURN_IF_ERROR(session_->Run(feeds_, {}, {node}, options).status());
      dead_targets_.insert(dead_targets_.end(), dead.begin(), dead.end());
    }
    options.dead_targets = nullptr;
    Observe(/*is_last=*/false);
    for (int64_t i = 1; i < repeat_; ++i) {
      TAGFLOW_RETURN_IF_ERROR(session_->Run(feeds_, fetches_, targets_, options).status());
    }
    return Status();
  }

  std::optional<Failure> Deliver(const std::vector<Tensor>& values) const {
    std::vector<std::string> paths;
    if (args_.Has("--out")) {
      auto written = WriteOutputs(args_.Last("--out"), fetches_, values);
      if (!written.ok()) return Failure{written.status(), kExitFailed};
      paths = *std::move(written);
    }
    if (args_.Has("--times")) {
      paths.push_back(args_.Last("--times"));
      if (Status status = WriteTimes(paths.back()); !status.ok()) {
        return Failure{status, kExitFailed};
      }
    }
    if (json_) {
      PrintJson(values, paths);
    } else {
      PrintText(values, paths);
    }
    return std::nullopt;
  }

  Status WriteTimes(const std::string& path) const {
    const auto steps = static_cast<double>(stats_.steps().count);
    MeasuredTimes times;
    for (const auto& [node, op, stats] : stats_.ByNode()) {
      const auto count = static_cast<double>(stats.count);
      times[node] = {static_cast<double>(stats.total_ns) / count, count / steps};
    }
    AtomicFile file(path);
    TAGFLOW_RETURN_IF_ERROR(file.Open());
    TAGFLOW_RETURN_IF_ERROR(file.Write(MeasuredTimesText(times)));
    TAGFLOW_RETURN_IF_ERROR(file.Flush());
    return file.Commit();
  }

  void PrintText(const std::vector<Tensor>& values, const std::vector<std::string>& paths) const {
    for (size_t i = 0; i < values.size(); ++i) {
      std::printf("%s: ", fetches_[i].c_str());
      WriteResult(values[i], args_.Has("--full"),
                  [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
      std::putchar('\n');
    }
    if (args_.Has("--stats")) std::printf("\n%s", StatsText(ReportOf(stats_)).c_str());
    std::fputs(DeviceText(session_->device_report()).c_str(), stderr);
    for (const std::string& path : paths) std::fprintf(stderr, "wrote %s\n", path.c_str());
  }

  void PrintJson(const std::vector<Tensor>& values, const std::vector<std::string>& paths) const {
    std::string json = "{" + OutputsJson(fetches_, values) + ",\"files\":[";
    for (size_t i = 0; i < paths.size(); ++i) json += (i == 0 ? "" : ",") + JsonString(paths[i]);
    std::printf("%s]%s}\n", json.c_str(), StatsField().c_str());
  }

  std::string StatsField() const {
    return args_.Has("--stats") ? ",\"stats\":" + StatsJson(ReportOf(stats_)) : "";
  }

  int Report(const Failure& failure) const {
    std::fputs(ErrorText(failure.status).c_str(), stderr);
    if (failure.exit_code == kExitUsage) std::fputs("See 'tagflow run --help'.\n", stderr);
    // Of a step that failed.
    const bool has_stats = args_.Has("--stats") && stats_.steps().count > 0;
    if (has_stats && !json_) std::printf("%s", StatsText(ReportOf(stats_)).c_str());
    if (json_) {
      std::printf("{\"error\":%s%s}\n", ErrorJson(failure.status).c_str(),
                  has_stats ? StatsField().c_str() : "");
    }
    return failure.exit_code;
  }

  const Args args_;
  const OpLibrary library_;
  const bool json_;
  int64_t repeat_ = 1;
  EngineOptions engine_;
  StepOptions options_;
  std::vector<std::string> fetches_;
  std::vector<std::string> targets_;
  std::vector<std::string> dead_targets_;
  RunSession::Feeds feeds_;
  optimized::StatsObserver stats_;
  std::optional<KernelTrace> kernel_trace_;
  optimized::ObserverList observers_;
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
