// tagflow explore: a graph and a step of it as one page to look at. Tested by page_test.py.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/device_options.h"
#include "cli/explore/explore_json.h"
#include "cli/explore/lane_observer.h"
#include "cli/explore/page.h"
#include "cli/feeds.h"
#include "cli/file.h"
#include "cli/model_call.h"
#include "cli/progress_line.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "cli/run_request.h"
#include "conformance/command/args.h"
#include "conformance/command/interrupt.h"
#include "optimized/session.h"
#include "reference/session.h"
#include "transform/lower/lower.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow explore GRAPH [--feed X=VALUE]... [--fetch Y]... -o FILE.html

Makes one page of a graph and a step of it, to be opened in a browser: no server, no network. The
graph is boxes in boxes, loops and names, that fold and open; a slider and the arrow keys go through
every firing of the step, as the reference runs it, with its tokens on the edges; loops are tables; a
value shows what it was made from, back to the feeds; a step that fails opens at the place, with who
waits for whom. Beside it stands what the fast engine did, a lane for each thread.

GRAPH is what `tagflow run` takes; functions in it are lowered, so that their loops are seen. Without
a fetch and a target the page is of the graph alone.

  --feed NAME=VALUE, --fetch NAME, --target NAME, --init NAME, --signature NAME, --tags LIST
                   as in `tagflow run`
  --limit N        firings that the page holds, the first ones (default: 100000); it says how many
                   there were
  --max-steps N    firings after which the step fails; --deadline S, seconds (default: 60)
  --seed S         the order in which the reference takes nodes that are ready
  --threads N      of the engine; 0, the default: one per core
  --devices LIST, --device-options KIND:LIST, --placement HOW, --soft-placement
                   of the engine, as in `tagflow run`: then there is a lane for each device, too
  -o FILE          the page

Example, in a checkout:
  tagflow explore examples/collatz/graph.pbtxt --feed n=10 --fetch best -o run.html

Exit code: 0 the page is written, also of a step that failed; 1 it cannot be; 2 the command line
makes no sense; 3 the graph or a name cannot be used.
)";

const std::vector<OptionSpec> kOptions = {
    {"--feed"},
    {"--fetch"},
    {"--target"},
    {"--init"},
    {"--signature"},
    {"--tags"},
    {"--limit"},
    {"--max-steps"},
    {"--deadline"},
    {"--seed"},
    {"--threads"},
    {"--devices"},
    {"--device-options"},
    {"--placement"},
    {"--soft-placement", false},
    {"-o"},
    {"--help", false},
};

constexpr int64_t kDefaultLimit = 100'000;
constexpr double kDefaultDeadline = 60;

// The outcome of a part of the command: the exit code goes with the status.
struct Failure {
  Status status;
  int exit_code;
};

struct Request {
  SavedModelGraph model;
  ModelCall names;
  std::vector<std::string> targets;
  std::vector<std::string> init;
  int64_t limit = kDefaultLimit;
  int threads = 0;
  EngineOptions engine;  // its devices
  reference::RunOptions options;

  bool RunsAStep() const { return !names.fetches.empty() || !targets.empty(); }
};

Status ReadNumbers(const Args& args, Request& request) {
  TAGFLOW_ASSIGN_OR_RETURN(request.limit, args.Int("--limit", kDefaultLimit, 0));
  TAGFLOW_ASSIGN_OR_RETURN(request.options.max_firings, args.Int("--max-steps", 0, 1));
  TAGFLOW_ASSIGN_OR_RETURN(request.options.deadline_s,
                           args.Seconds("--deadline", kDefaultDeadline));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed, args.Int("--seed", 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t threads, args.Int("--threads", 0, 0));
  request.options.seed = static_cast<uint64_t>(seed);
  request.threads =
      static_cast<int>(std::min<int64_t>(threads, int64_t{optimized::kMaxThreads} + 1));
  return Status();
}

// The steps before the one that is looked at.
template <typename Session>
Status RunBefore(const Request& request, const reference::NamedTensors& feeds, Session& session) {
  for (const ModelInit& init : request.model.init) {
    TAGFLOW_RETURN_IF_ERROR(session.Run(init.feeds, {}, {init.target}).status());
  }
  for (const std::string& node : request.init) {
    TAGFLOW_RETURN_IF_ERROR(session.Run(feeds, {}, {node}).status());
  }
  return Status();
}

// Runs the step on the reference, whose firings and outcome go into `step`.
//   Errors: of the call itself, before any firing
Status RunReference(const Request& request, const OpLibrary& library, ExploredStep& step) {
  reference::SessionOptions options;
  options.kernels = library.reference_kernels;
  options.any_device = true;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           reference::Session::Create(request.model.graph.Clone(), options));
  TAGFLOW_RETURN_IF_ERROR(session->Check(step.feeds, request.names.fetches, request.targets));
  TAGFLOW_RETURN_IF_ERROR(RunBefore(request, step.feeds, *session));
  ProgressLine line("running");
  reference::RunOptions run = request.options;
  run.cancelled = Interrupted;
  run.progress = [&](int64_t firings) { line.Update(firings); };
  run.trace = [&](reference::TraceEvent event) {
    if (step.total++ >= request.limit) return;
    // The session's nodes go with it.
    const Graph& graph = request.model.graph;
    event.node = &graph.node(graph.Find(event.node->name));
    step.firings.push_back(std::move(event));
  };
  const Result<std::vector<Tensor>> values =
      session->Run(step.feeds, request.names.fetches, request.targets, run);
  step.status = values.status();
  for (size_t i = 0; values.ok() && i < values->size(); ++i) {
    step.results.emplace_back(request.names.labels[i], (*values)[i]);
  }
  return Status();
}

