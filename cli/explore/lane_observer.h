#ifndef TAGFLOW_CLI_EXPLORE_LANE_OBSERVER_H_
#define TAGFLOW_CLI_EXPLORE_LANE_OBSERVER_H_

// When each kernel of a step ran, in a lane for each thread of the engine, or for what each thread
// did on each device, for the page of `tagflow explore`. Of a device that runs kernels by itself it
// is when the thread asked for them.
//
// Thread safety: as any observer; Take while no step runs.  Tested by lane_observer_test.cc.

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cli/explore/explore_json.h"
#include "optimized/observer.h"
#include "optimized/observer_lanes.h"

namespace tagflow::cli {

class LaneObserver : public optimized::Observer {
 public:
  // most: kernels of a lane that are kept, the first ones
  explicit LaneObserver(size_t most, bool by_device = false) : most_(most), by_device_(by_device) {}

  void StepBegins() override { start_ = Clock::now(); }
  void KernelBegins(const Node& node, optimized::KernelContext& context) override;
  void KernelEnds(const Node& node, optimized::KernelContext& context,
                  const Status& status) override;
  void StepEnds(const Status&) override {}

  std::vector<EngineLane> Take() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Lane {
    explicit Lane(int lane_number) : number(lane_number) {}
    const int number;
    std::vector<Clock::time_point> running;  // the last is of a body that the one before runs
    std::map<std::string, std::vector<LaneEvent>> events;  // by device; "": of all
  };

  const size_t most_;
  const bool by_device_;
  Clock::time_point start_;
  optimized::ObserverLanes<Lane> lanes_;
};

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_EXPLORE_LANE_OBSERVER_H_
