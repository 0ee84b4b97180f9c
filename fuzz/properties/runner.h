#ifndef TAGFLOW_FUZZ_PROPERTIES_RUNNER_H_
#define TAGFLOW_FUZZ_PROPERTIES_RUNNER_H_

// What runs the graphs of a property: the reference, by rules that may be a mutant's, or the
// engine, in this process. A property that asks no more of a session than this holds any of them to
// its claim.
//
// Tested by engine_properties_test.cc and broken_engine_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/properties/own_kernels.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/session.h"
#include "reference/rules.h"
#include "reference/session.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

class RunnerSession {
 public:
  virtual ~RunnerSession() = default;
  // Of the options the engine heeds max_firings, deadline_s, seed and cancelled.
  virtual Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets,
                                          const reference::RunOptions& options) = 0;
  virtual const Graph& graph() const = 0;
};

class Runner {
 public:
  virtual ~Runner() = default;
  virtual Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const = 0;
  // The same over several devices. seed: of the order of firings, for steps that name none, and of
  // the way in which an engine goes about it (on_devices.h).
  virtual Result<std::unique_ptr<RunnerSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                            uint64_t seed) const = 0;
  // A run in a session that is given kernels of the caller's: those of the standard registry, which
  // count, and of which an engine's may complete by themselves.
  //   Errors: those of the run; UNIMPLEMENTED where there is no such session
  virtual Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const reference::NamedTensors& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets) const;
  // Whether steps are the reference's: in the order they are told, counted, and recorded.
  virtual bool is_reference() const = 0;
  // Whether it runs another graph than the one it is given, of fewer firings or more.
  virtual bool simplifies() const { return false; }
};

// rules: outlive the runner
std::unique_ptr<Runner> ReferenceRunner(const reference::Rules& rules);
const Runner& StandardRunner();
// seed: of the schedule, for steps that name none; 0: the real one
std::unique_ptr<Runner> EngineRunner(const optimized::SessionOptions& options, uint64_t seed = 0);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_RUNNER_H_
