#include "cli/run_session.h"

#include <algorithm>

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
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<reference::Session> session_;
};

class OptimizedSession : public RunSession {
 public:
  explicit OptimizedSession(std::unique_ptr<optimized::Session> session)
      : session_(std::move(session)) {}

  Status Check(const Feeds& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets) override {
    std::vector<std::string> names;
    std::vector<Tensor> values;
    for (const auto& [name, value] : feeds) {
      names.push_back(name);
      values.push_back(value);
    }
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
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<optimized::Session> session_;
};

}  // namespace

Result<std::unique_ptr<RunSession>> OpenSession(const std::string& engine, int64_t threads,
                                                Graph graph, const OpLibrary& library) {
  if (engine == "reference") {
    reference::SessionOptions options;
    options.kernels = library.reference_kernels;
    TAGFLOW_ASSIGN_OR_RETURN(auto session, reference::Session::Create(std::move(graph), options));
    return std::unique_ptr<RunSession>(new ReferenceSession(std::move(session)));
  }
  if (engine == "optimized") {
    optimized::SessionOptions options;
    options.kernels = library.kernels;
    options.threads = static_cast<int>(std::min<int64_t>(threads, optimized::kMaxThreads + 1));
    TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options));
    return std::unique_ptr<RunSession>(new OptimizedSession(std::move(session)));
  }
  return InvalidArgument("there is no engine '" + engine + "': reference or optimized");
}

}  // namespace tagflow::cli
