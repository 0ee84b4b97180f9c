#include "optimized/straight/loop_split.h"

#include <algorithm>
#include <utility>

#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

// Of a list that the recording has made: its tensors are others in each iteration.
Status CheckHoldsNone(const Tensor& list) {
  bool holds_any = false;
  VisitTensors(list, [&](const Tensor& tensor) { holds_any = holds_any || IsOnDevice(tensor); });
  if (!holds_any) return Status();
  return FailedPrecondition("a list of what the device makes is the host's");
}

}  // namespace

void LoopSplit::Give(uint32_t slot) {
  kinds_[slot] = Kind::kGiven;
  given_as_[slot] = slot;
}

void LoopSplit::Carry(uint32_t slot) {
  kinds_[slot] = Kind::kVaries;
  part_.read.push_back(slot);
  part_.carried.push_back(slot);
}

// A program is for the value.
void LoopSplit::Bake(uint32_t slot) {
  const uint32_t given = given_as_[slot];
  if (std::ranges::find(baked_, given) == baked_.end()) baked_.push_back(given);
}

Result<bool> LoopSplit::TakesOver(const Instruction& call, const DeviceKernel* own) {
  const Arg* const args = code_.args.data() + call.a;
  bool varies = false;
  for (uint32_t i = 0; i < call.n; ++i) {
    const uint32_t slot = args[i].slot;
    varies =
        varies || kinds_[slot] == Kind::kVaries || (kinds_[slot] == Kind::kGiven && IsList(slot));
    const bool reads_there = own != nullptr && !own->reads_on_host[i] &&
                             static_cast<int>(i) != own->carried_input && !IsList(slot);
    if (reads_there) return false;
  }
  if (!varies) return false;
  if (own != nullptr && own->joins) {
    return FailedPrecondition("a list of the host's is made one tensor in each iteration");
  }
  if (depth_ > 0) {
    return FailedPrecondition("lists or counters of the host's change in a branch of the device's");
  }
  for (uint32_t i = 0; i < call.n; ++i) {
    const bool is_carried = own != nullptr && static_cast<int>(i) == own->carried_input;
    TAGFLOW_RETURN_IF_ERROR(Bring(args[i].slot, is_carried));
  }
  part_.steps.push_back({.what = HostStep::What::kCall, .at = &call, .kernel = own});
  return true;
}

Status LoopSplit::Bring(uint32_t slot, bool is_carried) {
  const Tensor& value = values_[slot];
  if (kinds_[slot] == Kind::kVaries) return Status();
  if (kinds_[slot] == Kind::kGiven) {
    const uint32_t given = given_as_[slot];
    if (std::ranges::find(part_.read, given) == part_.read.end()) part_.read.push_back(given);
    return Status();
  }
  if (!IsOnDevice(value)) {
    TAGFLOW_RETURN_IF_ERROR(CheckHoldsNone(value));
    part_.steps.push_back({.what = HostStep::What::kSet, .slot = slot, .value = value});
    return Status();
  }
  if (!is_carried) return FailedPrecondition("the host reads what the device makes");
  const size_t column = part_.columns.size();
  TAGFLOW_ASSIGN_OR_RETURN(const int number, program_.NewColumn());
  part_.columns.push_back({true, value.dtype(), Dims(value.dims().begin(), value.dims().end())});
  part_.steps.push_back({.what = HostStep::What::kPut, .slot = slot, .column = column});
  if (value.byte_size() > 0) puts_.push_back({number, value});
  return Status();
}

Result<Tensor> LoopSplit::OnDevice(uint32_t slot) {
  if (const auto known = on_device_.find(slot); known != on_device_.end()) return known->second;
  const Tensor& value = values_[slot];
  if (!IsPlainDType(value.dtype())) {
    return FailedPrecondition("a kernel of the device reads a list of the host's");
  }
  const Dims dims(value.dims().begin(), value.dims().end());
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor there, Tensor::AllocateUninitialized(value.dtype(), dims, program_.stream().memory()));
  const size_t column = part_.columns.size();
  TAGFLOW_ASSIGN_OR_RETURN(const int number, program_.NewColumn());
  part_.columns.push_back({false, value.dtype(), dims});
  part_.steps.push_back({.what = HostStep::What::kTake, .slot = slot, .column = column});
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  if (there.byte_size() > 0) TAGFLOW_RETURN_IF_ERROR(program_.Take({{number, there}}));
  on_device_[slot] = there;
  return there;
}

