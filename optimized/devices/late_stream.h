#ifndef TAGFLOW_OPTIMIZED_DEVICES_LATE_STREAM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_LATE_STREAM_H_

// For tests: a stream that does nothing until somebody waits for it, so that what is not ordered by
// an event comes too late.
//
// Thread safety: none.

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

class LateStream;

class LateEvent : public DeviceEvent {
 public:
  explicit LateEvent(LateStream& stream) : stream_(stream) {}
  Status Await() override;
  bool HasCome() override { return has_come; }

  bool has_come = false;

 private:
  LateStream& stream_;
};

class LateStream : public DeviceStream {
 public:
  explicit LateStream(DeviceMemory& memory) : memory_(memory) {}
  DeviceMemory& memory() override { return memory_; }
  void CopyIn(Tensor, Tensor) override {}
  void CopyOut(Tensor, Tensor) override {}
  void SwapIn(const void* home, const Tensor& there) override {
    char* const to = memory_.HostAddress(there);
    work_.push_back([=, bytes = there.byte_size()] { std::memcpy(to, home, bytes); });
  }
  void SwapOut(const Tensor& there, void* home) override {
    const char* const from = memory_.HostAddress(there);
    work_.push_back([=, bytes = there.byte_size()] { std::memcpy(home, from, bytes); });
  }
  void CopyAcross(Tensor from, const DeviceMemory& of, Tensor there) override {
    char* const to = memory_.HostAddress(there);
    Add([=, &of] { std::memcpy(to, of.HostAddress(from), from.byte_size()); });
  }
  void Then(std::function<void(Status error)> what) override {
    work_.push_back([what = std::move(what)] { what(Status()); });
  }
  std::shared_ptr<DeviceEvent> Record() override {
    auto event = std::make_shared<LateEvent>(*this);
    work_.push_back([event] { event->has_come = true; });
    return event;
  }
  void Wait(std::shared_ptr<DeviceEvent> event) override {
    work_.push_back([event = std::move(event)] { (void)event->Await(); });
  }
  // Enqueues the work of a kernel, or a call of the host.
  void Add(std::function<void()> work) { work_.push_back(std::move(work)); }
  void DoNext() {
    const auto next = std::move(work_.front());
    work_.pop_front();
    next();
  }
  void DoAll() {
    while (!work_.empty()) DoNext();
  }

 private:
  DeviceMemory& memory_;
  std::deque<std::function<void()>> work_;
};

inline Status LateEvent::Await() {
  while (!has_come) stream_.DoNext();
  return Status();
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_LATE_STREAM_H_
