#include "fuzz/engines/optimized_engine.h"

#include <algorithm>
#include <utility>

#include "fuzz/engines/on_devices.h"
#include "fuzz/engines/own_kernels.h"
#include "optimized/rendezvous/local_rendezvous.h"

namespace tagflow::fuzz {
namespace {

using Names = std::vector<std::string>;

class InThisProcess : public Engine {
 public:
  InThisProcess(const optimized::SessionOptions& options, uint64_t seed)
      : options_(options), seed_(seed) {}

  Capabilities capabilities() const override {
    const bool has_passes =
        std::ranges::any_of(AllPasses(), [&](Pass pass) { return options_.passes.Has(pass); });
    return {.is_in_process = true,
            .simplifies = has_passes,
            .limits_firings = true,
            .has_our_codes = true,
            .runs_our_passes = true,
            // An engine that changes the graph blames other nodes.
            .explains_dead_fetches = !has_passes || options_.simplify_if_worthwhile};
  }
  Result<std::unique_ptr<EngineSession>> Open(Graph graph, const Names& devices) const override {
    optimized::SessionOptions options = options_;
    if (!devices.empty()) options.devices = devices;
    TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options));
    OptimizedSession::Options run;
    run.schedule = seed_;
    run.meets_outside = seed_ % 2 == 1;
    run.holds_back = seed_ / 2 % 2 == 1;
    return std::unique_ptr<EngineSession>(new OptimizedSession(std::move(session), run));
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return OpenOnDevices(std::move(graph), placement, seed, options_);
  }
  Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const reference::NamedTensors& feeds,
                                         const Names& fetches,
                                         const Names& targets) const override {
    CallCounts counts;
    const CountingEngineKernels kernels(counts);
    optimized::SessionOptions options = options_;
    options.kernels = &kernels.registry();
    TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                             optimized::Session::Create(std::move(graph), options));
    return RunAndCount(*session, counts, feeds, fetches, targets);
  }

 private:
  const optimized::SessionOptions options_;
  const uint64_t seed_;
};

}  // namespace

std::unique_ptr<Engine> OptimizedEngine(const optimized::SessionOptions& options, uint64_t seed) {
  return std::make_unique<InThisProcess>(options, seed);
}

Result<std::vector<Tensor>> OptimizedSession::Run(const reference::NamedTensors& feeds,
                                                  const Names& fetches, const Names& targets,
                                                  const reference::RunOptions& asked) {
  return RunAndReport(feeds, fetches, targets, asked, nullptr);
}

Result<std::vector<Tensor>> OptimizedSession::RunAndReport(const reference::NamedTensors& feeds,
                                                           const Names& fetches,
                                                           const Names& targets,
                                                           const reference::RunOptions& asked,
                                                           optimized::DeviceReport* report) {
  optimized::RunOptions options;
  options.max_firings = asked.max_firings * options_.more_firings;
  options.deadline_s = asked.deadline_s;
  options.cancelled = asked.cancelled;
  options.seed = asked.seed != 0 ? asked.seed : options_.schedule;
  options.device_report = report;
  optimized::RendezvousFaults faults;
  faults.holds_back = options_.holds_back;
  faults.seed = options_.schedule;
  optimized::LocalRendezvous rendezvous(faults);  // of this step alone
  if (options_.meets_outside) options.rendezvous = &rendezvous;
  return session_->Run(feeds, fetches, targets, options);
}

}  // namespace tagflow::fuzz
