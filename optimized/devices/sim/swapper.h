#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_SWAPPER_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_SWAPPER_H_

// Moves what loops keep for later, their histories, between a device's memory and the host's,
// beside the kernels (Yu et al., 5.3). A history is what was pushed onto a list or a stack. What
// was pushed last is taken first, so
//
//   out  goes what was pushed first, once more than a share of the memory is taken: early, so that
//        the copies are done when the room is needed;
//   in   comes what was pushed last of what is out, as soon as something is taken from a history
//        again, and for as long as there is room: so that it is there when its turn comes.
//
// What a kernel needs that is not there is brought, whatever else; and where there is no room for
// what a kernel makes, or for what is to come, what was pushed first goes out.
//
// Invariant: what a kernel uses (a pinned block) never moves.
//
// Thread safety: none; the step of the devices guards it. Tested by sim_session_test.cc and
// //bench:swapping_test.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "optimized/devices/sim/sim_memory.h"
#include "optimized/devices/sim/stream.h"

namespace tagflow::optimized {

class Swapper {
 public:
  // How long a copy of so many bytes takes.
  using CopyTime = std::function<int64_t(size_t bytes)>;

  // All of them outlive it. share: of the memory, above which histories go out; they never do with
  // `swaps` false.
  Swapper(SimMemory& memory, Stream& out, Stream& in, CopyTime copy_time, bool swaps, double share);

  // A block has become part of a history.
  void Pushed(const SimBlockPtr& block);
  // A block was taken from one, or looked at in it.
  void Taken(const SimBlockPtr& block);

  // Pins a block; false when that has to wait until it is back, which it has been told to be.
  bool Bring(const SimBlockPtr& block);
  // Sends histories away for so many bytes; whether some are, or were already, on the way.
  bool MakeRoom(size_t bytes);
  // Sends away what is too much, and fetches what will be taken next.
  void Settle();

  int64_t moved_out() const { return moved_out_; }
  int64_t moved_in() const { return moved_in_; }
  // Of histories that are in the device's memory.
  int64_t bytes_held() const;

 private:
  class OutJob;
  class InJob;
  bool IsOver(int64_t bytes) const;
  bool SendOldest();
  bool FetchNext();
  void Fetch(const SimBlockPtr& block, bool has_room);

  SimMemory& memory_;
  Stream& out_;
  Stream& in_;
  const CopyTime copy_time_;
  const bool swaps_;
  const double share_;
  // What was pushed and may live still, in that order.
  std::map<int64_t, std::weak_ptr<SimBlock>> pushed_;  // by SimBlock::history
  int64_t next_ = 0;
  int64_t oldest_ = 0;               // what was pushed before is gone, or out
  int64_t taken_ = SimBlock::kNone;  // what was taken last, until something is pushed again
  int64_t leaving_ = 0;              // bytes on their way out
  std::map<const SimBlock*, SimBlockPtr> coming_;
  int64_t moved_out_ = 0;
  int64_t moved_in_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_SWAPPER_H_
