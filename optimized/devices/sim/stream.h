#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_STREAM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_STREAM_H_

// What a simulated device does one after another, in virtual time: kernels, or copies one way.
//
// A job waits at the head until it may begin (its inputs are where they must be), takes its time,
// and then waits until it may end (there is memory for what it made). Both are asked again whenever
// anything changed; the jobs behind it wait.
//
// Thread safety: none; its owner guards it.

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "graph/status.h"
#include "optimized/devices/sim/virtual_clock.h"

namespace tagflow::optimized {

class StreamJob {
 public:
  virtual ~StreamJob() = default;
  // Whether it may begin now. What it asks for meanwhile is its own business.
  virtual bool Begin() = 0;
  // Asked once, when it begins.
  virtual int64_t duration_ns() = 0;
  // Whether it has ended, well or not, and is to be forgotten.
  virtual bool End() = 0;
  // Nothing will change any more, and it cannot begin or end: gives it up.
  virtual void GiveUp() = 0;
};

class Stream {
 public:
  explicit Stream(VirtualClock& clock) : clock_(clock) {}
  Stream(const Stream&) = delete;

  void Add(std::unique_ptr<StreamJob> job) { jobs_.push_back(std::move(job)); }
  bool empty() const { return jobs_.empty(); }
  // How long it was at work.
  int64_t busy_ns() const { return busy_ns_; }

  // Lets the head begin or end if it can; whether anything did.
  bool Pump() {
    bool moved = false;
    while (!jobs_.empty() && state_ != State::kRuns) {
      if (state_ == State::kWaits) {
        if (!jobs_.front()->Begin()) break;
        Start();
      } else {
        if (!jobs_.front()->End()) break;
        jobs_.pop_front();
        state_ = State::kWaits;
      }
      moved = true;
    }
    return moved;
  }
  // Gives up a head that waits; whether there was one.
  bool GiveUp() {
    if (jobs_.empty() || state_ == State::kRuns) return false;
    const std::unique_ptr<StreamJob> job = std::move(jobs_.front());
    jobs_.pop_front();
    state_ = State::kWaits;
    job->GiveUp();
    return true;
  }

 private:
  enum class State : uint8_t { kWaits, kRuns, kIsDone };

  void Start() {
    const int64_t duration_ns = jobs_.front()->duration_ns();
    busy_ns_ += duration_ns;
    state_ = State::kRuns;
    clock_.At(clock_.now_ns() + duration_ns, [this] { state_ = State::kIsDone; });
  }

  VirtualClock& clock_;
  std::deque<std::unique_ptr<StreamJob>> jobs_;
  State state_ = State::kWaits;  // of the head
  int64_t busy_ns_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_STREAM_H_
