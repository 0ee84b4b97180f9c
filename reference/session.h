#ifndef TAGFLOW_REFERENCE_SESSION_H_
#define TAGFLOW_REFERENCE_SESSION_H_

// A graph and its variables, run step by step: the reference's front door.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "reference/bodies.h"
#include "reference/history.h"
#include "reference/interpreter.h"
#include "reference/kernel.h"
#include "reference/rules.h"
#include "reference/step.h"

namespace tagflow::reference {

struct SessionOptions {
  // Logical devices offered; empty: /device:CPU:0. The reference runs every node in one place, but
  // a node that asks for a device not offered is an error, unless softly.        Spec: [graph.4]
  std::vector<std::string> devices;
  bool soft_placement = false;
  // Whatever a node asks for is there; `devices` is empty then. For those who compare one device
  // with several, not for users.
  bool any_device = false;
  const KernelRegistry* kernels = &KernelRegistry::Standard();
  const Rules* rules = &StandardRules();
  // For SymbolicGradient; reference/tape has one. Null: UNIMPLEMENTED.
  FunctionGradient differentiate = nullptr;
};

struct RunOptions {
  int64_t max_firings = 0;  // 0: no limit
  double deadline_s = 0;    // 0: none
  uint64_t seed = 0;        // 0: first come, first served; else a random order of ready nodes
  std::function<bool()> cancelled;                // may be null
  std::function<void(int64_t firings)> progress;  // may be null
  TraceSink trace;                                // may be null
  History* history = nullptr;                     // may be null
  Order order;                                    // may be null; wins over seed
  bool collect_errors = false;                    // see InterpreterOptions
  int64_t* firings = nullptr;                     // those of the step are added; may be null
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Not thread-safe: one step at a time.
class Session {
 public:
  static Result<std::unique_ptr<Session>> Create(Graph graph, const SessionOptions& options = {});

  // Runs one step.
  //   feeds: tensor name and value; dtype and shape must fit what the graph says of that output
  //   fetches: tensor names; targets: node names
  //   returns: one tensor per fetch, in order
  //   Errors: of the call (NOT_FOUND, INVALID_ARGUMENT), the graph (graph/validate.h), a kernel, or
  //   the step
  //   ([step.*], [fetch.1]). The session stays usable after any of them.
  Result<std::vector<Tensor>> Run(const NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {},
                                  const RunOptions& options = {});

  // As Run, under other rules than the session's: for mutants and the exploration of races.
  Result<std::vector<Tensor>> RunUnder(const Rules& rules, const NamedTensors& feeds,
                                       const std::vector<std::string>& fetches,
                                       const std::vector<std::string>& targets,
                                       const RunOptions& options);
  // Whether the call can be made at all: its names, the graph it needs, its feeds.
  Status Check(const NamedTensors& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets);

  const Graph& graph() const { return graph_; }
  Resources& resources() { return resources_; }
  // The node behind Ready::node, in the last call.
  const Node* NodeOf(int node) const { return last_->nodes[static_cast<size_t>(node)].node; }
  // What the last step's collect_errors gathered: every error some legal order would have reported.
  const std::vector<Status>& collected_errors() const { return collected_errors_; }
  // Forgets all variables.
  void Reset() { resources_ = Resources(); }

 private:
  Session(Graph graph, const SessionOptions& options)
      : graph_(std::move(graph)), options_(options) {
    if (options_.devices.empty()) options_.devices = {"/device:CPU:0"};
  }
  Result<std::vector<Tensor>> RunStepUnder(const Rules& rules, const NamedTensors& feeds,
                                           const std::vector<std::string>& fetches,
                                           const std::vector<std::string>& targets,
                                           const RunOptions& options);
  Result<const Program*> Prepare(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                                 const std::vector<std::string>& targets);

  Graph graph_;
  SessionOptions options_;
  Resources resources_;
  Bodies bodies_{*options_.kernels};
  std::map<std::string, std::unique_ptr<Program>> programs_;  // by the names of the call
  const Program* last_ = nullptr;
  std::vector<Status> collected_errors_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_SESSION_H_
