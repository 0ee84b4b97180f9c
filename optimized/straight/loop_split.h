#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_SPLIT_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_SPLIT_H_

// Which part of a loop is the host's (host_part.h), found while an iteration of it is recorded for
// a device (recorder.h). Each slot is followed:
//
//   recorded   it is the device's, or the same in each iteration
//   given      the host has it, and the loop leaves it as it is; where a kernel of the device is
//              told of it, the program is for that value alone (baked)
//   varies     the host computes it anew in each iteration, or may
//
// A call that reads what varies, and nothing on the device, is the host's part. What varies and the
// device reads, it takes by a column; what is the device's and goes onto a list, it puts there.
//
// Thread safety: none. Tested by device_histories_test.cc.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/devices/device_program.h"
#include "optimized/straight/code.h"
#include "optimized/straight/host_part.h"

namespace tagflow::optimized {

class LoopSplit {
 public:
  enum class Kind : uint8_t { kRecorded, kGiven, kVaries };

  // values: of the slots, as the recording has them. All slots are recorded ones so far.
  LoopSplit(const Code& code, std::vector<Tensor>& values, DeviceProgram& program)
      : code_(code),
        values_(values),
        program_(program),
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
  //   Errors: FAILED_PRECONDITION where what varies is moved in a branch or loop of the device's
  Status Move(const Instruction& move);
  void Drop(const Instruction& drop);
  // ---- And afterwards ----
  void Wrote(const Instruction& call, bool is_of_host);

  // A branch, or a loop in the loop. What the device does there, it may not do each time.
  bool is_outermost() const { return depth_ == 0; }
  Status EnterNested();
  void LeaveNested();
  Kind kind(uint32_t slot) const { return kinds_[slot]; }
  const std::vector<Kind>& kinds() const { return kinds_; }
  void set_kinds(std::vector<Kind> kinds) { kinds_ = std::move(kinds); }
  void set_kind(uint32_t slot, Kind kind) { kinds_[slot] = kind; }

  // The slot's value on the device.   REQUIRES: it varies
  Result<Tensor> OnDevice(uint32_t slot);
  // At the end of the iteration.   Errors: FAILED_PRECONDITION; see wanted_on_device
  Status End();
  // Slots that were carried by the host, and which the device has computed.
  const std::vector<uint32_t>& wanted_on_device() const { return wanted_on_device_; }
  // Given slots that the recording is for the values of.
  const std::vector<uint32_t>& baked() const { return baked_; }
  // The host's part. The predicate is the host's where `counted` is set.
  HostPart& part() { return part_; }

 private:
  bool IsList(uint32_t slot) const { return values_[slot].dtype() == DType::kVariant; }
  Status LendSlot(uint32_t slot, bool on_host);
  void Bake(uint32_t slot);
  // Records what is to be put so far, before somebody may take it.
  Status PutNow();
  // The host's part has the slot's value where it is read next.
  Status Bring(uint32_t slot, bool is_carried);
  void Write(uint32_t slot, Kind kind) {
    kinds_[slot] = kind;
    on_device_.erase(slot);
  }

  const Code& code_;
  std::vector<Tensor>& values_;
  DeviceProgram& program_;
  std::vector<Kind> kinds_;                        // by slot, as the next
  std::vector<uint32_t> given_as_;                 // the slot that a given one was moved from
  std::map<uint32_t, Tensor> on_device_;           // what varies, where the device has it
  std::vector<std::pair<uint32_t, Tensor>> lent_;  // slots and what they held
  std::vector<DeviceProgram::Row> puts_;
  std::vector<uint32_t> baked_;
  std::vector<uint32_t> wanted_on_device_;
  int depth_ = 0;
  HostPart part_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_SPLIT_H_
