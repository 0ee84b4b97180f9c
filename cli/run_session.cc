#include "cli/run_session.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <thread>

#include "optimized/session.h"
#include "reference/session.h"

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
    if (step.trace) {
      options.trace = [&](const reference::TraceEvent& event) {
        step.trace(reference::TraceLine(event));
      };
    }
    return session_->Run(feeds, fetches, targets, options);
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
  OptimizedSession(std::unique_ptr<optimized::Session> session, int64_t threads)
      : threads_(threads), session_(std::move(session)) {}

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
    options.seed = step.seed;
    options.cancelled = step.cancelled;
    return session_->Run(feeds, fetches, targets, options);
  }
  Result<std::function<Status()>> Prepare(const Feeds& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets) override {
    auto [names, values] = Unzipped(feeds);
    TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* callable,
                             session_->MakeCallable(names, fetches, targets));
    return std::function<Status()>(
        [callable, values = std::move(values)] { return callable->Run(values).status(); });
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
  const std::unique_ptr<optimized::Session> session_;
};

using optimized::ExecutorChoice;

std::optional<ExecutorChoice> ExecutorOf(std::string_view engine) {
  engine = engine.substr(0, engine.find(':'));
  if (engine == "optimized") return ExecutorChoice::kAuto;
  if (engine == "optimized-straight") return ExecutorChoice::kStraight;
  if (engine == "optimized-tokens") return ExecutorChoice::kTokens;
  return std::nullopt;
}

// The number after the colon, or without one `otherwise`; nothing when it is no number.
std::optional<int64_t> ThreadsOf(std::string_view engine, int64_t otherwise) {
  if (engine.find(':') == engine.npos) return otherwise;
  const std::string_view digits = engine.substr(engine.find(':') + 1);
  int64_t threads = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), threads);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && threads >= 0 ? std::optional(threads) : std::nullopt;
}

Status NoSuchEngine(const std::string& engine) {
  return InvalidArgument("there is no engine '" + engine +
                         "': reference, optimized, optimized-straight or optimized-tokens; the "
                         "optimized ones also as NAME:THREADS");
}

}  // namespace

Result<std::unique_ptr<RunSession>> OpenSession(const EngineOptions& engine, Graph graph,
                                                const OpLibrary& library) {
  if (engine.engine == "reference") {
    reference::SessionOptions options;
    options.kernels = library.reference_kernels;
    TAGFLOW_ASSIGN_OR_RETURN(auto session, reference::Session::Create(std::move(graph), options));
    return std::unique_ptr<RunSession>(new ReferenceSession(std::move(session)));
  }
  if (!IsOptimizedEngine(engine.engine)) return NoSuchEngine(engine.engine);
  const int64_t wanted = *ThreadsOf(engine.engine, engine.threads);
  optimized::SessionOptions options;
  options.kernels = library.kernels;
  options.executor = *ExecutorOf(engine.engine);
  options.observer = engine.observer;
  options.threads = static_cast<int>(std::min<int64_t>(wanted, optimized::kMaxThreads + 1));
  if (options.threads == 0) {
    options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  if (!engine.passes.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(options.passes, Passes::Parse(engine.passes));
    options.simplify_if_worthwhile = false;
  }
  TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options));
  return std::unique_ptr<RunSession>(new OptimizedSession(std::move(session), options.threads));
}

bool IsOptimizedEngine(const std::string& engine) {
  return ExecutorOf(engine).has_value() && ThreadsOf(engine, 0).has_value();
}

}  // namespace tagflow::cli
