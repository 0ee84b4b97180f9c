#ifndef TAGFLOW_OPTIMIZED_SESSION_H_
#define TAGFLOW_OPTIMIZED_SESSION_H_

// A graph and its variables, run step by step: the engine's front door.
//
//   auto session = Session::Create(std::move(graph));
//   auto values = (*session)->Run({{"x", Tensor::Scalar<float>(1)}}, {"y"});
//
// For a step that is run again and again, make a callable once: it knows its plan and takes feeds
// by position.
//
// Memory: where an allocation fails, on whichever thread, the call that it was for fails with
// RESOURCE_EXHAUSTED, and the session can be used afterwards.
//
// Thread safety: everything may be called from several threads at once; the steps share the
// session's variables and nothing else.
// Tested by session_test.cc.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/bodies.h"
#include "optimized/canceller.h"
#include "optimized/devices/devices.h"
#include "optimized/devices/kinds.h"
#include "optimized/executable.h"
#include "optimized/executor_choice.h"
#include "optimized/kernel.h"
#include "optimized/limits.h"
#include "optimized/native_options.h"
#include "optimized/observer.h"
#include "optimized/rendezvous/rendezvous.h"
#include "optimized/resources.h"
#include "optimized/spread.h"
#include "optimized/tokens/worker_pool.h"
#include "transform/simplify/simplify.h"

namespace tagflow::optimized {

struct SessionOptions {
  // The devices there are; a node that asks for another is an error. With several, a call's graph
  // is cut over them by what its nodes ask for (transform/placement), and tensors cross between the
  // parts. A CPU device is a place for nodes: all of them share the session's threads. Empty:
  // /device:CPU:0. What a node asks for that is not there: spread.soft.
  std::vector<std::string> devices;
  // Whatever a node asks for is there, and all of it is one CPU; `devices` is empty then. For those
  // who compare one device with several, not for users.
  bool any_device = false;
  // What kinds of devices there are, each with its options; a device of another kind is as one of
  // kind CPU.
  DeviceKinds device_kinds = StandardDeviceKinds();
  // How a call is placed on several devices. Softly, the session does without devices that are not
  // there, as a GPU without its driver (Callable::about, DeviceReport::missing).
  SpreadOptions spread = {};
  int threads = 1;  // that may run kernels of a step, up to kMaxThreads; 0: one per core
  ExecutorChoice executor = ExecutorChoice::kAuto;
  NativeOptions native = {};  // which loops become machine code; the results are the same
  // What makes a call's graph smaller before it is planned, and whether a call is left alone where
  // that takes more time than it seems to save. Results are the same, bit for bit. None by default:
  // a caller who runs a graph once pays for the search, and graphs as people write them have little
  // to find.
  Passes passes = Passes::None();
  bool simplify_if_worthwhile = true;
  // Whether If, While, Case, For and calls become primitives. Where not, and in a function that
  // calls itself, they are kernels that run bodies as steps, with the same results: for those who
  // compare the two. Over several devices all are primitives.
  bool lowers_functions = true;
  const KernelRegistry* kernels = &KernelRegistry::Standard();
  // Told of every step and kernel; null: nobody. It outlives the session.
  Observer* observer = nullptr;
  // Whether steps can tell which targets were dead (RunOptions::dead_targets). Costs a clone of the
  // graph for each call that has targets.
  bool watches_targets = false;
};

struct RunOptions {
  int64_t max_firings = 0;          // of kernels; 0: no limit
  double deadline_s = 0;            // from the start of the step; 0: none
  std::function<bool()> cancelled;  // null: never. Asked every millisecond, from another thread
  Canceller* canceller = nullptr;   // who ends it from another thread; it outlives the step
  uint64_t seed = 0;                // of the schedule; 0: the real one
  // Where Sends and Recvs meet, those between the session's devices too; null: in the step. One
  // that no other step uses, and that outlives this one.
  Rendezvous* rendezvous = nullptr;
  // Told what devices apart from the host's did in the step, when it ends; null: nobody asks.
  DeviceReport* device_report = nullptr;
  // Of a session that watches targets: given the names of those that had no live firing, when the
  // step ends well; null: nobody asks.
  std::vector<std::string>* dead_targets = nullptr;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// A call made ready to run.
class Callable {
 public:
  // feeds: by position, as the names were given
  //   Errors: as Session::Run
  Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds, const RunOptions& options = {}) const;
  // INVALID_ARGUMENT naming the feed that does not fit.
  Status CheckFeeds(const std::vector<Tensor>& feeds) const;
  // Which executor runs it, and why not the straight one: for people.
  const std::string& about() const { return about_; }
  // How it has run so far, such as which loops a device ran by itself: lines for people.
  std::vector<std::string> Notes() const;

