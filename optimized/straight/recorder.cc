#include "optimized/straight/recorder.h"

#include <utility>

#include "graph/device_access.h"
#include "optimized/straight/device_chain.h"

namespace tagflow::optimized {
namespace {

// A loop with more is the host's: it would be recorded for longer than it runs.
constexpr int64_t kMaxRecordedCalls = 10'000;

// Of two on the device.
bool IsSame(const Tensor& a, const Tensor& b) {
  const DeviceAccess access;
  return a.raw_data() == b.raw_data();
}

// Runs the instructions so that their kernels are recorded.
class Recorder : public KernelContext {
 public:
  // results: of the whole code; null: a loop is recorded
  Recorder(const RecorderParts& parts, std::vector<Tensor>* results)
      : KernelContext(parts.slots.data(), parts.services),
        loops_(parts.loops),
        code_(parts.code),
        values_(parts.slots),
        program_(parts.program),
        recording_(parts.recording),
        variables_(parts.variables),
        unknown_chains_(parts.wants_kernels ? DeviceChain::Unknown::kWant
                                            : DeviceChain::Unknown::kLeave),
        results_(results) {}

  Status RecordAll() { return RecordRange(0, static_cast<uint32_t>(code_.instructions.size())); }

  // From the test on, all the way round to it.
  Status RecordLoop(const DeviceLoop& loop) {
    const uint32_t predicate = code_.instructions[loop.test].a;
    std::vector<std::pair<uint32_t, Tensor>> before;
    for (size_t i = 0; i < loop.slots.size(); ++i) {
      const uint32_t slot = loop.slots[i];
      if (loop.writes[i] && values_[slot].has_value()) before.emplace_back(slot, values_[slot]);
    }
    TAGFLOW_RETURN_IF_ERROR(program_.Begin(values_[predicate]));
    TAGFLOW_RETURN_IF_ERROR(RecordRange(loop.test + 1, loop.repeat));
    TAGFLOW_RETURN_IF_ERROR(RecordRange(loop.head, loop.test));
    if (values_[predicate].is_inline()) return FailedPrecondition("the host knows the predicate");
    const Tensor next = values_[predicate];
    std::vector<DeviceProgram::Carried> carried;
    for (auto& [slot, there] : before) {
      TAGFLOW_RETURN_IF_ERROR(CarryInto(there, values_[slot], carried));
    }
    return program_.End(carried, next);
  }

 private:
  // What the slot has goes to `there`, where the next iteration reads it. A slot without a value is
  // one that nobody reads after the test.
  static Status CarryInto(const Tensor& there, Tensor& value,
                          std::vector<DeviceProgram::Carried>& carried) {
    if (value.has_value()) {
      if (!HasShapeOf(value, there)) {
        return FailedPrecondition("a shape changes from iteration to iteration");
      }
      if (!IsThere(value)) return FailedPrecondition("a value comes to the host");
      if (value.is_inline() || !IsSame(value, there)) carried.push_back({value, there});
    }
    value = there;
    return Status();
  }

  Status RecordRange(uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      const Instruction& at = code_.instructions[i];
      switch (at.op) {
        case OpCode::kCall:
          TAGFLOW_RETURN_IF_ERROR(Call(at));
          break;
        case OpCode::kMove:
          Move(at);
          break;
        case OpCode::kDrop:
          values_[at.a] = Tensor();
          break;
        case OpCode::kScalar:
          if (values_[at.a].rank() > 0) return FailedPrecondition("a predicate is no scalar");
          break;
        case OpCode::kUnless: {
          TAGFLOW_ASSIGN_OR_RETURN(const uint32_t next, Test(at, i));
          i = next - 1;
          break;
        }
        case OpCode::kUnlessIndex: {
          const Tensor& asked = values_[at.a];
          if (!asked.is_inline()) return FailedPrecondition("a branch of many hangs on the device");
          const bool holds = ChosenWay(asked.inline_value<int32_t>(), at.b) == at.n;
          if (!holds) i = at.target - 1;
          break;
        }
        case OpCode::kJump:
        case OpCode::kRepeat:
          i = at.target - 1;
          break;
        case OpCode::kFetch:
          TAGFLOW_RETURN_IF_ERROR(Fetch(values_[code_.args[at.a].slot], (*results_)[at.b]));
          break;
        case OpCode::kRead:
        case OpCode::kRequire:
          return FailedPrecondition("a variable is read");
        case OpCode::kTryFused:
          if (TryFused(at)) i = at.target - 1;
          break;
        case OpCode::kEnter:
        case OpCode::kPiece:
        case OpCode::kEnd:
          break;
      }
    }
    return Status();
  }

