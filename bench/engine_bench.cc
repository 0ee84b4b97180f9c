// Every program on the engine, with one thread and with two, and on the reference:
//
//   ./bazelw run --config=opt //bench:engine_bench -- --benchmark_filter=loop4
//
// The counter per_unit is the time per unit of the program (docs/benchmarks.md).

#include <benchmark/benchmark.h>

#include <string>

#include "bench/engines.h"
#include "bench/programs.h"

namespace tagflow::bench {
namespace {

void RunProgram(benchmark::State& state, const ProgramSpec& spec, const EngineChoice& engine) {
  Result<Program> program = spec.make(spec.size);
  if (!program.ok()) return state.SkipWithError(program.status().ToString().c_str());
  const Result<Step> step = Prepare(*std::move(program), engine);
  if (!step.ok()) return state.SkipWithError(step.status().ToString().c_str());
  for (auto _ : state) {
    const auto outputs = (*step)();
    if (!outputs.ok()) return state.SkipWithError(outputs.status().ToString().c_str());
    if (!ChecksAgree(CheckValues(*outputs), spec.check, spec.tolerance)) {
      return state.SkipWithError("a wrong check value");
    }
  }
  state.counters["per_unit"] =
      benchmark::Counter(static_cast<double>(state.iterations() * spec.units),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void RegisterPrograms() {
  for (const ProgramSpec& spec : Programs()) {
    for (const EngineChoice& engine :
         {EngineChoice{"engine", 1}, EngineChoice{"engine", 2}, EngineChoice{"reference", 1}}) {
      const std::string name =
          std::string(spec.name) + "/" + engine.name + "/threads:" + std::to_string(engine.threads);
      benchmark::RegisterBenchmark(name.c_str(), [&spec, engine](benchmark::State& state) {
        RunProgram(state, spec, engine);
      })->UseRealTime();
    }
  }
}

}  // namespace
}  // namespace tagflow::bench

int main(int argc, char** argv) {
  tagflow::bench::RegisterPrograms();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
