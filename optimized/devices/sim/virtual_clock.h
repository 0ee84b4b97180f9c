#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_VIRTUAL_CLOCK_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_VIRTUAL_CLOCK_H_

// The clock of a step whose devices are simulated. It stands still while the host has anything to
// do, so what the host does takes no time, and jumps from one event to the next when it has not: a
// discrete-event simulation. Times do not depend on the machine, nor on the number of threads but
// for the order in which these come to the devices.
//
// Thread safety: none; its owner guards it.

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace tagflow::optimized {

class VirtualClock {
 public:
  int64_t now_ns() const { return now_ns_; }
  // Events of one time happen in the order in which they were asked for.
  // REQUIRES: time_ns >= now_ns()
  void At(int64_t time_ns, std::function<void()> event) {
    events_.push({time_ns, next_++, std::move(event)});
  }
  // Goes to the next event, and lets it happen. False when there is none.
  bool Advance() {
    if (events_.empty()) return false;
    const Event next = events_.top();
    events_.pop();
    now_ns_ = next.time_ns;
    next.happen();
    return true;
  }

 private:
  struct Event {
    int64_t time_ns;
    int64_t order;
    std::function<void()> happen;
    // The last in a priority queue is the first to happen.
    friend bool operator<(const Event& a, const Event& b) {
      return std::pair(a.time_ns, a.order) > std::pair(b.time_ns, b.order);
    }
  };
  int64_t now_ns_ = 0;
  int64_t next_ = 0;
  std::priority_queue<Event> events_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_VIRTUAL_CLOCK_H_
