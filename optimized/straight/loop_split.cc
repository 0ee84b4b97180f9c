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
  kinds_[slot] = learned_.late.contains(slot) ? Kind::kLate : Kind::kVaries;
  part_.read.push_back(slot);
  part_.carried.push_back(slot);
}

// The outermost branch whose predicate the device makes.
std::vector<LoopSplit::Branch>::const_iterator LoopSplit::FirstLate() const {
  return std::ranges::find_if(branches_,
                              [](const Branch& branch) { return branch.step.by_column; });
}

void LoopSplit::Write(HostStep step, bool is_late) {
  step.is_late = is_late || IsLate();
  writing_.push_back(std::move(step));
}

// Where the host knows it before the iteration: what a late branch reads so, it has not changed.
void LoopSplit::WriteAhead(HostStep step) {
  part_.looks_ahead = true;
  std::vector<HostStep>& steps =
      IsLate() ? branches_[static_cast<size_t>(FirstLate() - branches_.begin())].around : writing_;
  steps.push_back(std::move(step));
}

Result<size_t> LoopSplit::NewColumn(const Tensor& row, bool is_put) {
  TAGFLOW_ASSIGN_OR_RETURN(const int number, program_.NewColumn());
  part_.columns.push_back({is_put, row.dtype(), Dims(row.dims().begin(), row.dims().end())});
  return static_cast<size_t>(number);
}

// A program is for the value.
void LoopSplit::Bake(uint32_t slot) {
  const uint32_t given = given_as_[slot];
  if (std::ranges::find(baked_, given) == baked_.end()) baked_.push_back(given);
}

Result<bool> LoopSplit::TakesOver(const Instruction& call, const DeviceKernel* own) {
  const Arg* const args = code_.args.data() + call.a;
  bool varies = false;
  call_is_late_ = false;
  for (uint32_t i = 0; i < call.n; ++i) {
    const uint32_t slot = args[i].slot;
    varies = varies || IsOfHost(slot) || (kinds_[slot] == Kind::kGiven && IsList(slot));
    call_is_late_ = call_is_late_ || kinds_[slot] == Kind::kLate;
    const bool reads_there = own != nullptr && !own->reads_on_host[i] &&
                             static_cast<int>(i) != own->carried_input && !IsList(slot);
    if (reads_there) return false;
  }
  if (!varies) return false;
  if (own != nullptr && own->joins) {
    return FailedPrecondition("a list of the host's is made one tensor in each iteration");
  }
  if (loops_ > 0) {
    return FailedPrecondition("lists or counters of the host's change in a loop of the device's");
  }
  for (uint32_t i = 0; i < call.n; ++i) {
    const bool is_carried = own != nullptr && static_cast<int>(i) == own->carried_input;
    TAGFLOW_RETURN_IF_ERROR(Bring(args[i].slot, is_carried));
  }
  Write({.what = HostStep::What::kCall, .at = &call, .kernel = own}, call_is_late_);
  return true;
}

Result<HostStep> LoopSplit::Setting(uint32_t slot, const Tensor& value) {
  TAGFLOW_RETURN_IF_ERROR(CheckHoldsNone(value));
  return HostStep{.what = HostStep::What::kSet, .slot = slot, .value = value};
}

Status LoopSplit::Bring(uint32_t slot, bool is_carried) {
  const Tensor& value = values_[slot];
  if (IsOfHost(slot)) return Status();
  if (kinds_[slot] == Kind::kGiven) {
    const uint32_t given = given_as_[slot];
    if (std::ranges::find(part_.read, given) == part_.read.end()) part_.read.push_back(given);
    return Status();
  }
  if (!IsOnDevice(value)) {
    TAGFLOW_ASSIGN_OR_RETURN(HostStep setting, Setting(slot, value));
    Write(std::move(setting));
    return Status();
  }
  if (!is_carried) return FailedPrecondition("the host reads what the device makes");
  TAGFLOW_ASSIGN_OR_RETURN(const size_t column, NewColumn(value, /*is_put=*/true));
  Write({.what = HostStep::What::kPut, .slot = slot, .column = column});
  if (value.byte_size() > 0) puts_.push_back({static_cast<int>(column), value});
  return Status();
}