 private:
  friend class Session;

  const Graph* graph_ = nullptr;
  SessionState* state_ = nullptr;
  Bodies* bodies_ = nullptr;
  Crew* crew_ = nullptr;  // null: one thread
  Result<std::vector<Tensor>> RunStep(std::vector<Tensor> feeds, const RunOptions& options) const;
  Result<std::vector<Tensor>> RunOverDevices(std::vector<Tensor> feeds, StepControl& control,
                                             DeviceReport* report) const;
  Result<std::vector<Tensor>> RunObserved(std::vector<Tensor> feeds, StepControl& control,
                                          DeviceReport* report) const;

  Observer* observer_ = nullptr;      // null: nobody
  const Devices* devices_ = nullptr;  // null: all of it is on the host
  const std::vector<Devices::Missing>* missing_ = nullptr;
  std::vector<std::string> feed_names_;
  std::vector<OutputRef> feeds_;
  std::vector<std::string> targets_;
  // What the executable runs, in place of the graph:
  std::optional<CallGraph> watched_;
  std::optional<CallGraph> simplified_;
  std::optional<SpreadCall> spread_;  // over several devices
  bool is_in_order_ = false;          // `spread_->placed`, by straight code; else `joined`
  std::unique_ptr<Executable> executable_;
  std::string about_;
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> Create(Graph graph, const SessionOptions& options = {});

  // Runs one step.
  //   feeds: tensor name and value; dtype and shape must fit what the graph says of that output
  //   fetches: tensor names; targets: node names
  //   returns: one tensor per fetch, in order
  //   Errors: of the call (NOT_FOUND, INVALID_ARGUMENT), the graph (graph/validate.h), a kernel, or
  //   the step ([step.*], [fetch.1]). The session stays usable after any of them.
  Result<std::vector<Tensor>> Run(const NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {},
                                  const RunOptions& options = {});

  // The same call made ready; it lives as long as the session.
  Result<const Callable*> MakeCallable(const std::vector<std::string>& feeds,
                                       const std::vector<std::string>& fetches,
                                       const std::vector<std::string>& targets = {});

  const Graph& graph() const { return graph_; }

 private:
  Session(Graph graph, const SessionOptions& options, std::unique_ptr<Devices> devices);
  static Result<std::unique_ptr<Session>> Open(Graph graph, const SessionOptions& options);
  Result<const Callable*> FindOrPrepare(const std::vector<std::string>& feeds,
                                        const std::vector<std::string>& fetches,
                                        const std::vector<std::string>& targets);
  Result<std::unique_ptr<Callable>> Prepare(const std::vector<std::string>& feeds,
                                            const std::vector<std::string>& fetches,
                                            const std::vector<std::string>& targets);
  Status MakeWatched(const CallSpec& call, const ValidatedCall& valid, Callable& callable);
  Status MakeExecutable(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                        Callable& callable);
  Status Place(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
               Callable& callable);
  Status PlaceOverDevices(const CallSpec& call, const ValidatedCall& valid, Callable& callable);
  Status Choose(const ExecutableSpec& spec, Callable& callable);
  // Those that the call is bound to.
  const KernelRegistry& KernelsOf(const Callable& callable) const;

  const Graph graph_;
  const SessionOptions options_;
  const std::unique_ptr<KernelRegistry> observed_kernels_;  // null: nobody looks
  const std::unique_ptr<KernelRegistry> witness_kernels_;   // null: nobody asks for dead targets
  const std::unique_ptr<Devices> devices_;                  // before what is in their memory
  SessionState state_;
  const std::shared_ptr<tokens::WorkerPool> pool_;  // null: one thread
  Bodies bodies_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Callable>> callables_;  // guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_SESSION_H_
