// gpu_suite checks the GPU device on a machine that has a GPU; the bundle (//tools:gpu_bundle)
// carries it there. It is one program, so that the bundle is small:
//   gpu_suite suites FOLDER   times the programs and runs the suites, each in a process of its own;
//                             FOLDER holds conformance/. Prints a line per program, suite and
//                             failure, tab-separated, the most telling first; the exit code is 1
//                             where something fails
//   gpu_suite suite NAME FOLDER, time NAME
//                             one of them
//   gpu_suite fault NAME      plants one of the faults (planted_faults.h); the suites call it so
//   gpu_suite fuzz …, serve … are those of `tagflow`

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/commands.h"
#include "conformance/gpu/bad_write.h"
#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/endurance.h"
#include "conformance/gpu/gpu_cases.h"
#include "conformance/gpu/gpu_programs.h"
#include "conformance/gpu/ops_on_gpu.h"
#include "conformance/gpu/planted_faults.h"
#include "conformance/gpu/suite_children.h"
#include "conformance/gpu/suite_counts.h"
#include "conformance/ops/op_script.h"
#include "fuzz/command/commands.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::conformance {
namespace {

constexpr char kThisProgram[] = "/proc/self/exe";
constexpr int kUsageError = 2;

// Each test of the op scripts that calls an op of the GPU.
SuiteCounts Ops(const std::string& folder) {
  SuiteCounts counts;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder + "/conformance/ops", error)) {
    if (entry.path().extension() != ".ops") continue;
    std::ifstream stream(entry.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto scripts = ReadOpScripts(text);
    if (!scripts.ok()) Note(counts, "ops", entry.path(), scripts.status().ToString());
    if (!scripts.ok()) continue;
    for (const OpScript& script : *scripts) {
      if (std::ranges::none_of(CalledOps(script), IsOpOfGpu)) continue;
      std::string why;
      for (const auto& failure : RunOpScript(script, OpsOnGpu())) {
        why += "line " + std::to_string(failure.line) + ": " + failure.message + " ";
      }
      Note(counts, "ops", script.name, why);
    }
  }
  if (counts.passed + counts.failed == 0) Note(counts, "ops", "all", "there are no scripts");
  return counts;
}

void NoteCases(SuiteCounts& counts, const Result<std::vector<CaseResult>>& results) {
  if (!results.ok()) return Note(counts, "cases", "all", results.status().ToString());
  for (const auto& result : *results) {
    const bool is_unrun = result.verdict == Verdict::kUnsupported;
    Note(counts, "cases", result.name, IsBad(result) || is_unrun ? result.why + " " : "");
  }
}

SuiteCounts Cases(const std::string& folder, optimized::ExecutorChoice executor,
                  optimized::NativeChoice native) {
  SuiteCounts counts;
  NoteCases(counts, RunCasesOnGpu(folder, executor, native));
  return counts;
}

// By both executors.
SuiteCounts CasesOnTwo(const std::string& folder) {
  using optimized::ExecutorChoice;
  SuiteCounts counts;
  for (const ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    for (const uint64_t seed : {1, 2, 3}) NoteCases(counts, RunCasesOnGpus(folder, executor, seed));
  }
  return counts;
}

struct Suite {
  const char* name;
  std::function<SuiteCounts(const std::string& folder)> run;
  int gpus = 1;  // that it takes
};

// A suite that needs no files.
auto Without(SuiteCounts (*run)()) {
  return [run](const std::string&) { return run(); };
}

const std::vector<Suite>& Suites() {
  using optimized::ExecutorChoice;
  using optimized::NativeChoice;
  const auto cases = [](ExecutorChoice executor, NativeChoice native) {
    return [=](const std::string& folder) { return Cases(folder, executor, native); };
  };
  static const auto& suites = *new std::vector<Suite>{
      {"elementwise kernels", Without(CompareElementwiseKernels)},
      {"indexing kernels", Without(CompareIndexingKernels)},
      {"lists, arrays and stacks", Without(CompareLists)},
      {"reducing kernels", Without(CompareReducingKernels)},
      {"random numbers", Without(CompareRandomKernels)},
      {"variables and training steps", Without(CompareVariableKernels)},
      {"programs", Without([] { return CompareGpuPrograms(0.1); })},
      {"ops", Ops},
      {"cases in order", cases(ExecutorChoice::kAuto, NativeChoice::kOff)},
      {"cases with kernels of several nodes", cases(ExecutorChoice::kAuto, NativeChoice::kAlways)},
      {"cases by tokens", cases(ExecutorChoice::kTokens, NativeChoice::kOff)},
      {"several GPUs", CasesOnTwo, 2},
      {"planted faults", Without([] { return PlantFaults(kThisProgram); })},
      {"10,000 steps of each program", Without([] { return RunManySteps(10'000); })},
      {"1,000 cancelled steps of each program",
       Without([] { return CancelManySteps(1'000, 0.5); })},
  };
  return suites;
}

int RunSuite(const std::string& name, const std::string& folder) {
  const auto suite = std::ranges::find(Suites(), name, &Suite::name);
  if (suite == Suites().end()) return kUsageError;
  if (optimized::CountGpus() < suite->gpus) {
    std::printf("SKIPPED: one GPU\t%s\n", suite->name);
    return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  const SuiteCounts counts = suite->run(folder);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%s\t%s\t%d passed, %d failed\t%.1f s\n", counts.failed == 0 ? "PASS" : "FAIL",
              suite->name, counts.passed, counts.failed, took.count());
  return counts.failed == 0 ? 0 : 1;
}

int TimeProgram(const std::string& name) {
  const auto programs = GpuPrograms(1);
  if (!programs.ok()) return kUsageError;
  const auto program = std::ranges::find(*programs, name, &GpuProgram::name);
  if (program == programs->end()) return kUsageError;
  for (const std::string& line : TimesOf(*program)) std::printf("TIME\t%s\n", line.c_str());
  return 0;
}

int RunAll(const std::string& folder) {
  constexpr std::chrono::seconds kOfProgram(60), kOfSuite(240);
  if (optimized::CountGpus() == 0) {
    std::printf("SKIPPED: no device\t%zu suites:", Suites().size());
    for (const Suite& suite : Suites()) std::printf(" %s;", suite.name);
    std::printf("\n");
    return 0;
  }
  std::vector<SuiteChild> children;
  const auto programs = GpuPrograms(0);
  if (!programs.ok()) return kUsageError;
  for (const GpuProgram& program : *programs) {
    children.push_back({program.name, {kThisProgram, "time", program.name}, kOfProgram});
  }
  for (const Suite& suite : Suites()) {
    children.push_back({suite.name, {kThisProgram, "suite", suite.name, folder}, kOfSuite});
  }
  return RunSuites(children) ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::conformance

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "fuzz") return tagflow::fuzz::FuzzCommand(argc - 1, argv + 1);
  if (command == "serve") return tagflow::conformance::ServeCommand(argc - 1, argv + 1);
  if (command == "suites" && argc == 3) return tagflow::conformance::RunAll(argv[2]);
  if (command == "suite" && argc == 4) return tagflow::conformance::RunSuite(argv[2], argv[3]);
  if (command == "time" && argc == 3) return tagflow::conformance::TimeProgram(argv[2]);
  if (command == "fault" && argc == 3) {
    return tagflow::conformance::PlantFault(argv[2], tagflow::conformance::WriteBadly);
  }
  std::fprintf(stderr,
               "usage: gpu_suite suites FOLDER | suite NAME FOLDER | time NAME | fault NAME | "
               "fuzz … | serve …\n");
  return 2;
}
