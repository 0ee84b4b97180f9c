#include "optimized/straight/recorder.h"

#include <utility>

#include "graph/device_access.h"

namespace tagflow::optimized {
namespace {

// Of two on the device.
bool IsSame(const Tensor& a, const Tensor& b) {
  const DeviceAccess access;
  return a.raw_data() == b.raw_data();
}

// Whether the test leaves a loop.
bool IsOfLoop(const Code& code, const Instruction& test, uint32_t at) {
  const Instruction& last = code.instructions[test.target - 1];
  return last.op == OpCode::kRepeat && last.target <= at;
}

struct Range {
  uint32_t begin, end;
  std::vector<uint32_t> writes;
  std::vector<uint32_t> moves;  // those of them that are moved to, as the slots of Merges are
};

Range RangeOf(const Code& code, uint32_t begin, uint32_t end) {
  Range range = {begin, end, {}, {}};
  for (uint32_t i = begin; i < end; ++i) {
    VisitSlots(
        code.instructions[i], code.args, code.outputs, [](const Arg&) {},
        [&](uint32_t slot) { range.writes.push_back(slot); });
    const bool moves = code.instructions[i].op == OpCode::kMove;
    if (moves) range.moves.push_back(code.instructions[i].b);
  }
  std::ranges::sort(range.writes);
  return range;
}

// The instructions up to the test's target are where it holds, and behind a jump that ends them are
// those where it does not.
struct Ways {
  Range then, otherwise;
  uint32_t end;
};

Ways WaysOf(const Code& code, const Instruction& test, uint32_t at) {
  const Instruction& last = code.instructions[test.target - 1];
  const bool has_else = last.op == OpCode::kJump && last.target > test.target;
  const uint32_t end = has_else ? last.target : test.target;
  Ways ways = {RangeOf(code, at + 1, has_else ? test.target - 1 : test.target),
               RangeOf(code, test.target, end), end};
  if (test.op == OpCode::kUnless && test.n == 0) std::swap(ways.then, ways.otherwise);
  return ways;
}

// Runs the instructions so that their kernels are recorded.
class Recorder : private RecordedCalls {
 public:
  // results: of the whole code; null: a loop is recorded
  Recorder(const RecorderParts& parts, std::vector<Tensor>* results)
      : RecordedCalls(parts), results_(results) {}

  Status RecordAll() { return RecordRange(0, static_cast<uint32_t>(code_.instructions.size())); }

  // From the test on, all the way round to it.
  Status RecordOutermost(const DeviceLoop& loop) {
    const uint32_t predicate = code_.instructions[loop.test].a;
    if (!split_.IsOfHost(predicate)) return RecordLoop(loop);
    if (split_.kind(predicate) == LoopSplit::Kind::kLate) {
      return FailedPrecondition(
          "whether there is a next iteration hangs on a branch of the device's");
    }
    split_.part().counted = predicate;
    return RecordIteration(loop, /*is_counted=*/true);
  }

 private:
  Status RecordLoop(const DeviceLoop& loop) { return RecordIteration(loop, /*is_counted=*/false); }

  // is_counted: how often it goes round, the host says for each run
  Status RecordIteration(const DeviceLoop& loop, bool is_counted) {
    const uint32_t predicate = code_.instructions[loop.test].a;
    std::vector<std::pair<uint32_t, Tensor>> before;
    for (size_t i = 0; i < loop.slots.size(); ++i) {
      const uint32_t slot = loop.slots[i];
      const bool is_carried = loop.writes[i] && split_.kind(slot) == LoopSplit::Kind::kRecorded;
      if (is_carried && values_[slot].has_value()) before.emplace_back(slot, values_[slot]);
    }
    TAGFLOW_RETURN_IF_ERROR(program_.Begin(is_counted ? Tensor() : values_[predicate]));
    ++levels_;
    TAGFLOW_RETURN_IF_ERROR(RecordRange(loop.test + 1, loop.repeat));
    TAGFLOW_RETURN_IF_ERROR(RecordRange(loop.head, loop.test));
    if (split_.is_outermost()) TAGFLOW_RETURN_IF_ERROR(split_.End());
    if (!is_counted && values_[predicate].is_inline()) {
      return FailedPrecondition("the host knows the predicate");
    }
    const Tensor next = is_counted ? Tensor() : values_[predicate];
    std::vector<DeviceProgram::Carried> carried;
    for (auto& [slot, there] : before) {
      TAGFLOW_RETURN_IF_ERROR(CarryInto(there, slot, carried));
    }
    --levels_;
    return program_.End(carried, next);
  }

