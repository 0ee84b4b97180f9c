#ifndef TAGFLOW_OPTIMIZED_OBSERVER_STATS_H_
#define TAGFLOW_OPTIMIZED_OBSERVER_STATS_H_

// Where the time of steps goes: how often the kernel of each node ran, and how long that took.
//
// A kernel's time runs from one look at the clock to the next, so every figure holds the price of a
// look (ClockCostNs), which is that of a scalar op or two.
//
// Thread safety: as any observer; the figures are read while no step runs.
// Tested by observer_stats_test.cc.

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "optimized/observer.h"
#include "optimized/observer_lanes.h"

namespace tagflow::optimized {

struct KernelStats {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;  // with count 0: 0
  int64_t max_ns = 0;

  void Add(int64_t ns);
  void Add(const KernelStats& more);
};

// Times the steps of one session, which may be gone when the figures are read. A kernel that runs
// bodies of functions is charged with the time that the kernels of these do not take.
class StatsObserver : public Observer {
 public:
  struct Row {
    std::string node;  // "": all of the op
    std::string op;
    KernelStats stats;
  };

  void StepBegins() override;
  void KernelBegins(const Node& node, KernelContext& context) override;
  void KernelEnds(const Node& node, KernelContext& context, const Status& status) override;
  void StepEnds(const Status& status) override;

  // What took longest comes first; what took the same, by name.
  std::vector<Row> ByOp() const;
  std::vector<Row> ByNode() const;
  // Whole steps, as their callers saw them, failed ones too.
  KernelStats steps() const;
  KernelStats kernels() const;

  // What a look at the clock costs, in ns: the least of many.
  static int64_t ClockCostNs();

 private:
  using Clock = std::chrono::steady_clock;

  struct NodeStats {
    std::string name, op;
    KernelStats stats;
  };
  struct Begun {
    Clock::time_point begin;
    int64_t inner_ns = 0;  // of the kernels of its bodies
  };
  struct alignas(64) Lane {
    explicit Lane(int) {}
    Clock::time_point step_begin;
    std::vector<Begun> running;  // the innermost is the last
    KernelStats steps;
    // Not by id: two calls of a session may run two graphs, each simplified in its own way.
    std::unordered_map<const Node*, NodeStats> nodes;
    std::vector<NodeStats> gone;  // of bodies that were not kept: another node has the address
  };

  ObserverLanes<Lane> lanes_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_OBSERVER_STATS_H_
