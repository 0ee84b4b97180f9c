#include "fuzz/properties/runner.h"

#include <utility>

namespace tagflow::fuzz {
namespace {

class ReferenceSession : public RunnerSession {
 public:
  explicit ReferenceSession(std::unique_ptr<reference::Session> session)
      : session_(std::move(session)) {}
  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& options) override {
    return session_->Run(feeds, fetches, targets, options);
  }
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<reference::Session> session_;
};

class ByRules : public Runner {
 public:
  explicit ByRules(const reference::Rules& rules) : rules_(rules) {}
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    reference::SessionOptions options;
    options.rules = &rules_;
    TAGFLOW_ASSIGN_OR_RETURN(auto session, reference::Session::Create(std::move(graph), options));
    return std::unique_ptr<RunnerSession>(new ReferenceSession(std::move(session)));
  }
  bool is_reference() const override { return true; }

 private:
  const reference::Rules& rules_;
};

class EngineSession : public RunnerSession {
 public:
  EngineSession(std::unique_ptr<optimized::Session> session, uint64_t seed)
      : session_(std::move(session)), seed_(seed) {}
  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override {
    optimized::RunOptions options;
    options.max_firings = asked.max_firings;
    options.deadline_s = asked.deadline_s;
    options.cancelled = asked.cancelled;
    options.seed = asked.seed != 0 ? asked.seed : seed_;
    return session_->Run(feeds, fetches, targets, options);
  }
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<optimized::Session> session_;
  const uint64_t seed_;
};

class Engine : public Runner {
 public:
  Engine(const optimized::SessionOptions& options, uint64_t seed)
      : options_(options), seed_(seed) {}
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options_));
    return std::unique_ptr<RunnerSession>(new EngineSession(std::move(session), seed_));
  }
  bool is_reference() const override { return false; }

 private:
  const optimized::SessionOptions options_;
  const uint64_t seed_;
};

}  // namespace

std::unique_ptr<Runner> ReferenceRunner(const reference::Rules& rules) {
  return std::make_unique<ByRules>(rules);
}

const Runner& StandardRunner() {
  static const ByRules& runner = *new ByRules(reference::StandardRules());
  return runner;
}

std::unique_ptr<Runner> EngineRunner(const optimized::SessionOptions& options, uint64_t seed) {
  return std::make_unique<Engine>(options, seed);
}

}  // namespace tagflow::fuzz