Result<Tensor> LoopSplit::OnDevice(uint32_t slot) {
  if (const auto known = on_device_.find(slot); known != on_device_.end()) return known->second;
  if (kinds_[slot] == Kind::kLate) {
    return FailedPrecondition(
        "a kernel takes from the host what hangs on a branch of the device's");
  }
  const Tensor& value = values_[slot];
  if (!IsPlainDType(value.dtype())) {
    return FailedPrecondition("a kernel of the device reads a list of the host's");
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor there, Tensor::AllocateUninitialized(value.dtype(), value.dims(),
                                                                       program_.stream().memory()));
  TAGFLOW_ASSIGN_OR_RETURN(const size_t column, NewColumn(value, /*is_put=*/false));
  WriteAhead({.what = HostStep::What::kTake, .slot = slot, .column = column});
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  if (there.byte_size() > 0) {
    TAGFLOW_RETURN_IF_ERROR(program_.Take({{static_cast<int>(column), there}}));
  }
  on_device_[slot] = there;
  return there;
}

Status LoopSplit::LendSlot(uint32_t slot) {
  if (kinds_[slot] == Kind::kGiven) Bake(slot);
  if (!IsOfHost(slot)) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor there, OnDevice(slot));
  lent_.emplace_back(slot, std::exchange(values_[slot], std::move(there)));
  return Status();
}

Status LoopSplit::Lend(const Instruction& call, const DeviceKernel* own) {
  for (uint32_t i = 0; i < call.n; ++i) {
    const uint32_t slot = code_.args[call.a + i].slot;
    const bool on_host = own == nullptr || own->reads_on_host[i];
    TAGFLOW_RETURN_IF_ERROR(on_host && IsOfHost(slot) ? Expect(slot, call) : LendSlot(slot));
  }
  return Status();
}

Status LoopSplit::Expect(uint32_t slot, const Instruction& call) {
  constexpr const char* kWhy = "a kernel reads on the host what each iteration changes";
  const Tensor& value = values_[slot];
  const bool is_known = IsPlainDType(value.dtype()) && !IsOnDevice(value);
  if (!is_known || kinds_[slot] == Kind::kLate) return FailedPrecondition(kWhy);
  WriteAhead(
      {.what = HostStep::What::kExpect, .at = &call, .slot = slot, .value = value, .why = kWhy});
  return Status();
}

