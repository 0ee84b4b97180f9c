// tagflow bench: how long a step of a graph takes.

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/feeds.h"
#include "cli/model_call.h"
#include "cli/progress_line.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "cli/run_session.h"
#include "cli/stats_table.h"
#include "conformance/command/args.h"
#include "conformance/command/interrupt.h"
#include "conformance/command/json.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow bench GRAPH --fetch NAME... [--feed NAME=VALUE]... [--engine A] [--against B] [options]

Runs a step of a graph again and again and prints how long it takes: the whole call, with feeding and
fetching; reading the graph and the first step, which makes the plan, are not in it. Nor is what makes
the variables and tables of a model ready, where GRAPH is the folder of a SavedModel.

  --signature NAME    as in `tagflow run`: without --fetch and --target, all that it gives is fetched
  --tags LIST         as in `tagflow run`
  --feed NAME=VALUE   as in `tagflow run`
  --fetch NAME        as in `tagflow run`
  --target NAME       as in `tagflow run`
  --init NAME         a node to run before, in a step of its own with the same feeds: what initializes
                      the variables
  --engine A          optimized (default) or reference. The optimized engine also as optimized:N,
                      with N threads; as optimized-straight or optimized-tokens, with the executor
                      chosen; and as optimized-native, with machine code from the first step on
  --against B         another engine, run in turn with A in the same process, so that what else the
                      machine does falls on both; the ratio is printed
  --threads N         of an optimized engine that does not say itself; 0, the default: one per core
  --soft-placement    as in `tagflow run`
  --seconds T         how long to measure (default: 2)
  --json              print one JSON object: {"engines": [{"engine", "threads", "steps",
                      "min_ns", "median_ns", "mean_ns", "steps_per_s", "notes"}],
                      "ratio": median B / A}

What to read: compare medians of one run, with --against; times of two runs differ by what the
machine did meanwhile. The least time is what the step needs; a mean far above it says that the
machine was busy. Notes below the table say which executor ran the step, and what of it has become
machine code meanwhile. Where the time goes is shown by `tagflow run --stats`.

examples:
  tagflow bench loop.pbtxt --feed n=1000 --fetch out
  tagflow bench loop.pbtxt --feed n=1000 --fetch out --against reference
  tagflow bench model.pb --feed x=image.npy --fetch y --engine optimized:1 --against optimized:2
  tagflow bench saved_model --signature serving_default --feed x=image.npy

Exit code: 0 measured; 1 a step failed; 2 the command line makes no sense; 3 the graph, a feed or a
fetch cannot be used; 130 stopped by Ctrl-C, with what was measured until then.
)";

const std::vector<OptionSpec> kOptions = {
    {"--signature"},
    {"--tags"},
    {"--feed"},
    {"--fetch"},
    {"--target"},
    {"--init"},
    {"--engine"},
    {"--against"},
    {"--threads"},
    {"--seconds"},
    {"--json", false},
    {"--help", false},
    {"--soft-placement", false},
};

struct Failure {
  Status status;
  int exit_code;
};

// An engine with the step made ready on it.
struct Contestant {
  std::string name;
  std::unique_ptr<RunSession> session;
  StepTimes times;
  std::vector<std::string> notes = {};  // on how the step was run
};

class Bench {
 public:
  Bench(Args args, const OpLibrary& library) : args_(std::move(args)), library_(library) {}

  int Run() {
    std::optional<Failure> failure = ReadOptions();
    if (!failure.has_value()) failure = Load();
    if (!failure.has_value()) failure = Measure();
    if (failure.has_value()) return Report(*failure);
    std::fputs((args_.Has("--json") ? Json() : Text()).c_str(), stdout);
    return Interrupted() ? kExitInterrupted : kExitOk;
  }

 private:
  std::optional<Failure> ReadOptions() {
    const Result<double> seconds = args_.Seconds("--seconds", 2);
    const Result<int64_t> threads = args_.Int("--threads", 0, 0);
    Status status = seconds.ok() ? threads.status() : seconds.status();
    if (args_.operands().size() != 1) {
      status = InvalidArgument("bench takes one graph, and " +
                               std::to_string(args_.operands().size()) + " are given");
    }
    if (!status.ok()) return Failure{status, kExitUsage};
    seconds_ = *seconds;
    threads_ = *threads;
    return std::nullopt;
  }

  std::optional<Failure> Load() {
    const Result<SavedModelGraph> model =
        ReadModel(args_.operands()[0], library_.ops, TagsOf(args_));
    if (!model.ok()) return Failure{model.status(), kExitBadInput};
    if (auto failure = ReadCall(*model)) return failure;
    std::vector<std::string> engines = {args_.Last("--engine", "optimized")};
    if (args_.Has("--against")) engines.push_back(args_.Last("--against"));
    for (const std::string& engine : engines) {
      EngineOptions options{engine, threads_, "", nullptr};
      options.spread.soft = args_.Has("--soft-placement");
      auto session = OpenSession(options, model->graph.Clone(), library_);
      if (!session.ok()) return Failure{session.status(), kExitUsage};
      contestants_.push_back({engine, *std::move(session), {}});
    }
    return std::nullopt;
  }

