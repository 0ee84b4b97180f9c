#include "fuzz/engines/reference_engine.h"

#include <random>
#include <utility>

#include "fuzz/mutants/mutant_session.h"
#include "fuzz/partition/placed_session.h"

namespace tagflow::fuzz {
namespace {

using reference::NamedTensors;
using reference::RunOptions;
using Names = std::vector<std::string>;
using Values = Result<std::vector<Tensor>>;

class ReferenceSession : public EngineSession {
 public:
  ReferenceSession(std::unique_ptr<reference::Session> session, uint64_t seed)
      : session_(std::move(session)), seed_(seed) {}

  Values Run(const NamedTensors& feeds, const Names& fetches, const Names& targets,
             const RunOptions& asked) override {
    RunOptions options = asked;
    if (options.seed == 0) options.seed = seed_;
    return session_->Run(feeds, fetches, targets, options);
  }
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<reference::Session> session_;
  const uint64_t seed_;
};

class SessionOfMutant : public EngineSession {
 public:
  SessionOfMutant(Graph graph, const Mutant& mutant, const Names& devices, uint64_t seed)
      : graph_(graph.Clone()), session_(std::move(graph), mutant, devices), seed_(seed) {}

  Values Run(const NamedTensors& feeds, const Names& fetches, const Names& targets,
             const RunOptions& asked) override {
    RunOptions options = asked;
    if (options.seed == 0) options.seed = seed_;
    return session_.Run({feeds, fetches, targets}, options);
  }
  const Graph& graph() const override { return graph_; }

 private:
  const Graph graph_;  // which the mutant may rewrite for each step
  MutantSession session_;
  const uint64_t seed_;
};

// Control loops, Sends and Recvs fire too, on each device.
constexpr int64_t kMoreFirings = 10;

// A reference interpreter for each device.
class PlacedReferenceSession : public EngineSession {
 public:
  PlacedReferenceSession(Graph graph, const Placement& placement, const reference::Rules& rules,
                         uint64_t seed)
      : session_(std::move(graph), placement, {}, rules), seed_(seed), random_(seed) {}

  Values Run(const NamedTensors& feeds, const Names& fetches, const Names& targets,
             const RunOptions& asked) override {
    RunOptions options = asked;
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

class ByRules : public Engine {
 public:
  // mutant: null: the reference by these rules
  ByRules(const reference::Rules& rules, const Mutant* mutant, uint64_t seed)
      : rules_(rules), mutant_(mutant), seed_(seed) {}

  Capabilities capabilities() const override {
    return {.is_reference = true, .is_in_process = true, .limits_firings = true};
  }
  Result<std::unique_ptr<EngineSession>> Open(Graph graph, const Names& devices) const override {
    if (mutant_ != nullptr) {
      return std::unique_ptr<EngineSession>(
          new SessionOfMutant(std::move(graph), *mutant_, devices, seed_));
    }
    reference::SessionOptions options;
    options.rules = &rules_;
    options.devices = devices;
    TAGFLOW_ASSIGN_OR_RETURN(auto session, reference::Session::Create(std::move(graph), options));
    return std::unique_ptr<EngineSession>(new ReferenceSession(std::move(session), seed_));
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return std::unique_ptr<EngineSession>(
        new PlacedReferenceSession(std::move(graph), placement, rules_, seed));
  }
  Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const NamedTensors& feeds,
                                         const Names& fetches,
                                         const Names& targets) const override {
    CallCounts counts;
    const reference::KernelRegistry kernels = CountingKernels(counts);
    reference::SessionOptions options;
    options.rules = &rules_;
    options.kernels = &kernels;
    TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                             reference::Session::Create(std::move(graph), options));
    return RunAndCount(*session, counts, feeds, fetches, targets);
  }

 private:
  const reference::Rules& rules_;
  const Mutant* const mutant_;
  const uint64_t seed_;
};

}  // namespace

std::unique_ptr<Engine> ReferenceEngine(const reference::Rules& rules, uint64_t seed) {
  return std::make_unique<ByRules>(rules, nullptr, seed);
}

const Engine& StandardReference() {
  static const Engine& engine = *new ByRules(reference::StandardRules(), nullptr, 0);
  return engine;
}

std::unique_ptr<Engine> MutantEngine(const Mutant& mutant, uint64_t seed) {
  return std::make_unique<ByRules>(mutant.rules, &mutant, seed);
}

}  // namespace tagflow::fuzz