Status LoopSplit::Lend(const FusedCalls& calls) {
  for (uint32_t i = 0; i < calls.num_args; ++i) {
    TAGFLOW_RETURN_IF_ERROR(LendSlot(code_.args[calls.first_arg + i].slot));
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
  if (IsOfHost(slot)) {
    return FailedPrecondition("what the device does hangs on what the host counts");
  }
  if (kinds_[slot] == Kind::kGiven) Bake(slot);
  return Status();
}

Status LoopSplit::Move(const Instruction& move) {
  const uint32_t from = code_.args[move.a].slot;
  const bool is_outermost = branches_.empty() && loops_ == 0;
  const bool is_given_list = kinds_[from] == Kind::kGiven && IsList(from);
  const bool is_baked = kinds_[from] == Kind::kGiven && !is_given_list && !is_outermost;
  if (loops_ > 0 || is_baked) TAGFLOW_RETURN_IF_ERROR(Decide(from));
  if (loops_ > 0 || is_baked || kinds_[from] == Kind::kRecorded) {
    SetTo(move.b, Kind::kRecorded);
    return Status();
  }
  TAGFLOW_RETURN_IF_ERROR(Bring(from, /*is_carried=*/false));
  const bool is_late = kinds_[from] == Kind::kLate;
  Write({.what = HostStep::What::kMove, .at = &move, .slot = move.b}, is_late);
  given_as_[move.b] = given_as_[from];
  SetTo(move.b, kinds_[from] == Kind::kGiven && is_outermost ? Kind::kGiven : KindOfHost(is_late));
  return Status();
}

void LoopSplit::Drop(const Instruction& drop) {
  if (IsOfHost(drop.a) && loops_ == 0) {
    Write({.what = HostStep::What::kDrop, .at = &drop, .slot = drop.a},
          kinds_[drop.a] == Kind::kLate);
  }
  SetTo(drop.a, Kind::kRecorded);
}

void LoopSplit::Wrote(const Instruction& call, bool is_of_host) {
  for (uint32_t i = 0; i < call.num_outputs; ++i) {
    SetTo(code_.outputs[call.b + i], is_of_host ? KindOfHost(call_is_late_) : Kind::kRecorded);
  }
}

// ---- Loops and branches in the loop ----

Status LoopSplit::EnterLoop() {
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  ++loops_;
  on_device_.clear();
  return Status();
}

void LoopSplit::LeaveLoop() {
  --loops_;
  on_device_.clear();
}

Result<Tensor> LoopSplit::EnterBranch(uint32_t asked, DeviceProgram::Way way) {
  const bool is_of_host = IsOfHost(asked);
  Tensor on_device = values_[asked];
  if (is_of_host) {
    TAGFLOW_ASSIGN_OR_RETURN(on_device, OnDevice(asked));
  }
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  HostStep step = {.what = HostStep::What::kBranch, .slot = asked};
  step.by_column = !is_of_host;
  step.way = way;
  branches_.push_back({on_device, std::move(step), std::exchange(writing_, {}), loops_});
  on_device_.clear();
  return on_device;
}

Status LoopSplit::EnterElse() {
  on_device_.clear();
  branches_.back().step.then = std::exchange(writing_, {});
  return PutNow();
}

Status LoopSplit::LeaveBranch() {
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  on_device_.clear();
  Branch branch = std::move(branches_.back());
  branches_.pop_back();
  HostStep& step = branch.step;
  step.otherwise = std::exchange(writing_, std::move(branch.around));
  if (step.then.empty() && step.otherwise.empty()) return Status();
  if (step.by_column) {
    TAGFLOW_ASSIGN_OR_RETURN(step.column, NewColumn(branch.on_device, /*is_put=*/true));
    puts_.push_back({static_cast<int>(step.column), branch.on_device});
  }
  const bool is_late = step.by_column;
  Write(std::move(step), is_late);
  return Status();
}

void LoopSplit::StopBeforeThisWay(size_t depth, const std::string& why) {
  TakeBack();
  branches_.resize(depth);
  loops_ = branches_.back().loops;
  on_device_.clear();
  puts_.clear();
  writing_.clear();
  WriteAhead({.what = HostStep::What::kStop, .why = why});
}

Status LoopSplit::JoinOnHost(uint32_t slot, Kind first_kind, const Tensor& first_value) {
  constexpr const char* kWhy = "the ways of a branch leave one value to the host and to the device";
  const Tensor& value = values_[slot];
  const bool is_late = first_kind == Kind::kLate || kinds_[slot] == Kind::kLate;
  if (first_kind == Kind::kRecorded) {
    if (IsOnDevice(first_value)) return FailedPrecondition(kWhy);
    TAGFLOW_ASSIGN_OR_RETURN(HostStep setting, Setting(slot, first_value));
    setting.is_late = IsLate();
    branches_.back().step.then.push_back(std::move(setting));
  }
  if (kinds_[slot] == Kind::kRecorded) {
    if (IsOnDevice(value) && first_kind == Kind::kVaries) learned_.joined.insert(slot);
    if (IsOnDevice(value)) return FailedPrecondition(kWhy);
    TAGFLOW_ASSIGN_OR_RETURN(HostStep setting, Setting(slot, value));
    Write(std::move(setting));
  }
  SetTo(slot, KindOfHost(is_late));
  return Status();
}

Status LoopSplit::LeaveToDevice(uint32_t slot, bool is_other_on_device) {
  if (kinds_[slot] != Kind::kVaries || IsList(slot)) return Status();
  const bool takes_it =
      is_other_on_device || IsOnDevice(values_[slot]) || learned_.joined.contains(slot);
  if (!takes_it) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(values_[slot], OnDevice(slot));
  SetTo(slot, Kind::kRecorded);
  return Status();
}

Status LoopSplit::PutNow() {
  if (puts_.empty()) return Status();
  return program_.Put(std::exchange(puts_, {}));
}

Status LoopSplit::End() {
  TAGFLOW_RETURN_IF_ERROR(PutNow());
  Status status;
  for (const uint32_t slot : part_.carried) {
    const Tensor& value = values_[slot];
    if (kinds_[slot] == Kind::kLate) learned_.late.insert(slot);
    if (IsOfHost(slot) || !value.has_value()) continue;
    if (kinds_[slot] == Kind::kGiven) Bake(slot);
    if (IsOnDevice(value)) {
      learned_.on_device.insert(slot);
      status = FailedPrecondition("the device computes what the host has had");
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(HostStep setting, Setting(slot, value));
      Write(std::move(setting));
    }
  }
  part_.steps = std::move(writing_);
  return status;
}

}  // namespace tagflow::optimized