  Status Call(const Instruction& call) {
    if (++num_calls_ > kMaxRecordedCalls) return FailedPrecondition("there are too many kernels");
    const Arg* const args = code_.args.data() + call.a;
    Point(args, code_.outputs.data() + call.b, static_cast<int>(call.n));
    for (int i = 0; i < num_inputs(); ++i) NoteRead(call, input(i));
    TAGFLOW_RETURN_IF_ERROR(call.function(call.state, *this));
    for (uint32_t i = 0; i < call.n; ++i) {
      if (args[i].is_last && !values_[args[i].slot].is_inline()) values_[args[i].slot] = Tensor();
    }
    return Status();
  }

  // Whether kernels for its calls are recorded, which only calls on a device have; else the calls
  // behind it are.
  bool TryFused(const Instruction& at) {
    const FusedCalls& fused = code_.fused[at.n];
    if (fused.on_device == nullptr) return false;
    Point(code_.args.data() + fused.first_arg, code_.outputs.data() + fused.first_output,
          static_cast<int>(fused.num_args));
    const DeviceChain::Outcome outcome = fused.on_device->Try(*this, unknown_chains_);
    if (outcome != DeviceChain::Outcome::kDone) return false;
    num_calls_ += fused.num_calls;
    for (const uint32_t slot : fused.released) {
      if (!values_[slot].is_inline()) values_[slot] = Tensor();
    }
    return true;
  }

  // What the host has is fetched as it is: it may be a feed. A variable's value may change.
  Status Fetch(const Tensor& value, Tensor& result) {
    const bool is_of_host = !value.is_inline() && value.memory_kind() == MemoryKind::kHost;
    if (is_of_host) recording_.NoteHostRead(value);
    result = value;
    if (variables_.HavePartOf(value)) {
      TAGFLOW_ASSIGN_OR_RETURN(result, OwnOf(value));
    }
    return Status();
  }

  // A device's kernel says itself what it reads on the host (StepDevices).
  void NoteRead(const Instruction& call, const Tensor& value) {
    const bool is_of_host = loops_.IsOfHost(call.node);
    if (is_of_host && !value.is_inline()) recording_.NoteHostRead(value);
  }

  void Move(const Instruction& move) {
    const Arg from = code_.args[move.a];
    Tensor value = values_[from.slot];
    if (from.is_last) values_[from.slot] = Tensor();
    values_[move.b] = std::move(value);
  }

  // Records what hangs on the test, if that is of the device; the instruction that comes next.
  Result<uint32_t> Test(const Instruction& test, uint32_t at) {
    const Tensor& asked = values_[test.a];
    if (asked.is_inline()) {
      return asked.inline_value<bool>() == (test.n != 0) ? at + 1 : test.target;
    }
    if (asked.rank() > 0) return FailedPrecondition("a predicate is no scalar");
    const int inner = loops_.AtTest(at);
    if (inner < 0) return Branch(test, at);
    if (results_ != nullptr) return FailedPrecondition("a loop runs as long as the device says");
    TAGFLOW_RETURN_IF_ERROR(InnerLoop(loops_.loop(inner)));
    return loops_.loop(inner).end;
  }

  Status InnerLoop(const DeviceLoop& loop) {
    for (size_t i = 0; i < loop.slots.size(); ++i) {
      Tensor& value = values_[loop.slots[i]];
      if (!loop.writes[i] || !value.has_value()) continue;
      TAGFLOW_ASSIGN_OR_RETURN(value, OwnOf(value));
    }
    return RecordLoop(loop);
  }

  // The value in a tensor that others may write, too.
  Result<Tensor> OwnOf(const Tensor& value) {
    if (!IsThere(value)) return FailedPrecondition("a loop changes what the host has");
    TAGFLOW_ASSIGN_OR_RETURN(Tensor own, Tensor::AllocateUninitialized(value.dtype(), value.dims(),
                                                                       program_.stream().memory()));
    TAGFLOW_RETURN_IF_ERROR(program_.Set(own, value));
    return own;
  }

  // ---- Branches ----

  struct Range {
    uint32_t begin, end;
    std::vector<uint32_t> writes;
  };
  Range RangeOf(uint32_t begin, uint32_t end) {
    Range range = {begin, end, {}};
    std::vector<Arg> args = code_.args;  // VisitSlots may change them
    for (uint32_t i = begin; i < end; ++i) {
      VisitSlots(
          code_.instructions[i], args, code_.outputs, [](const Arg&) {},
          [&](uint32_t slot) { range.writes.push_back(slot); });
    }
    std::ranges::sort(range.writes);
    return range;
  }

