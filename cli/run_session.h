#ifndef TAGFLOW_CLI_RUN_SESSION_H_
#define TAGFLOW_CLI_RUN_SESSION_H_

// A session of either engine, as `tagflow run` wants it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/op_library.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/observer.h"
#include "optimized/session.h"
#include "reference/history.h"

namespace tagflow::cli {

struct StepOptions {
  int64_t max_firings = 0;  // 0: no limit
  double deadline_s = 0;    // 0: none
  uint64_t seed = 0;        // of the order; 0: the engine's own
  std::function<bool()> cancelled;
  std::function<void(int64_t firings)> progress;  // the reference tells
  // Told of every firing, of which TraceLine makes a line; the reference tells.
  reference::TraceSink trace;
  // Given the targets of which no firing was live, of a step that ends well; null: nobody asks.
  std::vector<std::string>* dead_targets = nullptr;
};

class RunSession {
 public:
  using Feeds = std::vector<std::pair<std::string, Tensor>>;
  virtual ~RunSession() = default;
  // Whether the call can be made at all.
  virtual Status Check(const Feeds& feeds, const std::vector<std::string>& fetches,
                       const std::vector<std::string>& targets) = 0;
  virtual Result<std::vector<Tensor>> Run(const Feeds& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets,
                                          const StepOptions& options) = 0;
  // The step made ready, to be run again and again; what it gives is thrown away. The session
  // outlives it.
  virtual Result<std::function<Status()>> Prepare(const Feeds& feeds,
                                                  const std::vector<std::string>& fetches,
                                                  const std::vector<std::string>& targets) = 0;
  // What there is to tell of how the call is run, and what of it has become machine code.
  virtual std::vector<std::string> Notes(const Feeds&, const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) {
    (void)fetches, (void)targets;
    return {};
  }
  // What devices apart from the host's did in the last step that Run made.
  virtual optimized::DeviceReport device_report() const { return {}; }
  virtual const Graph& graph() const = 0;
  virtual int64_t threads() const = 0;
};

struct EngineOptions {
  // "reference", or an optimized one by a name that conformance::OptimizedOptionsOf knows, as
  // "optimized" or "optimized-tokens:2". What follows is of these.
  std::string engine = "reference";
  int64_t threads = 0;  // where the name does not say it; 0: one per core
  std::string passes;   // as Passes::Parse has them; empty: those of a session by itself
  optimized::Observer* observer = nullptr;  // null for none; outlives the session
  std::vector<std::string> devices = {};    // empty: /device:CPU:0
  optimized::DeviceKinds device_kinds = optimized::StandardDeviceKinds();
  optimized::SpreadOptions spread = {};
  bool watches_targets = false;  // whether StepOptions::dead_targets may be asked for
};

//   Errors: INVALID_ARGUMENT for another engine, or a pass that there is not
Result<std::unique_ptr<RunSession>> OpenSession(const EngineOptions& engine, Graph graph,
                                                const OpLibrary& library);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_RUN_SESSION_H_