  std::optional<Failure> ReadCall(const SavedModelGraph& model) {
    Result<ModelCall> call = CallOf(model, args_);
    if (!call.ok()) return Failure{call.status(), kExitBadInput};
    fetches_ = std::move(call->fetches);
    init_ = model.init;
    if (fetches_.empty() && targets_.empty()) {
      return Failure{InvalidArgument("nothing to run: give --fetch or --target"), kExitUsage};
    }
    for (const std::string& word : call->feeds) {
      auto feed = ParseFeed(model.graph, word);
      if (!feed.ok()) return Failure{feed.status(), kExitBadInput};
      feeds_.push_back(*std::move(feed));
    }
    return std::nullopt;
  }

  std::optional<Failure> Measure() {
    CatchInterrupts();
    std::vector<TimedStep> steps;
    for (Contestant& one : contestants_) {
      Status status = one.session->Check(feeds_, fetches_, targets_);
      if (!status.ok()) return Failure{status, kExitBadInput};
      if (auto failure = RunBefore(*one.session)) return failure;
      auto step = one.session->Prepare(feeds_, fetches_, targets_);
      if (!step.ok()) return Failure{step.status(), kExitBadInput};
      steps.push_back(*std::move(step));
    }
    const ProgressLine line("measuring");
    const auto times = TimeInTurn(steps, seconds_, Interrupted);
    if (!times.ok()) return Failure{times.status(), kExitFailed};
    for (size_t i = 0; i < contestants_.size(); ++i) {
      Contestant& one = contestants_[i];
      one.times = (*times)[i];
      one.notes = one.session->Notes(feeds_, fetches_, targets_);
    }
    return std::nullopt;
  }

  // What initializes, and a first step that Ctrl-C can end: the timed ones do not look for it.
  std::optional<Failure> RunBefore(RunSession& session) const {
    const ProgressLine line("running the first step");
    StepOptions options;
    options.cancelled = Interrupted;
    Status status;
    for (const ModelInit& init : init_) {
      if (status.ok()) status = session.Run(init.feeds, {}, {init.target}, options).status();
    }
    for (const std::string& node : args_.All("--init")) {
      if (status.ok()) status = session.Run(feeds_, {}, {node}, options).status();
    }
    if (status.ok()) status = session.Run(feeds_, fetches_, targets_, options).status();
    if (status.ok()) return std::nullopt;
    return Failure{status, Interrupted() ? kExitInterrupted : kExitFailed};
  }

  std::string Text() const {
    std::vector<std::vector<std::string>> rows = {
        {"engine", "threads", "steps", "min", "median", "mean", "steps/s"}};
    for (const Contestant& one : contestants_) {
      rows.push_back({one.name, std::to_string(one.session->threads()), CountText(one.times.steps),
                      TimeText(one.times.min_ns), TimeText(one.times.median_ns),
                      TimeText(one.times.mean_ns),
                      CountText(static_cast<int64_t>(one.times.steps_per_s()))});
    }
    std::string text = AlignedText(rows, 1);
    if (contestants_.size() == 2) {
      char ratio[32];
      std::snprintf(ratio, sizeof(ratio), "%.3g", Ratio());
      text += contestants_[1].name + " takes " + ratio + " times as long as " +
              contestants_[0].name + "\n";
    }
    for (const Contestant& one : contestants_) {
      for (const std::string& note : one.notes) text += one.name + ": " + note + "\n";
    }
    return text;
  }

  std::string Json() const {
    std::string engines;
    for (const Contestant& one : contestants_) {
      engines += (engines.empty() ? "" : ",") + ContestantJson(one);
    }
    std::string json = "{\"engines\":[" + engines + "]";
    if (contestants_.size() == 2) json += ",\"ratio\":" + std::to_string(Ratio());
    return json + "}\n";
  }

  static std::string ContestantJson(const Contestant& one) {
    std::string notes;
    for (const std::string& note : one.notes)
      notes += (notes.empty() ? "" : ",") + JsonString(note);
    char times[160];
    std::snprintf(times, sizeof(times),
                  "\"min_ns\":%.1f,\"median_ns\":%.1f,\"mean_ns\":%.1f,\"steps_per_s\":%.1f",
                  one.times.min_ns, one.times.median_ns, one.times.mean_ns,
                  one.times.steps_per_s());
    return "{\"engine\":" + JsonString(one.name) +
           ",\"threads\":" + std::to_string(one.session->threads()) +
           ",\"steps\":" + std::to_string(one.times.steps) + "," + times + ",\"notes\":[" + notes +
           "]}";
  }

  double Ratio() const { return contestants_[1].times.median_ns / contestants_[0].times.median_ns; }

  int Report(const Failure& failure) const {
    std::fputs(ErrorText(failure.status).c_str(), stderr);
    if (failure.exit_code == kExitUsage) std::fputs("See 'tagflow bench --help'.\n", stderr);
    if (args_.Has("--json")) std::printf("{\"error\":%s}\n", ErrorJson(failure.status).c_str());
    return failure.exit_code;
  }

  const Args args_;
  const OpLibrary library_;
  double seconds_ = 0;
  int64_t threads_ = 0;
  const std::vector<std::string> targets_ = args_.All("--target");
  std::vector<std::string> fetches_;
  std::vector<ModelInit> init_;
  RunSession::Feeds feeds_;
  std::vector<Contestant> contestants_;
};

}  // namespace

int BenchCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) {
    std::fprintf(stderr, "%sSee 'tagflow bench --help'.\n", ErrorText(args.status()).c_str());
    return kExitUsage;
  }
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  return Bench(*std::move(args), library).Run();
}

}  // namespace tagflow::cli
