// Times the benchmark programs on the engine, on the reference and in plain C++, for
// //bench:compare and by hand:
//
//   run_programs [--peer engine|engine-native|engine-interpreted|engine-fresh|engine-straight|
//                        engine-tokens|reference|cpp]
//                [--threads N] [--runs N] [PROGRAM...]
//
// prints a line per program, of fields between tabs: program, peer, threads, ns_per_unit, check.
// Without programs, names are read from the standard input; the lines of each are followed by an
// empty one. A name that comes again is not prepared again. docs/benchmarks.md says what is
// measured.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cpp_programs.h"
#include "bench/engines.h"
#include "bench/programs.h"
#include "graph/io/export.h"
#include "graph/io/import.h"

namespace tagflow::bench {
namespace {

// The peer without a graph.
constexpr std::string_view kCpp = "cpp";
// The engine, measured by MeasureFresh.
constexpr std::string_view kFresh = "engine-fresh";

using Clock = std::chrono::steady_clock;

struct Options {
  EngineChoice engine;
  int runs = 5;  // at least so many per request
  std::vector<std::string> programs;
};

struct Prepared {
  const ProgramSpec* spec = nullptr;
  Step step;
  int64_t calls = 1;  // timed together, so that the clock is not what is measured
};

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void PrintRow(const std::string& name, const Options& options, double ns_per_unit,
              const std::vector<double>& checks) {
  std::printf("%s\t%s\t%d\t%.4g\t", name.c_str(), options.engine.name.c_str(),
              options.engine.threads, ns_per_unit);
  for (size_t i = 0; i < checks.size(); ++i) std::printf(i == 0 ? "%.6g" : " %.6g", checks[i]);
  std::printf("\n");
}

Result<Step> MakeStep(const ProgramSpec& spec, const EngineChoice& engine) {
  if (engine.name == kCpp) return PrepareCpp(spec.name);
  Result<Program> program = spec.make(spec.size);
  if (!program.ok()) return program.status();
  return Prepare(*std::move(program), engine);
}

// Makes the step and warms it up.
Result<Prepared> PrepareNamed(const ProgramSpec& spec, const Options& options) {
  Result<Step> step = MakeStep(spec, options.engine);
  if (!step.ok()) return step.status();
  Prepared prepared{&spec, *std::move(step)};
  for (int i = 0; i < 2; ++i) {
    const Clock::time_point start = Clock::now();
    if (auto outputs = prepared.step(); !outputs.ok()) return outputs.status();
    prepared.calls = std::max<int64_t>(1, static_cast<int64_t>(50'000 / NsSince(start)));
  }
  return prepared;
}

// The least time of a call: over `runs` runs, and over as many as 100 ms hold.
Status Measure(const Prepared& prepared, const Options& options) {
  double least = 1e300;
  std::vector<double> checks;
  const Clock::time_point begin = Clock::now();
  for (int run = 0; run < options.runs || NsSince(begin) < 100e6; ++run) {
    const Clock::time_point start = Clock::now();
    for (int64_t i = 1; i < prepared.calls; ++i) {
      if (auto outputs = prepared.step(); !outputs.ok()) return outputs.status();
    }
    const auto outputs = prepared.step();
    least = std::min(least, NsSince(start) / static_cast<double>(prepared.calls));
    if (!outputs.ok()) return outputs.status();
    checks = CheckValues(*outputs);
  }
  PrintRow(std::string(prepared.spec->name), options,
           least / static_cast<double>(prepared.spec->units), checks);
  return Status();
}

// What machine code costs a program that ends at the wrong moment: a session that begins with
// nothing compiled and one that only interprets take turns, and what counts is how many times as
// long the first has taken, from the beginning on, when that is at its worst. The first 40 ms are
// not looked at, and the beginning is behind ten steps, in which a session prepares the graph and
// chooses its executor. The row has that many times the time of the interpreted step.
Status MeasureFresh(const ProgramSpec& spec, const Options& options) {
  constexpr double kFirst = 40e6, kAll = 2.5e9, kBatch = 200e3;
  Options interpreting = options;
  interpreting.engine.name = "engine-interpreted";
  Result<Step> fresh = MakeStep(spec, options.engine);
  Result<Step> interpreted = MakeStep(spec, interpreting.engine);
  if (!fresh.ok()) return fresh.status();
  if (!interpreted.ok()) return interpreted.status();
  std::vector<double> checks;
  const auto run = [&](const Step& step, int64_t times) -> Result<double> {
    const Clock::time_point begin = Clock::now();
    for (int64_t i = 0; i < times; ++i) {
      const auto outputs = step();
      if (!outputs.ok()) return outputs.status();
      if (checks.empty()) checks = CheckValues(*outputs);
    }
    return NsSince(begin);
  };
  for (const auto* step : {&*fresh, &*interpreted}) {
    if (const auto first = run(*step, 10); !first.ok()) return first.status();
  }
  double fresh_ns = 0, interpreted_ns = 0, steps = 0, worst = 0;
  for (int64_t batch = 1; interpreted_ns < kAll;) {
    const Result<double> ours = run(*fresh, batch), theirs = run(*interpreted, batch);
    if (!ours.ok()) return ours.status();
    if (!theirs.ok()) return theirs.status();
    fresh_ns += *ours;
    interpreted_ns += *theirs;
    if (interpreted_ns >= kFirst) worst = std::max(worst, fresh_ns / interpreted_ns);
    steps += static_cast<double>(batch);
    batch = std::max<int64_t>(1, static_cast<int64_t>(kBatch * steps / interpreted_ns));
  }
  const double interpreted_unit = interpreted_ns / steps / static_cast<double>(spec.units);
  PrintRow(std::string(spec.name), options, worst * interpreted_unit, checks);
  interpreting.engine.name = std::string(kFresh) + "-interpreted";
  PrintRow(std::string(spec.name), interpreting, interpreted_unit, checks);
  return Status();
}

// What comes before a graph's second run: from its bytes to a graph, and to the first result.
Status MeasureSetup(const ProgramSpec& spec, const std::string& bytes, const Program& program,
                    const Options& options) {
  double import = 1e300;
  double first_run = 1e300;
  double sum = 1e300;
  std::vector<double> checks;
  for (int run = 0; run < options.runs; ++run) {
    const Clock::time_point start = Clock::now();
    Result<Graph> graph = ImportGraphFromBytes(bytes);
    if (!graph.ok()) return graph.status();
    const double imported = NsSince(start);
    Result<Step> step =
        Prepare({*std::move(graph), program.feeds, program.fetches}, options.engine);
    if (!step.ok()) return step.status();
    const auto outputs = (*step)();
    const double done = NsSince(start);
    if (!outputs.ok()) return outputs.status();
    checks = CheckValues(*outputs);
    import = std::min(import, imported);
    first_run = std::min(first_run, done - imported);
    sum = std::min(sum, done);
  }
  const auto units = static_cast<double>(spec.units);
  const std::string name(spec.name);
  PrintRow(name + ".import", options, import / units, {});
  PrintRow(name + ".first_run", options, first_run / units, {});
  PrintRow(name + ".import+first_run", options, sum / units, checks);
  return Status();
}

class Runner {
 public:
  explicit Runner(Options options) : options_(std::move(options)) {}

  Status Run(const std::string& name) {
    const ProgramSpec* spec = FindProgram(name);
    if (spec == nullptr) return NotFound("there is no program '" + name + "'");
    if (options_.engine.name == kFresh) return MeasureFresh(*spec, options_);
    if (name == "setup100k" && options_.engine.name != kCpp) {
      if (const Status status = RunSetup(*spec); !status.ok()) return status;
    }
    auto found = prepared_.find(name);
    if (found == prepared_.end()) {
      Result<Prepared> made = PrepareNamed(*spec, options_);
      if (!made.ok()) return made.status();
      found = prepared_.emplace(name, *std::move(made)).first;
    }
    return Measure(found->second, options_);
  }

 private:
  Status RunSetup(const ProgramSpec& spec) {
    Result<Program> program = spec.make(spec.size);
    if (!program.ok()) return program.status();
    const Result<std::string> bytes = ExportGraphToBytes(program->graph);
    if (!bytes.ok()) return bytes.status();
    return MeasureSetup(spec, *bytes, *program, options_);
  }

  const Options options_;
  std::map<std::string, Prepared> prepared_;  // by name
};

bool ParseArgs(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (!arg.starts_with("--")) {
      options.programs.push_back(arg);
      continue;
    }
    if (++i == argc) return false;
    if (arg == "--peer")
      options.engine.name = argv[i];
    else if (arg == "--threads")
      options.engine.threads = std::atoi(argv[i]);
    else if (arg == "--runs")
      options.runs = std::max(1, std::atoi(argv[i]));
    else
      return false;
  }
  return true;
}

// Returns whether all went well; a failure is a line on the standard error.
bool Report(Runner& runner, const std::string& name) {
  const Status status = runner.Run(name);
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", name.c_str(), status.ToString().c_str());
  return status.ok();
}

int Main(int argc, char** argv) {
  Options options;
  if (!ParseArgs(argc, argv, options)) {
    std::fprintf(stderr,
                 "run_programs [--peer engine|engine-native|engine-interpreted|engine-fresh|"
                 "engine-straight|engine-tokens|reference|cpp] [--threads N] [--runs N] "
                 "[PROGRAM...]\n");
    return 2;
  }
  Runner runner(options);
  bool ok = true;
  for (const std::string& name : options.programs) ok &= Report(runner, name);
  std::string line;
  while (options.programs.empty() && std::getline(std::cin, line)) {
    ok &= Report(runner, line);
    std::printf("\n");
    std::fflush(stdout);
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::bench

int main(int argc, char** argv) { return tagflow::bench::Main(argc, argv); }
