#ifndef TAGFLOW_OPTIMIZED_EXECUTABLE_H_
#define TAGFLOW_OPTIMIZED_EXECUTABLE_H_

// A call of a graph made ready to run, by whichever executor suits it. Two make one:
//   straight  (optimized/straight/) for graphs whose deadness is known by plan: code over slots,
//             without tokens, on one thread
//   tokens    (optimized/tokens/) for every graph: frames, iterations and pending counts, on any
//             number of threads, under any schedule
//
// Thread safety: immutable; any number of steps may run at once, each with a StepControl of its
// own.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "graph/validate.h"
#include "optimized/kernel.h"
#include "optimized/native_options.h"

namespace tagflow::optimized {

class Canceller;
class Devices;
class IdleThreads;
class Rendezvous;

// What ends a step early, and where its effects go.
struct StepControl {
  using Clock = std::chrono::steady_clock;

  StepServices services;
  int64_t max_firings = 0;                    // of kernels; 0: no limit
  std::optional<Clock::time_point> deadline;  // nothing: none
  std::function<bool()> cancelled;            // null: never; may be asked from any thread
  Canceller* canceller = nullptr;             // null: nobody; it outlives the step
  uint64_t seed = 0;                          // of the schedule, where the executor has one
  Rendezvous* rendezvous = nullptr;           // of Sends and Recvs; null: they meet in the step
  // A step with max_firings counts the firings of its calls' bodies, all together, against this,
  // apart from its own.
  std::atomic<int64_t>* firings_left_to_calls = nullptr;
  // Such a step writes here how many kernels it has fired when it ends; null: nobody asks.
  int64_t* firings = nullptr;
};

class Executable {
 public:
  virtual ~Executable() = default;
  // Runs one step.
  //   feeds: a live value per feed of the call, in its order; of the right dtype and shape
  //   returns: one tensor per fetch, in order
  //   Errors: of kernels, with node and tag; of the step ([step.*], [fetch.1], [error.*])
  virtual Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds,
                                          const StepControl& control) const = 0;
  // How it has run so far, where that shows in steps alone; lines for people.
  virtual std::vector<std::string> Notes() const { return {}; }
};

using FrameNames = std::unordered_map<std::string, std::string>;

// What an executable is made of. The graph and the registry outlive it.
struct ExecutableSpec {
  const Graph& graph;
  const CallSpec& call;
  const ValidatedCall& valid;  // of this call
  const KernelRegistry& kernels;
  int threads = 1;
  // What frames are called in tags, where that is not their name in the graph; null: their names.
  const FrameNames* frame_names = nullptr;
  const Devices* devices = nullptr;  // that nodes name; null: all is on the host's CPU
  // Whether a step may be run as one that was recorded: nobody watches its kernels.
  bool may_replay = false;
  NativeOptions native = {NativeChoice::kOff};
  IdleThreads* idle_threads = nullptr;  // that may make machine code; null: steps make it
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_EXECUTABLE_H_
