#include "conformance/runner.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "conformance/case_file.h"
#include "conformance/judge.h"

namespace tagflow::conformance {
namespace {

class Runner {
 public:
  Runner(const std::vector<std::string>& files, const EngineFactory& factory,
         const RunnerOptions& options)
      : files_(files), factory_(factory), options_(options), results_(files.size()) {}

  Result<std::vector<CaseResult>> Go() {
    const size_t wanted = static_cast<size_t>(std::max(options_.jobs, 1));
    std::vector<std::thread> workers;
    for (size_t i = 0; i < std::min(wanted, files_.size()); ++i) {
      workers.emplace_back([this] { Work(); });
    }
    for (std::thread& worker : workers) worker.join();
    if (!failure_.ok()) return failure_;
    return std::move(results_);
  }

 private:
  void Work() {
    Result<std::unique_ptr<Engine>> engine = factory_();
    if (!engine.ok()) return GiveUp(engine.status());
    for (size_t i; !stop_.load(std::memory_order_relaxed) &&
                   (i = next_.fetch_add(1, std::memory_order_relaxed)) < files_.size();) {
      results_[i] = RunFile(files_[i], **engine);
      if (options_.on_result) options_.on_result(results_[i]);
    }
  }

  void GiveUp(const Status& status) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok()) failure_ = status;
    stop_.store(true, std::memory_order_relaxed);
  }

  CaseResult RunFile(const std::string& path, Engine& engine) const {
    const Clock::time_point begin = Clock::now();
    CaseResult result;
    Result<Case> test = ReadCase(path);
    if (test.ok()) {
      result = RunCase(*test, engine, options_.timeout_s);
      result.name = test->name();
      result.about = test->about();
    } else {
      result.verdict = Verdict::kFail;
      result.why = "the case cannot be read: " + test.status().message();
    }
    result.path = path;
    if (result.name.empty()) result.name = path;
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    options_.expected_failures.Apply(result);
    return result;
  }

  const std::vector<std::string>& files_;
  const EngineFactory& factory_;
  const RunnerOptions& options_;
  std::vector<CaseResult> results_;  // each element is written by the one worker that drew it
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};  // relaxed: only saves work
  std::mutex mutex_;               // guards failure_
  Status failure_;
};

}  // namespace

Result<std::vector<CaseResult>> RunCases(const std::vector<std::string>& files,
                                         const EngineFactory& factory,
                                         const RunnerOptions& options) {
  return Runner(files, factory, options).Go();
}

}  // namespace tagflow::conformance