  // The instructions up to the test's target are where it holds, and behind a jump that ends them
  // are those where it does not.
  Result<uint32_t> Branch(const Instruction& test, uint32_t at) {
    const Instruction& last = code_.instructions[test.target - 1];
    const bool has_else = last.op == OpCode::kJump && last.target > test.target;
    const uint32_t end = has_else ? last.target : test.target;
    Range then = RangeOf(at + 1, has_else ? test.target - 1 : test.target);
    Range otherwise = RangeOf(test.target, end);
    if (test.n == 0) std::swap(then, otherwise);
    std::vector<uint32_t> both;
    std::ranges::set_intersection(then.writes, otherwise.writes, std::back_inserter(both));
    both.erase(std::unique(both.begin(), both.end()), both.end());

    const std::vector<Tensor> before = values_;
    const RecordedVariables::Places variables = variables_.PlacesNow();
    TAGFLOW_RETURN_IF_ERROR(program_.BeginIf(before[test.a]));
    TAGFLOW_RETURN_IF_ERROR(RecordRange(then.begin, then.end));
    TAGFLOW_RETURN_IF_ERROR(variables_.CheckUnmoved(variables));
    std::vector<std::pair<uint32_t, Tensor>> joined;
    for (const uint32_t slot : both) {
      const Tensor& value = values_[slot];
      if (!value.has_value()) continue;
      // What this branch has made, and nothing else has, may be where the other one gives, too.
      const bool is_fresh = !value.is_inline() && value.unique();
      Tensor own = value;
      if (!is_fresh) {
        TAGFLOW_ASSIGN_OR_RETURN(own, OwnOf(value));
      }
      joined.emplace_back(slot, std::move(own));
    }
    TAGFLOW_RETURN_IF_ERROR(program_.Else());
    const std::vector<Tensor> after_then = values_;
    values_ = before;  // where they lie
    TAGFLOW_RETURN_IF_ERROR(RecordRange(otherwise.begin, otherwise.end));
    TAGFLOW_RETURN_IF_ERROR(variables_.CheckUnmoved(variables));
    for (const auto& [slot, own] : joined) {
      const Tensor& value = values_[slot];
      if (!value.has_value()) continue;
      if (!HasShapeOf(value, own) || !IsThere(value)) {
        return FailedPrecondition("the branches give other shapes, or to the host");
      }
      TAGFLOW_RETURN_IF_ERROR(program_.Set(own, value));
    }
    TAGFLOW_RETURN_IF_ERROR(program_.EndIf());
    for (const uint32_t slot : then.writes) values_[slot] = after_then[slot];
    for (auto& [slot, own] : joined) values_[slot] = std::move(own);
    return end;
  }

  const DeviceLoops& loops_;
  const Code& code_;
  std::vector<Tensor>& values_;  // of the slots
  DeviceProgram& program_;
  DeviceRecording& recording_;
  RecordedVariables& variables_;
  const DeviceChain::Unknown unknown_chains_;
  std::vector<Tensor>* const results_;  // null: of a loop
  int64_t num_calls_ = 0;
};

}  // namespace

Status RecordLoop(const DeviceLoop& loop, const RecorderParts& parts) {
  parts.services.devices->RecordOn(&parts.recording);
  Status status = Recorder(parts, nullptr).RecordLoop(loop);
  parts.services.devices->RecordOn(nullptr);
  if (status.ok() && parts.variables.changes_any()) {
    status = FailedPrecondition("a variable changes in it");
  }
  if (status.ok()) status = parts.variables.Finish(parts.program);
  return status.ok() ? parts.program.Finish() : status;
}

Status RecordStep(const RecorderParts& parts, std::vector<Tensor>& results) {
  TAGFLOW_RETURN_IF_ERROR(parts.program.Start());
  parts.services.devices->RecordOn(&parts.recording);
  Status status = Recorder(parts, &results).RecordAll();
  parts.services.devices->RecordOn(nullptr);
  if (status.ok()) status = parts.variables.Finish(parts.program);
  // A variable is not to change where a kernel before has failed ([device.1]).
  if (status.ok() && parts.variables.changes_any() && parts.program.MayFail()) {
    status = FailedPrecondition("a variable changes behind a kernel that may fail");
  }
  return status.ok() ? parts.program.Finish() : status;
}

}  // namespace tagflow::optimized
