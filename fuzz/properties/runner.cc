#include "fuzz/properties/runner.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "fuzz/partition/placed_session.h"
#include "fuzz/properties/engine_session.h"
#include "fuzz/properties/on_devices.h"
#include "fuzz/properties/own_kernels.h"

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

// Control loops, Sends and Recvs fire too, on each device.
constexpr int64_t kMoreFirings = 10;

// A reference interpreter for each device.
class PlacedReferenceSession : public RunnerSession {
 public:
  PlacedReferenceSession(Graph graph, const Placement& placement, const reference::Rules& rules,
                         uint64_t seed)
      : session_(std::move(graph), placement, {}, rules), seed_(seed), random_(seed) {}

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override {
    reference::RunOptions options = asked;
    options.seed = seed_;
    options.max_firings = asked.max_firings * kMoreFirings;
    reference::Delivery late;  // when nothing else is left to do, in random order
    if (seed_ % 2 == 1) late = [this](const auto& keys) { return random_() % keys.size(); };
    return session_.Run(feeds, fetches, targets, options, late);
  }
  const Graph& graph() const override { return session_.graph(); }

 private:
  PlacedSession session_;
  const uint64_t seed_;
  std::mt19937_64 random_;
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
  Result<std::unique_ptr<RunnerSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return std::unique_ptr<RunnerSession>(
        new PlacedReferenceSession(std::move(graph), placement, rules_, seed));
  }
  Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const reference::NamedTensors& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) const override {
    CallCounts counts;
    const reference::KernelRegistry kernels = CountingKernels(counts);
    reference::SessionOptions options;
    options.rules = &rules_;
    options.kernels = &kernels;
    TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                             reference::Session::Create(std::move(graph), options));
    OwnKernelRun run;
    TAGFLOW_ASSIGN_OR_RETURN(run.values, session->Run(feeds, fetches, targets));
    run.calls = counts.Read();
    return run;
  }
  bool is_reference() const override { return true; }

 private:
  const reference::Rules& rules_;
};

class Engine : public Runner {
 public:
  Engine(const optimized::SessionOptions& options, uint64_t seed)
      : options_(options), seed_(seed) {}
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options_));
    return std::unique_ptr<RunnerSession>(
        new EngineSession(std::move(session), {.schedule = seed_}));
  }
  Result<std::unique_ptr<RunnerSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return OpenOnDevices(std::move(graph), placement, seed, options_);
  }
  Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const reference::NamedTensors& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) const override {
    CallCounts counts;
    const CountingEngineKernels kernels(counts);
    optimized::SessionOptions options = options_;
    options.kernels = &kernels.registry();
    TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                             optimized::Session::Create(std::move(graph), options));
    OwnKernelRun run;
    TAGFLOW_ASSIGN_OR_RETURN(run.values, session->Run(feeds, fetches, targets));
    run.calls = counts.Read();
    return run;
  }
  bool is_reference() const override { return false; }
  bool simplifies() const override {
    return std::ranges::any_of(AllPasses(), [&](Pass pass) { return options_.passes.Has(pass); });
  }

 private:
  const optimized::SessionOptions options_;
  const uint64_t seed_;
};

}  // namespace

Result<OwnKernelRun> Runner::RunWithOwnKernels(Graph, const reference::NamedTensors&,
                                               const std::vector<std::string>&,
                                               const std::vector<std::string>&) const {
  return Unimplemented("these sessions take no kernels");
}

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
