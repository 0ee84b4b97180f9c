#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "conformance/case_file.h"
#include "conformance/check_options.h"
#include "conformance/command/args.h"
#include "conformance/commands.h"
#include "conformance/expected_failures.h"
#include "conformance/progress.h"
#include "conformance/report.h"
#include "conformance/runner.h"

namespace tagflow::conformance {
namespace {

std::vector<std::string> ShardOf(const std::vector<std::string>& files,
                                 const CheckOptions& options) {
  std::vector<std::string> mine;
  for (size_t i = 0; i < files.size(); ++i) {
    if (static_cast<int>(i % static_cast<size_t>(options.shards)) == options.shard) {
      mine.push_back(files[i]);
    }
  }
  return mine;
}

Result<std::vector<CaseResult>> RunFiles(const std::vector<std::string>& files,
                                         const CheckOptions& options) {
  RunnerOptions runner;
  if (!options.expected_failures.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(runner.expected_failures,
                             ExpectedFailures::Read(options.expected_failures));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const EngineFactory factory, FactoryFor(options.engine));
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  runner.jobs = options.jobs > 0 ? options.jobs : processors;
  runner.timeout_s = options.timeout_s;
  Progress progress(stderr, isatty(STDERR_FILENO) != 0, files.size());
  runner.on_result = [&](const CaseResult& result) { progress.Add(result); };
  Result<std::vector<CaseResult>> results = RunCases(files, factory, runner);
  progress.End();
  if (results.ok() && options.shards == 1) {
    for (const std::string& name : runner.expected_failures.NotAmong(*results)) {
      std::fprintf(stderr, "warning: %s lists '%s', which is not among the cases\n",
                   options.expected_failures.c_str(), name.c_str());
    }
  }
  return results;
}

Status WriteReports(const std::vector<CaseResult>& results, const CheckOptions& options) {
  const std::string& engine = options.engine.engine;
  if (!options.tsv.empty()) TAGFLOW_RETURN_IF_ERROR(WriteFile(options.tsv, Tsv(results)));
  if (!options.junit.empty()) {
    TAGFLOW_RETURN_IF_ERROR(WriteFile(options.junit, JunitXml(results, engine)));
  }
  if (!options.html.empty())
    TAGFLOW_RETURN_IF_ERROR(WriteFile(options.html, Html(results, engine)));
  return Status();
}

void PrintResults(const std::vector<CaseResult>& results) {
  for (const CaseResult& result : results) {
    if (result.verdict == Verdict::kPass || !result.expected.empty()) continue;
    std::printf("%-11s %s: %s\n", std::string(VerdictName(result.verdict)).c_str(),
                result.name.c_str(), result.why.c_str());
  }
  std::printf("%s\n", Summary(Count(results)).c_str());
}

int Fail(const Status& status) {
  std::fprintf(stderr, "tagflow check: %s\n", status.message().c_str());
  return kExitUsage;
}

}  // namespace

int CheckCommand(int argc, char** argv, const OpLibrary& library) {
  Result<CheckOptions> options = ParseCheckOptions({argv + 1, argv + argc});
  if (!options.ok()) {
    std::fprintf(stderr, "tagflow check: %s (--help says more)\n",
                 options.status().message().c_str());
    return kExitUsage;
  }
  if (options->help) {
    std::fwrite(kCheckHelp.data(), 1, kCheckHelp.size(), stdout);
    return 0;
  }
  options->engine.library = library;
  const Result<std::vector<std::string>> files = FindCases(options->paths);
  if (!files.ok()) return Fail(files.status());
  if (files->empty()) return Fail(NotFound("there are no cases under the paths given"));
  const Result<std::vector<CaseResult>> results = RunFiles(ShardOf(*files, *options), *options);
  if (!results.ok()) return Fail(results.status());
  PrintResults(*results);
  const Status written = WriteReports(*results, *options);
  if (!written.ok()) return Fail(written);
  return std::any_of(results->begin(), results->end(), IsBad) ? kExitFailed : 0;
}

}  // namespace tagflow::conformance
