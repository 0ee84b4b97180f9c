#ifndef TAGFLOW_OPTIMIZED_DEVICES_HISTORY_SWAPS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_HISTORY_SWAPS_H_

// Keeps in the host's memory what loops push for later, their histories, where the memory of a
// device with streams runs low (Yu et al., 5.3). Copies go beside the kernels.
//
//     x1, x2, … x9 are pushed in this order, and x9 … x1 taken
//     x1 … x4      stay: less than the share of the memory is taken
//     x5 … x9      go out as they are pushed; the list holds tensors that stand for them
//     x9           is taken: x9, x8, … start to come back, as far as there is room
//     x4 … x1      are where they were
//
// A tensor cannot move while others hold its address, so what is pushed goes out at once, or never:
// the list gets a tensor that stands for it, and whoever else reads it keeps the device's. What was
// pushed first is taken last, and stays.
//
// A tensor that stands for another is on a device for all who look at it (MemoryKind::kDevice), and
// Tensor::OnHost reads it. Kernels cannot: they are given a copy that was brought back. What stays
// takes the share of the memory, so what comes back before it is asked for may take half of the
// rest.
//
// Invariants:
//   1. What a copy reads or writes lives until the copy is done.
//   2. Memory that a copy back has written is given away only when kernels wait for that copy.
//   3. Nothing is allocated in the device's memory, and no tensor that stands for another ends,
//      under the lock: both may come here again.
//
// Thread safety: any thread; one lock, under which MakeRoom waits for the device.
// Tested by history_swaps_test.cc and //conformance/gpu:swapping_test.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

class HistorySwaps {
 public:
  // All of them outlive it, and all tensors that it has made.
  struct Parts {
    DeviceMemory& memory;
    Allocator& home;  // of memory of the host that the device copies from and to by itself
    DeviceStream& kernels;
    DeviceStream& out;
    DeviceStream& in;
  };
  // What a step knows of its own; it outlives the step's tensors on their way (End).
  struct Step {
    int64_t moved_out = 0;
    int64_t moved_in = 0;
    int64_t next = kNone;  // what was pushed before this comes back next; kNone: nothing
    Status error;          // of the copies
  };

  // share: of the limit, above which histories go out
  HistorySwaps(Parts parts, int64_t bytes_limit, double share)
      : parts_(parts),
        bytes_kept_(static_cast<int64_t>(share * static_cast<double>(bytes_limit))),
        bytes_early_(bytes_kept_ + (bytes_limit - bytes_kept_) / 2) {}

  // What a list is to hold for a tensor that is pushed: that, or one that stands for it.
  Tensor Pushed(Step& step, const Tensor& tensor);
  // A tensor was taken from a list, or looked at in it.
  void Taken(Step& step, const Tensor& tensor);
  // Whether the tensor stands for one that is out.
  bool IsOut(const Tensor& tensor) const;
  // A copy of it in the device's memory, for kernels that are enqueued from now on.
  //   Errors: RESOURCE_EXHAUSTED
  // REQUIRES: IsOut(tensor)
  Result<Tensor> BringBack(Step& step, const Tensor& tensor);
  // Copies it to another device, from where it is out, for what that device's kernels do from now
  // on: by a stream of that device, behind what is enqueued there, which may use `there` until
  // then. REQUIRES: IsOut(tensor)
  struct Streams {
    DeviceStream& kernels;
    DeviceStream& copies;
  };
  void CopyTo(Step& step, const Tensor& tensor, const Tensor& there, const Streams& of_there);

  // Lets memory go that an allocation has not found, where somebody has to wait for that; false
  // where there is none. `num_let_go` was asked before the allocation: what others let go since is
  // as good.
  bool MakeRoom(int64_t num_let_go);
  int64_t num_let_go() const;

  // Whether so many bytes may be taken by what is not asked for yet, or stays for long.
  bool HasRoomFor(size_t bytes) const {
    return parts_.memory.stats().bytes_resident + static_cast<int64_t>(bytes) <= bytes_early_;
  }

  // Whether histories that stay may take so many bytes, up to the share of the memory.
  bool MayStay(int64_t bytes) const {
    return parts_.memory.stats().bytes_resident + bytes <= bytes_kept_;
  }

  // Waits for all copies of the step.    Errors: theirs
  Status End(Step& step);

 private:
  static constexpr int64_t kNone = -1;
  struct Home;    // memory of the host that a tensor is out in
  class StandIn;  // the allocator of a tensor that stands for it
  using HomePtr = std::shared_ptr<Home>;
  // A copy that was enqueued, and what lives until then (1).
  struct OnItsWay {
    Step* step;
    HomePtr home;
    Tensor leaves;                              // none where it comes
    std::shared_ptr<DeviceEvent> before, done;  // of the kernels before the copy, and its own
  };

  Result<Tensor> StandInFor(const Tensor& tensor, const HomePtr& home);
  HomePtr Find(const Tensor& tensor) const;
  void Forget(Home& home);
  std::shared_ptr<DeviceEvent> Start(Step& step, const HomePtr& home, const char* from,
                                     const Tensor& there, const Streams& of_there);
  HomePtr NextBack(Step& step);
  bool BringBackEarly(Step& step, const HomePtr& home);
  void LetGo(Home& home);
  void LetDoneGo();
  void LetFirstGo(std::deque<OnItsWay>& copies);

  const Parts parts_;
  const int64_t bytes_kept_;   // above which histories go out
  const int64_t bytes_early_;  // up to which they come back early
  mutable std::mutex mutex_;
  std::map<const char*, HomePtr> homes_;  // of what is out; guarded by mutex_, as the rest
  std::map<int64_t, Home*> pushed_;       // of steps that have not ended, in that order
  int64_t next_number_ = 0;
  std::deque<OnItsWay> leaving_, coming_;
  int64_t bytes_leaving_ = 0;
  int64_t num_let_go_ = 0;  // tensors of the device's memory
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_HISTORY_SWAPS_H_