Status LoopSplit::LendSlot(uint32_t slot, bool on_host) {
  if (kinds_[slot] == Kind::kGiven) Bake(slot);
  if (kinds_[slot] != Kind::kVaries) return Status();
  if (on_host) return FailedPrecondition("a kernel reads on the host what each iteration changes");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor there, OnDevice(slot));
  lent_.emplace_back(slot, std::exchange(values_[slot], std::move(there)));
  return Status();
}

Status LoopSplit::Lend(const Instruction& call, const DeviceKernel* own) {
  for (uint32_t i = 0; i < call.n; ++i) {
    const bool on_host = own == nullptr || own->reads_on_host[i];
    TAGFLOW_RETURN_IF_ERROR(LendSlot(code_.args[call.a + i].slot, on_host));
  }
  return Status();
}

Status LoopSplit::Lend(const FusedCalls& calls) {
  for (uint32_t i = 0; i < calls.num_args; ++i) {
    TAGFLOW_RETURN_IF_ERROR(LendSlot(code_.args[calls.first_arg + i].slot, /*on_host=*/false));
  }
  return Status();
}

void LoopSplit::TakeBack() {
  while (!lent_.empty()) {
    values_[lent_.back().first] = std::move(lent_.back().second);
    lent_.pop_back();
  }
}

Status LoopSplit::Decide(uint32_t slot) {
  if (kinds_[slot] == Kind::kVaries) {
    return FailedPrecondition("what the device does hangs on what the host counts");
  }
  if (kinds_[slot] == Kind::kGiven) Bake(slot);
  return Status();
}

Status LoopSplit::Move(const Instruction& move) {
  const uint32_t from = code_.args[move.a].slot;
  if (depth_ > 0) {
    TAGFLOW_RETURN_IF_ERROR(Decide(from));
    Write(move.b, Kind::kRecorded);
    return Status();
  }
  Write(move.b, kinds_[from]);
  given_as_[move.b] = given_as_[from];
  if (kinds_[from] == Kind::kRecorded) return Status();
  TAGFLOW_RETURN_IF_ERROR(Bring(from, /*is_carried=*/false));
  part_.steps.push_back({.what = HostStep::What::kMove, .at = &move, .slot = move.b});
  return Status();
}

void LoopSplit::Drop(const Instruction& drop) {
  if (kinds_[drop.a] == Kind::kVaries && depth_ == 0) {
    part_.steps.push_back({.what = HostStep::What::kDrop, .at = &drop, .slot = drop.a});
  }
  Write(drop.a, Kind::kRecorded);
}

void LoopSplit::Wrote(const Instruction& call, bool is_of_host) {
  for (uint32_t i = 0; i < call.num_outputs; ++i) {
    Write(code_.outputs[call.b + i], is_of_host ? Kind::kVaries : Kind::kRecorded);
  }
}

Status LoopSplit::EnterNested() {
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  ++depth_;
  on_device_.clear();
  return Status();
}

void LoopSplit::LeaveNested() {
  --depth_;
  on_device_.clear();
}

Status LoopSplit::PutNow() {
  if (puts_.empty()) return Status();
  return program_.Put(std::exchange(puts_, {}));
}

Status LoopSplit::End() {
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  for (const uint32_t slot : part_.carried) {
    const Tensor& value = values_[slot];
    if (kinds_[slot] == Kind::kVaries || !value.has_value()) continue;
    if (kinds_[slot] == Kind::kGiven) Bake(slot);
    if (IsOnDevice(value)) {
      wanted_on_device_.push_back(slot);
    } else {
      TAGFLOW_RETURN_IF_ERROR(CheckHoldsNone(value));
      part_.steps.push_back({.what = HostStep::What::kSet, .slot = slot, .value = value});
    }
  }
  if (wanted_on_device_.empty()) return Status();
  return FailedPrecondition("the device computes what the host has had");
}

}  // namespace tagflow::optimized
