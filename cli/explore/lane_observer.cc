#include "cli/explore/lane_observer.h"

#include <utility>

#include "optimized/kernel.h"

namespace tagflow::cli {

void LaneObserver::KernelBegins(const Node&, optimized::KernelContext&) {
  lanes_.Mine().running.push_back(Clock::now());
}

void LaneObserver::KernelEnds(const Node& node, optimized::KernelContext& context, const Status&) {
  const Clock::time_point end = Clock::now();
  Lane& lane = lanes_.Mine();
  const Clock::time_point begin = lane.running.back();
  lane.running.pop_back();
  std::vector<LaneEvent>& events = lane.events[by_device_ ? node.device : ""];
  if (events.size() >= most_) return;
  const auto us = [](auto time) { return std::chrono::duration<double, std::micro>(time).count(); };
  events.push_back({node.name, context.tag(), us(begin - start_), us(end - begin)});
}

std::vector<EngineLane> LaneObserver::Take() const {
  std::vector<EngineLane> lanes;
  for (const auto& lane : lanes_.All()) {
    for (const auto& [device, events] : lane->events) {
      const std::string on = device.empty() ? "" : device + ", ";
      lanes.push_back({on + "thread " + std::to_string(lane->number), events});
    }
  }
  return lanes;
}

}  // namespace tagflow::cli