void AppendLines(std::string_view text, std::vector<std::string>& lines) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
}

// Runs the step on the engine, whose lanes go into `step`.
//   Errors: where it cannot run the call; the page says why
Status RunEngine(const Request& request, const OpLibrary& library, ExploredStep& step) {
  const EngineOptions& engine = request.engine;
  LaneObserver observer(static_cast<size_t>(request.limit),
                        /*by_device=*/engine.devices.size() > 1);
  optimized::ObserverList observers;
  optimized::SessionOptions options;
  options.kernels = library.kernels;
  options.any_device = engine.devices.empty();
  options.devices = engine.devices;
  options.device_kinds = engine.device_kinds;
  options.spread = engine.spread;
  options.threads = request.threads;
  options.observer = &observers;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           optimized::Session::Create(request.model.graph.Clone(), options));
  TAGFLOW_RETURN_IF_ERROR(RunBefore(request, step.feeds, *session));
  std::vector<std::string> names;
  std::vector<Tensor> values;
  for (const auto& [name, value] : step.feeds) {
    names.push_back(name);
    values.push_back(value);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* const call,
                           session->MakeCallable(names, request.names.fetches, request.targets));
  optimized::RunOptions run;
  run.deadline_s = request.options.deadline_s;
  run.max_firings = request.options.max_firings;
  run.cancelled = Interrupted;
  optimized::DeviceReport report;
  run.device_report = &report;
  observers.Set({&observer});
  const Status status = call->Run(values, run).status();
  step.about = call->about();
  step.notes = call->Notes();
  AppendLines(DeviceText(report), step.notes);
  if (!status.ok()) step.notes.push_back(status.ToString());
  step.lanes = observer.Take();
  return Status();
}

class Explorer {
 public:
  Explorer(const Args& args, const OpLibrary& library) : args_(args), library_(library) {}

  std::optional<Failure> Explore() {
    if (auto failure = ReadRequest()) return failure;
    if (request_.RunsAStep()) {
      CatchInterrupts();
      if (const Status status = RunReference(request_, library_, step_); !status.ok()) {
        return Failure{status, kExitBadInput};
      }
      if (const Status status = RunEngine(request_, library_, step_); !status.ok()) {
        step_.about = status.ToString();
        step_.lanes = {{"nothing ran", {}}};
      }
    }
    const Status written = Write();
    if (!written.ok()) return Failure{written, kExitFailed};
    return std::nullopt;
  }

 private:
  std::optional<Failure> ReadRequest() {
    if (args_.operands().size() != 1 || !args_.Has("-o")) {
      return Failure{
          InvalidArgument("explore takes one graph, and -o FILE says where the page goes"),
          kExitUsage};
    }
    for (const Status& status :
         {ReadNumbers(args_, request_), ReadDevices(args_, library_, request_.engine)}) {
      if (!status.ok()) return Failure{status, kExitUsage};
    }
    Result<SavedModelGraph> model = ReadModel(args_.operands()[0], library_.ops, TagsOf(args_));
    if (!model.ok()) return Failure{model.status(), kExitBadInput};
    request_.model = *std::move(model);
    request_.targets = args_.All("--target");
    request_.init = args_.All("--init");
    Result<ModelCall> names = CallOf(request_.model, args_);
    if (!names.ok()) return Failure{names.status(), kExitBadInput};
    request_.names = *std::move(names);
    for (const std::string& word : request_.names.feeds) {
      auto feed = ParseFeed(request_.model.graph, word);
      if (!feed.ok()) return Failure{feed.status(), kExitBadInput};
      step_.feeds.push_back(*std::move(feed));
    }
    LowerFunctions(request_.model.graph);
    return std::nullopt;
  }

  Status Write() const {
    return WriteFile(args_.Last("-o"),
                     PageWith(ExploreJson(args_.operands()[0], request_.model.graph, step_)));
  }

  const Args& args_;
  const OpLibrary library_;
  Request request_;
  ExploredStep step_;
};

int Report(const Failure& failure) {
  std::fputs(ErrorText(failure.status).c_str(), stderr);
  if (failure.exit_code == kExitUsage) std::fputs("See 'tagflow explore --help'.\n", stderr);
  return failure.exit_code;
}

}  // namespace

int ExploreCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  const Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) return Report({args.status(), kExitUsage});
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  const std::optional<Failure> failure = Explorer(*args, library).Explore();
  return failure.has_value() ? Report(*failure) : kExitOk;
}

}  // namespace tagflow::cli
