#ifndef TAGFLOW_FUZZ_PROPERTIES_ENGINE_SESSION_H_
#define TAGFLOW_FUZZ_PROPERTIES_ENGINE_SESSION_H_

// A session of the engine, in this process, as properties run it.
//
// Tested by on_devices_test.cc and engine_properties_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/properties/runner.h"
#include "optimized/devices/devices.h"
#include "optimized/session.h"

namespace tagflow::fuzz {

class EngineSession : public RunnerSession {
 public:
  struct Options {
    uint64_t schedule = 0;       // of steps that name none: a simulated one's seed; 0: the real one
    int64_t more_firings = 1;    // times as many as a run allows
    bool meets_outside = false;  // Sends and Recvs of the graph do, in a rendezvous of the caller
  };
  EngineSession(std::unique_ptr<optimized::Session> session, const Options& options)
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

#endif  // TAGFLOW_FUZZ_PROPERTIES_ENGINE_SESSION_H_
