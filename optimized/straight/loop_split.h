#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_SPLIT_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_SPLIT_H_

// Which part of a loop is the host's (host_part.h), found while an iteration of it is recorded for
// a device (recorder.h). Each slot is followed:
//
//   recorded   it is the device's, or the same in each iteration
//   given      the host has it, and the loop leaves it as it is; where a kernel of the device is
//              told of it, the program is for that value alone (baked)
//   varies     the host computes it anew in each iteration, or may
//   late       so it does, but it hangs on a branch whose predicate the device makes: the host
//              knows it after the iteration, and the device cannot take it
//
// A call that reads what varies, and nothing on the device, is the host's part. What varies and the
// device reads, it takes by a column; what is the device's and goes onto a list, it puts there.
//
// Thread safety: none. Tested by device_histories_test.cc.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/devices/device_program.h"
#include "optimized/straight/code.h"
#include "optimized/straight/host_part.h"

namespace tagflow::optimized {

// Slots of which one recording of a loop shows what the next must know from its beginning.
struct Learned {
  size_t size() const { return on_device.size() + late.size() + joined.size(); }

  std::set<uint32_t> on_device;  // the host has the slot at first, and the device computes it
  std::set<uint32_t> late;       // the host computes it in a branch of the device's
  std::set<uint32_t> joined;     // one way of a branch leaves it to the device
};

class LoopSplit {
 public:
  enum class Kind : uint8_t { kRecorded, kGiven, kVaries, kLate };

  // values: of the slots, as the recording has them. All slots are recorded ones so far.
  // learned: more is added; where there is more at the end, the recording is of no use
  LoopSplit(const Code& code, std::vector<Tensor>& values, DeviceProgram& program, Learned& learned)
      : code_(code),
        values_(values),
        program_(program),
        learned_(learned),
        kinds_(values.size(), Kind::kRecorded),
        given_as_(values.size()) {}

  // At the loop's test: the host has the slot, and the loop leaves or changes it.
  void Give(uint32_t slot);
  void Carry(uint32_t slot);

  // ---- Of each instruction, before it is recorded ----

  // Whether the call is the host's part.
  //   own: the device's kernel; null: it is the host's
  //   Errors: FAILED_PRECONDITION where it cannot be done before or after the iterations
  Result<bool> TakesOver(const Instruction& call, const DeviceKernel* own);
  // Lets a kernel of the device read what varies, until TakeBack.
  //   Errors: FAILED_PRECONDITION where it would have to be read on the host
  Status Lend(const Instruction& call, const DeviceKernel* own);
  Status Lend(const FusedCalls& calls);
  void TakeBack();
  // A predicate or an index.   Errors: FAILED_PRECONDITION where it varies
  Status Decide(uint32_t slot);
  //   Errors: FAILED_PRECONDITION where what varies is moved in a loop of the device's
  Status Move(const Instruction& move);
  void Drop(const Instruction& drop);
  // ---- And afterwards ----
  void Wrote(const Instruction& call, bool is_of_host);

  // A loop in the loop.
  bool is_outermost() const { return loops_ == 0 && branches_.empty(); }
  Status EnterLoop();
  void LeaveLoop();

  // A branch, of two ways. What the device does there, it may not do each time.
  //   asked: its predicate, or its index
  //   returns: the same, on the device
  Result<Tensor> EnterBranch(uint32_t asked, DeviceProgram::Way way);
  Status EnterElse();
  Status LeaveBranch();
  // Whether the host knows before each iteration which way of the innermost branch is taken. Then
  // one of them need not be recorded: the device's run ends before an iteration that takes it.
  bool IsKnownAhead() const { return !branches_.back().step.by_column && !IsLate(); }
  // Gives up what is recorded of this way of the branch, which was opened at that depth.
  size_t depth() const { return branches_.size(); }
  void StopBeforeThisWay(size_t depth, const std::string& why);
  // At the end of the second way: the slot is the host's behind the branch. As the first left it:
  //   Errors: FAILED_PRECONDITION where a way leaves there what the device makes
  Status JoinOnHost(uint32_t slot, Kind first_kind, const Tensor& first_value);
  // At the end of a way: has the device take what is the host's, where the other way leaves that to
  // the device, or it is in its memory already.
  Status LeaveToDevice(uint32_t slot, bool is_other_on_device);

  Kind kind(uint32_t slot) const { return kinds_[slot]; }
  bool IsOfHost(uint32_t slot) const { return IsOfHost(kinds_[slot]); }
  static bool IsOfHost(Kind kind) { return kind == Kind::kVaries || kind == Kind::kLate; }
  const std::vector<Kind>& kinds() const { return kinds_; }
  void set_kinds(std::vector<Kind> kinds) { kinds_ = std::move(kinds); }
  void set_kind(uint32_t slot, Kind kind) { kinds_[slot] = kind; }

  // The slot's value on the device.   REQUIRES: it varies
  Result<Tensor> OnDevice(uint32_t slot);
  // At the end of the iteration.   Errors: FAILED_PRECONDITION
  Status End();
  // Given slots that the recording is for the values of.
  const std::vector<uint32_t>& baked() const { return baked_; }
  // The host's part. The predicate is the host's where `counted` is set.
  HostPart& part() { return part_; }

 private:
  struct Branch {
    Tensor on_device;  // what is asked
    HostStep step;
    std::vector<HostStep> around;  // the steps written before it
    int loops;                     // that it is in
  };

  static bool IsList(const Tensor& value) { return value.dtype() == DType::kVariant; }
  bool IsList(uint32_t slot) const { return IsList(values_[slot]); }
  // Whether the instruction at hand is in a branch whose predicate the device makes.
  bool IsLate() const { return FirstLate() != branches_.end(); }
  std::vector<Branch>::const_iterator FirstLate() const;
  Kind KindOfHost(bool is_late) const { return is_late || IsLate() ? Kind::kLate : Kind::kVaries; }
  void Write(HostStep step, bool is_late = false);
  // What is done before the iteration.
  void WriteAhead(HostStep step);
  // Has the host set the slot to what the recording has.
  static Result<HostStep> Setting(uint32_t slot, const Tensor& value);
  Result<size_t> NewColumn(const Tensor& row, bool is_put);
  Status LendSlot(uint32_t slot);
  // A kernel of the device reads the slot on the host.
  Status Expect(uint32_t slot, const Instruction& call);
  void Bake(uint32_t slot);
  // Records what is to be put so far, before somebody may take it.
  Status PutNow();
  // The host's part has the slot's value where it is read next.
  Status Bring(uint32_t slot, bool is_carried);
  void SetTo(uint32_t slot, Kind kind) {
    kinds_[slot] = kind;
    on_device_.erase(slot);
  }

  const Code& code_;
  std::vector<Tensor>& values_;
  DeviceProgram& program_;
  Learned& learned_;
  std::vector<Kind> kinds_;                        // by slot, as the next
  std::vector<uint32_t> given_as_;                 // the slot that a given one was moved from
  std::map<uint32_t, Tensor> on_device_;           // what varies, where the device has it
  std::vector<std::pair<uint32_t, Tensor>> lent_;  // slots and what they held
  std::vector<DeviceProgram::Row> puts_;
  std::vector<uint32_t> baked_;
  int loops_ = 0;                  // of the device's, in the loop
  std::vector<Branch> branches_;   // that are open
  std::vector<HostStep> writing_;  // of the way of the innermost; of none, part_.steps
  bool call_is_late_ = false;      // of the call that the host has taken over
  HostPart part_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_SPLIT_H_