  // What the slot has goes to `there`, where the next iteration reads it. A slot without a value is
  // one that nobody reads after the test.
  Status CarryInto(const Tensor& there, uint32_t slot,
                   std::vector<DeviceProgram::Carried>& carried) {
    Tensor& value = values_[slot];
    if (split_.IsOfHost(slot)) {
      TAGFLOW_ASSIGN_OR_RETURN(value, split_.OnDevice(slot));
    }
    TAGFLOW_RETURN_IF_ERROR(split_.Decide(slot));
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
          TAGFLOW_RETURN_IF_ERROR(Move(at));
          break;
        case OpCode::kDrop:
          split_.Drop(at);
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
          TAGFLOW_ASSIGN_OR_RETURN(const uint32_t next, TestWay(at, i));
          i = next - 1;
          break;
        }
        case OpCode::kRepeat:
          ++iterations_[at.n];
          i = at.target - 1;
          break;
        case OpCode::kJump:
          i = at.target - 1;
          break;
        case OpCode::kEnter:
          iterations_[at.n] = 0;
          break;
        case OpCode::kFetch:
          TAGFLOW_RETURN_IF_ERROR(Fetch(values_[code_.args[at.a].slot], (*results_)[at.b]));
          break;
        case OpCode::kRead:
        case OpCode::kRequire:
          return FailedPrecondition("a variable is read");
        case OpCode::kTryFused: {
          TAGFLOW_ASSIGN_OR_RETURN(const bool is_done, TryFused(at, i));
          if (is_done) i = at.target - 1;
          break;
        }
        case OpCode::kPiece:
        case OpCode::kEnd:
          break;
      }
    }
    return Status();
  }

  // Records what hangs on the test, if that is of the device; the instruction that comes next.
  Result<uint32_t> Test(const Instruction& test, uint32_t at) {
    const Tensor& asked = values_[test.a];
    if (asked.rank() > 0) return FailedPrecondition("a predicate is no scalar");
    const bool is_of_host = split_.IsOfHost(test.a);
    if (!IsOfLoop(code_, test, at) && (is_of_host || !asked.is_inline())) return Branch(test, at);
    if (is_of_host || asked.is_inline()) {
      TAGFLOW_RETURN_IF_ERROR(split_.Decide(test.a));
      return asked.inline_value<bool>() == (test.n != 0) ? at + 1 : test.target;
    }
    const int inner = loops_.AtTest(at);
    if (inner < 0) return FailedPrecondition("a loop in it is the host's");
    if (results_ != nullptr) return FailedPrecondition("a loop runs as long as the device says");
    TAGFLOW_RETURN_IF_ERROR(InnerLoop(loops_.loop(inner)));
    return loops_.loop(inner).end;
  }

  // The same of one of several ways.
  Result<uint32_t> TestWay(const Instruction& test, uint32_t at) {
    const Tensor& asked = values_[test.a];
    if (asked.rank() > 0) return FailedPrecondition("an index of ways is no scalar");
    if (!asked.is_inline() || split_.IsOfHost(test.a)) return Branch(test, at);
    TAGFLOW_RETURN_IF_ERROR(split_.Decide(test.a));
    const bool holds = ChosenWay(asked.inline_value<int32_t>(), test.b) == test.n;
    return holds ? at + 1 : test.target;
  }

  Status InnerLoop(const DeviceLoop& loop) {
    for (size_t i = 0; i < loop.slots.size(); ++i) {
      Tensor& value = values_[loop.slots[i]];
      if (!loop.writes[i] || !value.has_value()) continue;
      TAGFLOW_RETURN_IF_ERROR(split_.Decide(loop.slots[i]));
      split_.set_kind(loop.slots[i], LoopSplit::Kind::kRecorded);
      TAGFLOW_ASSIGN_OR_RETURN(value, OwnOf(value));
    }
    TAGFLOW_RETURN_IF_ERROR(split_.EnterLoop());
    TAGFLOW_RETURN_IF_ERROR(RecordLoop(loop));
    split_.LeaveLoop();
    return Status();
  }

  // ---- Branches ----

  // The slots that hold after a branch what the way taken has given: those that both ways write,
  // and of those that one way moves to, what was moved to before. For the ways of a Merge may be
  // apart, each behind a test of its own.
  std::vector<uint32_t> GivenByBoth(const Range& a, const Range& b) const {
    std::vector<uint32_t> given;
    std::ranges::set_intersection(a.writes, b.writes, std::back_inserter(given));
    for (const Range* const range : {&a, &b}) {
      std::ranges::copy_if(range->moves, std::back_inserter(given),
                           [this](uint32_t slot) { return is_moved_to_[slot]; });
    }
    std::ranges::sort(given);
    given.erase(std::unique(given.begin(), given.end()), given.end());
    return given;
  }

  // What the first way of a branch leaves in a slot that both give.
  struct Joined {
    uint32_t slot;
    LoopSplit::Kind kind;
    Tensor value;
    Tensor own;  // where the device has it behind the branch; none: it does not have it
  };
  Result<std::vector<Joined>> LeftByTheFirst(const std::vector<uint32_t>& slots) {
    std::vector<Joined> joined;
    for (const uint32_t slot : slots) {
      const Tensor& value = values_[slot];
      if (!value.has_value()) continue;
      TAGFLOW_RETURN_IF_ERROR(split_.LeaveToDevice(slot, /*is_other_on_device=*/false));
      Tensor own;
      if (!split_.IsOfHost(slot) && IsThere(value)) {
        TAGFLOW_RETURN_IF_ERROR(split_.Decide(slot));
        // What this way has made, and nothing else has, may be where the other one gives, too.
        const bool is_fresh = !value.is_inline() && value.unique();
        own = value;
        if (!is_fresh) {
          TAGFLOW_ASSIGN_OR_RETURN(own, OwnOf(value));
        }
      }
      joined.push_back({slot, split_.kind(slot), value, std::move(own)});
    }
    return joined;
  }

  // At the end of the second way: where the slot is behind the branch.
  Status Join(Joined& joined) {
    const Tensor& value = values_[joined.slot];
    if (!value.has_value()) return Status();
    const bool is_on_device = joined.own.has_value() && IsOnDevice(joined.value);
    TAGFLOW_RETURN_IF_ERROR(split_.LeaveToDevice(joined.slot, is_on_device));
    if (LoopSplit::IsOfHost(joined.kind) || split_.IsOfHost(joined.slot)) {
      TAGFLOW_RETURN_IF_ERROR(split_.JoinOnHost(joined.slot, joined.kind, joined.value));
      joined = {joined.slot, split_.kind(joined.slot), value, Tensor()};
      return Status();
    }
    TAGFLOW_RETURN_IF_ERROR(split_.Decide(joined.slot));
    if (!joined.own.has_value()) return FailedPrecondition("a loop changes what the host has");
    if (!HasShapeOf(value, joined.own) || !IsThere(value)) {
      return FailedPrecondition("the branches give other shapes, or to the host");
    }
    return program_.Set(joined.own, value);
  }

  // Whether the way is recorded. One of the two need not be, where the host knows before each
  // iteration which one is taken: the device's run ends before one that takes it. So is the way
  // of an iteration that has not been yet, which pops from a list that is empty now.
  Result<bool> RecordWay(const Range& way, const RecordedVariables::Places& variables,
                         bool must_be) {
    const size_t branches = split_.depth();
    const int levels = levels_;
    must_be = must_be || !split_.IsKnownAhead();
    Status status = RecordRange(way.begin, way.end);
    if (status.ok()) status = variables_.CheckUnmoved(variables);
    if (status.ok()) return true;
    if (must_be || status.code() == tagflow::Code::kResourceExhausted) return status;
    for (; levels_ > levels; --levels_) TAGFLOW_RETURN_IF_ERROR(program_.EndIf());
    split_.StopBeforeThisWay(branches, status.message());
    return false;
  }

  Result<uint32_t> Branch(const Instruction& test, uint32_t at) {
    const Ways ways = WaysOf(code_, test, at);
    const std::vector<Tensor> before = values_;
    const std::vector<LoopSplit::Kind> kinds = split_.kinds();
    const RecordedVariables::Places variables = variables_.PlacesNow();
    DeviceProgram::Way way;
    if (test.op == OpCode::kUnlessIndex) way = {test.n, test.b};
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor asked, split_.EnterBranch(test.a, way));
    TAGFLOW_RETURN_IF_ERROR(program_.BeginIf(asked, way));
    ++levels_;
    TAGFLOW_ASSIGN_OR_RETURN(const bool has_first,
                             RecordWay(ways.then, variables, /*must_be=*/false));
    std::vector<Joined> joined;
    if (has_first) {
      TAGFLOW_ASSIGN_OR_RETURN(joined, LeftByTheFirst(GivenByBoth(ways.then, ways.otherwise)));
    }
    TAGFLOW_RETURN_IF_ERROR(split_.EnterElse());
    TAGFLOW_RETURN_IF_ERROR(program_.Else());
    const std::vector<Tensor> after_then = values_;
    const std::vector<LoopSplit::Kind> kinds_then = split_.kinds();
    values_ = before;  // where they lie
    split_.set_kinds(kinds);
    TAGFLOW_ASSIGN_OR_RETURN(const bool has_second,
                             RecordWay(ways.otherwise, variables, /*must_be=*/!has_first));
    if (has_second) {
      for (Joined& each : joined) TAGFLOW_RETURN_IF_ERROR(Join(each));
    }
    TAGFLOW_RETURN_IF_ERROR(split_.LeaveBranch());
    TAGFLOW_RETURN_IF_ERROR(program_.EndIf());
    --levels_;
    if (!has_second) {
      values_ = after_then;
      split_.set_kinds(kinds_then);
    } else if (has_first) {
      for (const uint32_t slot : ways.then.writes) {
        values_[slot] = after_then[slot];
        split_.set_kind(slot, kinds_then[slot]);
      }
    }
    for (Joined& each : joined) {
      const bool is_there = each.own.has_value();
      values_[each.slot] = is_there ? std::move(each.own) : std::move(each.value);
      split_.set_kind(each.slot, is_there ? LoopSplit::Kind::kRecorded : each.kind);
    }
    return ways.end;
  }

  std::vector<Tensor>* const results_;  // null: of a loop
  int levels_ = 0;                      // of loops and branches of the program, that are open
};

}  // namespace

Status RecordLoop(const DeviceLoop& loop, const RecorderParts& parts) {
  parts.services.devices->RecordOn(&parts.recording);
  Status status = Recorder(parts, nullptr).RecordOutermost(loop);
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
  if (status.ok() && parts.variables.changes_any()) status = parts.program.Guard();
  if (status.ok()) status = parts.variables.Finish(parts.program);
  return status.ok() ? parts.program.Finish() : status;
}

}  // namespace tagflow::optimized
