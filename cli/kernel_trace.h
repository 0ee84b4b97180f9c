#ifndef TAGFLOW_CLI_KERNEL_TRACE_H_
#define TAGFLOW_CLI_KERNEL_TRACE_H_

// When each kernel of the engine's steps ran, and on which thread, as a file that Perfetto
// (ui.perfetto.dev) and chrome://tracing open: the trace-event format, in JSON.
//
//   a lane per thread, in the order in which they first ran a kernel
//   an event per kernel: named after its node, in the category of its op, with op and tag as
//   arguments, and the code of its error if it failed; an event around them per step
//
// What is kept in memory is a block per thread, however long the steps are.
//
// Thread safety: as any observer; Finish while no step runs.  Tested by kernel_trace_test.cc.

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"
#include "optimized/observer.h"
#include "optimized/observer_lanes.h"

namespace tagflow::cli {

class KernelTrace : public optimized::Observer {
 public:
  using Write = std::function<Status(std::string_view bytes)>;

  // write: given the file's bytes in order, by one thread at a time
  explicit KernelTrace(Write write);

  void StepBegins() override;
  void KernelBegins(const Node& node, optimized::KernelContext& context) override;
  void KernelEnds(const Node& node, optimized::KernelContext& context,
                  const Status& status) override;
  void StepEnds(const Status& status) override;

  // Writes what is left, and the file's end. Errors: the first of `write`.
  Status Finish();

 private:
  using Clock = std::chrono::steady_clock;

  struct Begun {
    Clock::time_point begin;
    std::string tag;
  };
  struct Lane {
    explicit Lane(int lane_number) : number(lane_number) {}
    const int number;
    Clock::time_point step_begin;
    std::vector<Begun> running;  // kernels; the last is of a body that the one before runs
    std::string text;            // not written yet
  };

  Lane& Mine();
  // Appends an event that ends now, and writes the lane's text when that is long enough.
  void Add(Lane& lane, const std::string& name_category_args, Clock::time_point begin,
           Clock::time_point end);
  double MicrosecondsAt(Clock::time_point time) const;
  void Put(std::string_view bytes);

  const Write write_;
  const Clock::time_point start_ = Clock::now();
  optimized::ObserverLanes<Lane> lanes_;
  std::mutex mutex_;
  Status status_;  // of writing; guarded by mutex_
};

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_KERNEL_TRACE_H_
