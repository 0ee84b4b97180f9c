#include "fuzz/properties/engine_session.h"

#include "optimized/rendezvous/local_rendezvous.h"

namespace tagflow::fuzz {

Result<std::vector<Tensor>> EngineSession::Run(const reference::NamedTensors& feeds,
                                               const std::vector<std::string>& fetches,
                                               const std::vector<std::string>& targets,
                                               const reference::RunOptions& asked) {
  return RunAndReport(feeds, fetches, targets, asked, nullptr);
}

Result<std::vector<Tensor>> EngineSession::RunAndReport(const reference::NamedTensors& feeds,
                                                        const std::vector<std::string>& fetches,
                                                        const std::vector<std::string>& targets,
                                                        const reference::RunOptions& asked,
                                                        optimized::DeviceReport* report) {
  optimized::RunOptions options;
  options.max_firings = asked.max_firings * options_.more_firings;
  options.deadline_s = asked.deadline_s;
  options.cancelled = asked.cancelled;
  options.seed = asked.seed != 0 ? asked.seed : options_.schedule;
  options.device_report = report;
  optimized::LocalRendezvous rendezvous;  // of this step alone
  if (options_.meets_outside) options.rendezvous = &rendezvous;
  return session_->Run(feeds, fetches, targets, options);
}

}  // namespace tagflow::fuzz
