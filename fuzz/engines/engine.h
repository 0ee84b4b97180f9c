#ifndef TAGFLOW_FUZZ_ENGINES_ENGINE_H_
#define TAGFLOW_FUZZ_ENGINES_ENGINE_H_

// An engine under test: the reference, a mutant of it, the optimized engine in this process, or a
// program that speaks the engine protocol. Properties open sessions of it and run steps, and ask
// what else it can do (Capabilities).
//
// Tested by engine_names_test.cc, engine_properties_test.cc and broken_engine_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/engines/own_kernels.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/session.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

// By default what any engine can.
struct Capabilities {
  bool is_reference = false;   // steps are the reference's: in the order asked for, counted, traced
  bool is_in_process = false;  // has sessions side by side, on several devices, of any RunOptions
  bool simplifies = false;     // runs another graph than the one it is given
  bool limits_firings = false;         // ends a step of a graph that has fired so often
  bool has_our_codes = false;          // its errors have the codes that they have on the reference
  bool runs_our_passes = false;        // transform/simplify's graphs may be run on it
  bool explains_dead_fetches = false;  // naming the nodes that the reference names
};

class EngineSession {
 public:
  virtual ~EngineSession() = default;
  // The optimized engine heeds the options max_firings, deadline_s, seed and cancelled; an engine
  // that is not in this process heeds none.
  //   Errors: the step's. Of an engine that is not in this process: UNIMPLEMENTED where it says
  //   that it lacks something, ABORTED where it died, DEADLINE_EXCEEDED where it did not answer in
  //   time (it starts anew with the next session), and else INTERNAL, "CODE: message".
  virtual Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets,
                                          const reference::RunOptions& options) = 0;
  virtual const Graph& graph() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Capabilities capabilities() const = 0;
  // devices: those there are; empty: the engine's own. A session of an engine that is not in this
  // process ends when the next is opened.
  virtual Result<std::unique_ptr<EngineSession>> Open(
      Graph graph, const std::vector<std::string>& devices) const = 0;
  Result<std::unique_ptr<EngineSession>> Open(Graph graph) const {
    return Open(std::move(graph), {});
  }
  // Over several devices. seed: of the order of firings, for steps that name none, and of the way
  // in which the engine goes about it (on_devices.h).
  //   Errors: UNIMPLEMENTED where it is not in this process
  virtual Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                            uint64_t seed) const;
  // A run in a session that is given kernels of the caller's: those of the standard registry, which
  // count, and of which the optimized engine's may complete by themselves.
  //   Errors: those of the run; UNIMPLEMENTED where there is no such session
  virtual Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const reference::NamedTensors& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets) const;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_ENGINE_H_
