#ifndef TAGFLOW_FUZZ_ENGINES_OPTIMIZED_ENGINE_H_
#define TAGFLOW_FUZZ_ENGINES_OPTIMIZED_ENGINE_H_

// The optimized engine, in this process, as an engine under test.
//
// Tested by on_devices_test.cc and engine_properties_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/engines/engine.h"
#include "optimized/devices/devices.h"
#include "optimized/session.h"

namespace tagflow::fuzz {

// seed: of the schedule, for steps that name none; 0: the real one. With an odd one, Sends and
// Recvs of the graph meet in a rendezvous of the caller's, which for half of these seeds holds
// messages back.
std::unique_ptr<Engine> OptimizedEngine(const optimized::SessionOptions& options,
                                        uint64_t seed = 0);

// A session of it, for those who make sessions of other options.
class OptimizedSession : public EngineSession {
 public:
  struct Options {
    uint64_t schedule = 0;       // of steps that name none; 0: the real one
    int64_t more_firings = 1;    // times as many as a run allows
    bool meets_outside = false;  // Sends and Recvs of the graph do, in a rendezvous of the caller
    bool holds_back = false;     // which lets messages wait
  };
  OptimizedSession(std::unique_ptr<optimized::Session> session, const Options& options)
      : session_(std::move(session)), options_(options) {}

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override;
  // report: of the devices; null: nobody asks
  Result<std::vector<Tensor>> RunAndReport(const reference::NamedTensors& feeds,
                                           const std::vector<std::string>& fetches,
                                           const std::vector<std::string>& targets,
                                           const reference::RunOptions& asked,
                                           optimized::DeviceReport* report);
  const Graph& graph() const override { return session_->graph(); }

 private:
  const std::unique_ptr<optimized::Session> session_;
  const Options options_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_OPTIMIZED_ENGINE_H_
