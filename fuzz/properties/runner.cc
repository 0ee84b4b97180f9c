#include "fuzz/properties/runner.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <utility>

#include "fuzz/partition/placed_session.h"
#include "fuzz/properties/own_kernels.h"
#include "optimized/rendezvous/local_rendezvous.h"

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

constexpr uint64_t kMemoryLimits = 8;
constexpr uint64_t kFifths = 5;
// With kPlenty of it, a step of a program runs as with no limit; with kJustEnough the first step
// does; with less it may have to fail.
constexpr int64_t kPlenty = int64_t{1} << 26;
constexpr int64_t kJustEnough = -1;
constexpr double kLittle = 1e-6;  // of kPlenty

int64_t MemoryLimitOf(uint64_t seed) {
  constexpr int64_t kLimits[kMemoryLimits] = {0, 0, kJustEnough, kPlenty, kPlenty, 4096, 1024, 256};
  return kLimits[seed / 8 % kMemoryLimits];
}

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

class EngineSession : public RunnerSession {
 public:
  // meets_outside: Sends and Recvs of the graph itself meet in a rendezvous that is not the step's
  EngineSession(std::unique_ptr<optimized::Session> session, uint64_t seed,
                int64_t more_firings = 1, bool meets_outside = false)
      : session_(std::move(session)),
        seed_(seed),
        more_firings_(more_firings),
        meets_outside_(meets_outside) {}
  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override {
    return RunAndReport(feeds, fetches, targets, asked, nullptr);
  }
  Result<std::vector<Tensor>> RunAndReport(const reference::NamedTensors& feeds,
                                           const std::vector<std::string>& fetches,
                                           const std::vector<std::string>& targets,
                                           const reference::RunOptions& asked,
                                           optimized::DeviceReport* report) {
    optimized::RunOptions options;
    options.max_firings = asked.max_firings * more_firings_;
    options.deadline_s = asked.deadline_s;
    options.cancelled = asked.cancelled;
    options.seed = asked.seed != 0 ? asked.seed : seed_;
    options.device_report = report;
    optimized::LocalRendezvous rendezvous;  // of this step alone
    if (meets_outside_) options.rendezvous = &rendezvous;
    return session_->Run(feeds, fetches, targets, options);
  }
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<optimized::Session> session_;
  const uint64_t seed_;
  const int64_t more_firings_;
  const bool meets_outside_;
};

// On devices that have as much memory as the first run takes where there is no limit.
class JustEnoughSession : public RunnerSession {
 public:
  using Make = std::function<Result<std::unique_ptr<EngineSession>>(const optimized::SimOptions&)>;
  JustEnoughSession(Graph graph, const optimized::SimOptions& sim, Make make)
      : graph_(std::move(graph)), sim_(sim), make_(std::move(make)) {}

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override {
    if (session_ == nullptr) {
      TAGFLOW_ASSIGN_OR_RETURN(const auto without_limit, make_(sim_));
      optimized::DeviceReport report;
      (void)without_limit->RunAndReport(feeds, fetches, targets, asked, &report);
      optimized::SimOptions enough = sim_;
      enough.memory_bytes = 1;
      for (const optimized::DeviceStats& device : report.devices) {
        enough.memory_bytes = std::max(enough.memory_bytes, device.memory.bytes_resident_max);
      }
      TAGFLOW_ASSIGN_OR_RETURN(session_, make_(enough));
    }
    return session_->Run(feeds, fetches, targets, asked);
  }
  const Graph& graph() const override { return graph_; }

 private:
  const Graph graph_;
  const optimized::SimOptions sim_;
  const Make make_;
  std::unique_ptr<EngineSession> session_;
};

class Engine : public Runner {
 public:
  Engine(const optimized::SessionOptions& options, uint64_t seed)
      : options_(options), seed_(seed) {}
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options_));
    return std::unique_ptr<RunnerSession>(new EngineSession(std::move(session), seed_));
  }
  Result<std::unique_ptr<RunnerSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    const bool has_accelerators = seed / 2 % 2 == 1;
    auto name = [&](const std::string& device) {
      const size_t index = static_cast<size_t>(std::ranges::find(placement.devices, device) -
                                               placement.devices.begin());
      const bool is_accelerator =
          has_accelerators && index % 2 == 1 && index < placement.devices.size();
      return is_accelerator ? "/device:SIM:" + std::to_string(index) : device;
    };
    const bool is_by_cost = IsPlacedByCost(seed);
    std::mt19937_64 random(seed);
    for (const NodeId id : graph.NodeIds()) {
      std::string& device = graph.mutable_node(id).device;
      device = is_by_cost && random() % 2 == 0 ? "" : name(placement.device_of[Index(id)]);
    }
    optimized::SessionOptions options = options_;
    if (IsPlacedAsItIs(seed)) options.simplify_if_worthwhile = false;
    if (is_by_cost) {
      options.spread.placement = optimized::PlacementChoice::kByCost;
      options.spread.soft = true;
    }
    for (const std::string& device : placement.devices) options.devices.push_back(name(device));
    options.sim.transfer_ns = 300;
    options.sim.jitter = 2;
    options.sim.seed = seed;
    const int64_t limit = MemoryLimitOf(seed);
    options.sim.memory_bytes = limit == kJustEnough ? 0 : limit;
    // Histories go out though there is room.
    if (options.sim.memory_bytes == kPlenty) options.sim.swap_above = kLittle;
    if (seed / 4 % 2 == 1) options.spread.recvs = RecvStart::kAtOnce;
    if (options.executor == optimized::ExecutorChoice::kStraight) {
      options.executor = optimized::ExecutorChoice::kAuto;  // which Sends and Recvs are not for
    }
    const auto open =
        [=](Graph whole,
            const optimized::SessionOptions& with) -> Result<std::unique_ptr<EngineSession>> {
      TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(whole), with));
      return std::make_unique<EngineSession>(std::move(session), seed % 2 == 0 ? 0 : seed,
                                             kMoreFirings, seed / 8 / kMemoryLimits % kFifths < 2);
    };
    if (limit != kJustEnough) {
      TAGFLOW_ASSIGN_OR_RETURN(auto session, open(std::move(graph), options));
      return std::unique_ptr<RunnerSession>(std::move(session));
    }
    const auto whole = std::make_shared<Graph>(graph.Clone());
    return std::unique_ptr<RunnerSession>(
        new JustEnoughSession(std::move(graph), options.sim, [=](const optimized::SimOptions& sim) {
          optimized::SessionOptions with = options;
          with.sim = sim;
          return open(whole->Clone(), with);
        }));
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

bool MayLackMemory(uint64_t seed, size_t run) {
  const int64_t limit = MemoryLimitOf(seed);
  return limit == kJustEnough ? run > 0 : limit > 0 && limit < kPlenty;
}

bool IsPlacedByCost(uint64_t seed) { return seed / 8 / kMemoryLimits / kFifths % 4 == 0; }
bool IsPlacedAsItIs(uint64_t seed) { return seed / 8 / kMemoryLimits / kFifths / 4 % 2 == 0; }

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
