#include "cli/run_session.h"

#include <algorithm>
#include <set>
#include <thread>

#include "conformance/engines.h"
#include "optimized/session.h"
#include "reference/session.h"
#include "reference/tape/function_gradient.h"

namespace tagflow::cli {
namespace {

class ReferenceSession : public RunSession {
 public:
  explicit ReferenceSession(std::unique_ptr<reference::Session> session)
      : session_(std::move(session)) {}

  Status Check(const Feeds& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets) override {
    return session_->Check(feeds, fetches, targets);
  }
  Result<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const StepOptions& step) override {
    reference::RunOptions options;
    options.max_firings = step.max_firings;
    options.deadline_s = step.deadline_s;
    options.seed = step.seed;
    options.cancelled = step.cancelled;
    options.progress = step.progress;
    std::set<std::string, std::less<>> dead(targets.begin(), targets.end());
    const bool watches = step.dead_targets != nullptr && !dead.empty();
    if (step.trace || watches) {
      options.trace = [&](const reference::TraceEvent& event) {
        if (watches && !event.dead) dead.erase(event.node->name);
        if (step.trace) step.trace(event);
      };
    }
    Result<std::vector<Tensor>> values = session_->Run(feeds, fetches, targets, options);
    if (watches && values.ok()) step.dead_targets->assign(dead.begin(), dead.end());
    return values;
  }
  Result<std::function<Status()>> Prepare(const Feeds& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets) override {
    return std::function<Status()>([this, feeds, fetches, targets] {
      return session_->Run(feeds, fetches, targets, reference::RunOptions()).status();
    });
  }
  const Graph& graph() const override { return session_->graph(); }
  int64_t threads() const override { return 1; }

 private:
  const std::unique_ptr<reference::Session> session_;
};

class OptimizedSession : public RunSession {
 public:
  // seed: of steps that ask for none
  OptimizedSession(std::unique_ptr<optimized::Session> session, int64_t threads, uint64_t seed)
      : threads_(threads), seed_(seed), session_(std::move(session)) {}

  Status Check(const Feeds& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets) override {
    const auto [names, values] = Unzipped(feeds);
    TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* callable,
                             session_->MakeCallable(names, fetches, targets));
    return callable->CheckFeeds(values);
  }
  Result<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const StepOptions& step) override {
    optimized::RunOptions options;
    options.max_firings = step.max_firings;
    options.deadline_s = step.deadline_s;
    options.seed = step.seed != 0 ? step.seed : seed_;
    options.cancelled = step.cancelled;
    options.device_report = &device_report_;
    options.dead_targets = step.dead_targets;
    return session_->Run(feeds, fetches, targets, options);
  }
  optimized::DeviceReport device_report() const override { return device_report_; }
  Result<std::function<Status()>> Prepare(const Feeds& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets) override {
    auto [names, values] = Unzipped(feeds);
    TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* callable,
                             session_->MakeCallable(names, fetches, targets));
    optimized::RunOptions options;
    options.seed = seed_;
    return std::function<Status()>([callable, values = std::move(values), options] {
      return callable->Run(values, options).status();
    });
  }
  std::vector<std::string> Notes(const Feeds& feeds, const std::vector<std::string>& fetches,
                                 const std::vector<std::string>& targets) override {
    const auto callable = session_->MakeCallable(Unzipped(feeds).first, fetches, targets);
    return callable.ok() ? (*callable)->Notes() : std::vector<std::string>();
  }
  const Graph& graph() const override { return session_->graph(); }
  int64_t threads() const override { return threads_; }

 private:
  static std::pair<std::vector<std::string>, std::vector<Tensor>> Unzipped(const Feeds& feeds) {
    std::pair<std::vector<std::string>, std::vector<Tensor>> unzipped;
    for (const auto& [name, value] : feeds) {
      unzipped.first.push_back(name);
      unzipped.second.push_back(value);
    }
    return unzipped;
  }

  const int64_t threads_;
  const uint64_t seed_;
  const std::unique_ptr<optimized::Session> session_;
  optimized::DeviceReport device_report_;
};

// The options of a session of that engine. Threads share a step only where that makes it quicker,
// which is not how engines are tested.
Result<optimized::SessionOptions> OptionsOf(const EngineOptions& engine,
                                            const conformance::OptimizedOptions& named) {
  optimized::SessionOptions options = conformance::SessionOptionsOf(named);
  if (options.executor == optimized::ExecutorChoice::kSharedTokens) {
    options.executor = optimized::ExecutorChoice::kTokens;
  }
  options.observer = engine.observer;
  options.devices = engine.devices;
  options.device_kinds = engine.device_kinds;
  options.spread = engine.spread;
  options.watches_targets = engine.watches_targets;
  if (options.threads == 0) {
    options.threads =
        static_cast<int>(std::min<int64_t>(engine.threads, int64_t{optimized::kMaxThreads} + 1));
  }
  if (options.threads == 0) {
    options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  if (!engine.passes.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(options.passes, Passes::Parse(engine.passes));
    options.simplify_if_worthwhile = false;
  }
  return options;
}

Status NoSuchEngine(const std::string& engine) {
  std::string message = "there is no engine '" + engine + "'; there is:";
  for (const std::string& name : conformance::BuiltInEngines()) message += " " + name;
  return InvalidArgument(message +
                         "; the optimized ones also as NAME:THREADS and NAME:THREADS:SEED");
}

}  // namespace

Result<std::unique_ptr<RunSession>> OpenSession(const EngineOptions& engine, Graph graph,
                                                const OpLibrary& library) {
  if (engine.engine == "reference") {
    reference::SessionOptions options;
    options.kernels = library.reference_kernels;
    options.differentiate = reference::GradientOfFunction;
    options.soft_placement = engine.spread.soft;
    TAGFLOW_ASSIGN_OR_RETURN(auto session, reference::Session::Create(std::move(graph), options));
    return std::unique_ptr<RunSession>(new ReferenceSession(std::move(session)));
  }
  const auto named = conformance::OptimizedOptionsOf(engine.engine);
  if (!named) return NoSuchEngine(engine.engine);
  TAGFLOW_ASSIGN_OR_RETURN(optimized::SessionOptions options, OptionsOf(engine, *named));
  options.kernels = library.kernels;
  const int64_t threads = options.threads;
  TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options));
  return std::unique_ptr<RunSession>(
      new OptimizedSession(std::move(session), threads, named->seed));
}

}  // namespace tagflow::cli
