#include "optimized/native/loop_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimized/native/body_calls.h"
#include "optimized/native/element_loops.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_cells.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_rows.h"
#include "optimized/native/loop_scalars.h"
#include "optimized/native/loop_tensors.h"
#include "optimized/native/native_library.h"
#include "optimized/native/native_types.h"
#include "optimized/native/whole_loops.h"

namespace tagflow::optimized {
namespace {

// Calls that keep all registers (cells.h) do not keep the upper halves of those of vectors.
constexpr char kNoVectors[] = "\"prefer-vector-width\"=\"128\"";

// Where blocks begin, which run to their end but for errors, and how many firings are in one.
class Blocks {
 public:
  Blocks(const LoopToCompile& loop, const LoopValues& values)
      : code_(loop.code), bounds_(loop.bounds), begins_(bounds_.last - bounds_.head + 2) {
    BeginAt(bounds_.head);
    for (uint32_t at = bounds_.head; at <= bounds_.last; ++at) {
      const Instruction& instruction = code_.instructions[at];
      // Of calls that are all machine code there is nothing to be fused.
      const bool is_nothing = instruction.op == OpCode::kTryFused && values.RunsNative(at);
      if (is_nothing || !MayJump(instruction.op)) continue;
      BeginAt(instruction.target);
      BeginAt(at + 1);
    }
  }

  bool IsInside(uint32_t at) const { return bounds_.Contains(at); }
  bool Begins(uint32_t at) const { return IsInside(at) && begins_[at - bounds_.head]; }
  // The instruction behind the last one of its block.
  uint32_t EndFrom(uint32_t at) const {
    do {
      ++at;
    } while (IsInside(at) && !Begins(at));
    return at;
  }
  int64_t FiringsFrom(uint32_t at) const {
    int64_t firings = 0;
    for (const uint32_t end = EndFrom(at); at < end; ++at) {
      const OpCode op = code_.instructions[at].op;
      firings += op == OpCode::kCall || op == OpCode::kRepeat ? 1 : 0;
    }
    return firings;
  }

 private:
  void BeginAt(uint32_t at) {
    if (IsInside(at)) begins_[at - bounds_.head] = true;
  }

  const Code& code_;
  const LoopBounds bounds_;
  std::vector<bool> begins_;  // by instruction, from the head on
};

// The ways out of the loop, and what is written back there.
class Leaves {
 public:
  // Both outlive this.
  Leaves(const LoopHomes& homes, const LoopRows& rows, bool counts_firings)
      : homes_(homes), rows_(rows), counts_firings_(counts_firings) {}

  // A label that leaves the loop, for instruction `next` to be the next; `unfired` firings that
  // were taken are given back.
  std::string To(uint32_t next, int64_t unfired = 0) {
    const std::string label = NewLabel();
    IrLines lines(label + "_");
    rows_.Leave(lines, next, [this] { return ToError(); });
    homes_.Forget(lines, next);
    if (counts_firings_ && unfired > 0) {
      const std::string left = lines.Load("i64", homes_.Fuel());
      lines.Store("i64", lines.Value("add i64 " + left + ", " + std::to_string(unfired)),
                  homes_.Fuel());
    }
    Add(label, lines, next);
    return label;
  }
  // A label that leaves the loop with an error: nobody goes on.
  std::string ToError() {
    const std::string label = NewLabel();
    IrLines lines(label + "_");
    homes_.ForgetAll(lines);
    Add(label, lines, kNativeFailed);
    return label;
  }
  const std::string& text() const { return text_; }

 private:
  std::string NewLabel() { return "leave" + std::to_string(num_labels_++); }
  void Add(const std::string& label, const IrLines& before, int64_t next) {
    text_ += label + ":\n" + before.text();
    text_ += "  store i32 " + std::to_string(next) + ", ptr %next\n  br label %leave\n";
  }

  const LoopHomes& homes_;
  const LoopRows& rows_;
  const bool counts_firings_;
  std::string text_;
  int num_labels_ = 0;
};

void LoadHost(IrLines& entry) {
  const auto load = [&](const std::string& name, size_t offset) {
    const std::string place =
        entry.Value("getelementptr i8, ptr %host, i64 " + std::to_string(offset));
    entry.Add(name + " = load ptr, ptr " + place);
  };
  load("%self", offsetof(NativeHost, self));
  load("%run", offsetof(NativeHost, run));
  load("%open", offsetof(NativeHost, open));
  load("%close", offsetof(NativeHost, close));
  load("%elements", offsetof(NativeHost, elements));
  load("%put", offsetof(NativeHost, put));
  load("%get", offsetof(NativeHost, get));
  load("%list", offsetof(NativeHost, list));
  load("%tensors", offsetof(NativeHost, tensors));
}

constexpr char kRunRarely[] =
    R"(define internal preserve_allcc i32 @run_rarely(ptr %run, ptr %self, i32 %at) noinline {
  %outcome = call i32 %run(ptr %self, i32 %at)
  ret i32 %outcome
}
)";

class Writer {
 public:
  Writer(const LoopToCompile& loop, const LoopValues& values, const std::string& name)
      : loop_(loop),
        values_(values),
        name_(name),
        blocks_(loop, values),
        homes_(loop, values),
        tensors_(loop, values),
        scalars_(loop, values, homes_, bodies_),
        cells_(loop, values, tensors_, homes_, bodies_),
        element_loops_(loop, values, tensors_, homes_, bodies_, name),
        rows_(loop, values, tensors_, homes_, bodies_, element_loops_),
        whole_loops_(loop, values, tensors_, homes_, bodies_, name),
        leaves_(homes_, rows_, loop.counts_firings) {}

  std::string Write() && {
    for (uint32_t at = loop_.bounds.head; at <= loop_.bounds.last; ++at) WriteInstruction(at);
    if (!has_ended_) JumpTo(leaves_.To(loop_.bounds.last + 1));
    return "define i32 @\"" + name_ +
           "\"(ptr %slots, ptr %iterations, ptr %fuel, ptr %stop, ptr %host) " + kNoVectors +
           " {\n" + Entry() + lines_.text() + leaves_.text() + Leaving() + "}\n" +
           bodies_.declarations() + cells_.RareCalls() + tensors_.RareCalls() +
           (runs_rarely_ ? kRunRarely : "") + IrLines::Weights() + whole_loops_.Functions() +
           element_loops_.Functions();
  }

 private:
  static std::string LabelOf(uint32_t at) { return "i" + std::to_string(at); }

  std::string Load(uint32_t slot) { return homes_.Load(lines_, slot); }
  void Store(uint32_t slot, const std::string& value) { homes_.Store(lines_, slot, value); }
  std::string LabelFor(uint32_t at) { return blocks_.IsInside(at) ? LabelOf(at) : leaves_.To(at); }
  void JumpTo(const std::string& label) {
    lines_.Add("br label %" + label);
    has_ended_ = true;
  }

  // ---- Instructions ----

  void WriteInstruction(uint32_t at) {
    if (blocks_.Begins(at)) {
      FlushElements();
      if (!has_ended_) JumpTo(LabelOf(at));
      lines_.Label(LabelOf(at));
      homes_.BeginBlock();
      rows_.BeginBlock();
      scalars_.TellCounters(lines_, at);
      unfired_ = blocks_.FiringsFrom(at);
      if (loop_.counts_firings && unfired_ > 0) TakeFuel(at);
    } else if (loop_.takes_little() && (at - loop_.bounds.head) % kShortBlock == 0) {
      CutBlock();
    }
    has_ended_ = false;
    const Instruction& instruction = loop_.at(at);
    if (!IsPlain(at)) FlushElements();
    if (!values_.RunsNative(at)) return WriteRun(at, instruction);
    if (UsesRows(at)) return WriteWithRows(at, instruction);
    if (values_.WholeCallAt(at)) {
      whole_loops_.Write(lines_, at, failed_);
      --unfired_;
      return;
    }
    if (values_.TensorCallAt(at)) {
      element_loops_.Add(lines_, at, failed_);
      if (instruction.op == OpCode::kCall) --unfired_;
      return;
    }
    switch (instruction.op) {
      case OpCode::kCall:
        WriteCall(at, instruction);
        break;
      case OpCode::kMove:
        WriteMove(at, instruction);
        break;
      case OpCode::kJump:
        JumpTo(LabelFor(instruction.target));
        break;
      case OpCode::kUnless:
      case OpCode::kUnlessIndex:
        WriteTest(at, instruction);
        break;
      case OpCode::kEnter:
        lines_.Store("i64", "0", homes_.Iterations(instruction.n));
        break;
      case OpCode::kRepeat:
        WriteRepeat(at, instruction);
        break;
      default:  // nothing to do where a value is a scalar
        break;
    }
  }

  // Whether the loop goes on behind the instruction, which has to do with registers alone or is a
  // call of tensors.
  bool IsPlain(uint32_t at) const {
    if (!values_.RunsNative(at) || UsesRows(at) || values_.WholeCallAt(at)) return false;
    if (values_.TensorCallAt(at)) return true;
    switch (loop_.at(at).op) {
      case OpCode::kCall:
        return values_.ElementAt(at) == nullptr && values_.CallAt(at)->refuses.empty();
      case OpCode::kMove:
        return values_.is_native(loop_.at(at).b);
      case OpCode::kDrop:
      case OpCode::kTryFused:
        return true;
      default:
        return false;
    }
  }
  bool UsesRows(uint32_t at) const {
    return loop_.at(at).op == OpCode::kCall && values_.UsesRows(at);
  }
  void WriteWithRows(uint32_t at, const Instruction& call) {
    const auto outside = [&] { return leaves_.To(at, unfired_); };
    if (values_.PlaceAt(at) != nullptr) {
      return WriteOrRun(
          at, call, [&](const std::string& run) { rows_.WritePlace(lines_, at, outside, run); });
    }
    if (values_.RowAt(at) != nullptr) {
      rows_.WriteRow(lines_, at, outside, failed_);
    } else {
      rows_.WriteVector(lines_, at, blocks_.EndFrom(at), failed_);
    }
    --unfired_;
  }
  void FlushElements() { element_loops_.Flush(lines_, failed_); }

  // LLVM's time for a block grows faster than its length.
  void CutBlock() {
    const std::string next = lines_.NewLabel();
    lines_.Add("br label %" + next);
    lines_.Label(next);
    homes_.BeginBlock();
  }

  void TakeFuel(uint32_t at) {
    const std::string left = lines_.Load("i64", homes_.Fuel());
    const std::string rest = lines_.Value("sub i64 " + left + ", " + std::to_string(unfired_));
    lines_.LeaveIf(lines_.Value("icmp slt i64 " + rest + ", 0"), leaves_.To(at));
    lines_.Store("i64", rest, homes_.Fuel());
  }

  void WriteMove(uint32_t at, const Instruction& move) {
    const uint32_t from = loop_.arg(move, 0).slot;
    if (values_.is_native(from)) return Store(move.b, Load(from));
    if (values_.TensorOf(from)) return tensors_.Swap(lines_, from, move.b);
    WriteOrRun(at, move, [&](const std::string& run) { cells_.WriteMove(lines_, move, run); });
  }
  void WriteCall(uint32_t at, const Instruction& call) {
    if (const ElementPart* const part = values_.ElementAt(at)) {
      const auto other = [&] { return leaves_.To(at + 1, unfired_ - 1); };
      return WriteOrRun(at, call, [&](const std::string& run) {
        cells_.WriteAccess(lines_, call, *part, run, other);
      });
    }
    scalars_.WriteCall(
        lines_, at, [&] { return leaves_.To(at, unfired_); }, [this] { CutBlock(); });
    --unfired_;
  }

  void WriteTest(uint32_t at, const Instruction& test) {
    const std::string value = Load(test.a);
    std::string holds;
    if (test.op == OpCode::kUnless) {
      holds = lines_.Value("icmp eq i1 " + value + ", " + (test.n != 0 ? "true" : "false"));
    } else {
      // The last way is that of all others.                                          [switch.1]
      const bool is_last = test.n + 1 == test.b;
      holds = lines_.Value(std::string("icmp ") + (is_last ? "uge" : "eq") + " i32 " + value +
                           ", " + std::to_string(test.n));
    }
    lines_.Add("br i1 " + holds + ", label %" + LabelFor(at + 1) + ", label %" +
               LabelFor(test.target));
    has_ended_ = true;
  }

  void WriteRepeat(uint32_t at, const Instruction& repeat) {
    const std::string asked = lines_.Value("load atomic i32, ptr %stop monotonic, align 4");
    lines_.LeaveIf(lines_.Value("icmp ne i32 " + asked + ", 0"), leaves_.To(at, unfired_));
    const std::string number = lines_.Load("i64", homes_.Iterations(repeat.n));
    lines_.Store("i64", lines_.Value("add i64 " + number + ", 1"), homes_.Iterations(repeat.n));
    JumpTo(LabelFor(repeat.target));
  }

  // ---- Instructions that the machine runs ----

  // What `write` writes, which goes to the label that it is given where the machine is to run the
  // instruction after all.
  template <typename Write>
  void WriteOrRun(uint32_t at, const Instruction& instruction, const Write& write) {
    const std::string run = lines_.NewLabel(), done = lines_.NewLabel();
    write(run);
    lines_.Add("br label %" + done);
    lines_.Label(run);
    runs_rarely_ = true;
    WriteRun(at, instruction, "call preserve_allcc i32 @run_rarely(ptr %run, ");
    lines_.Add("br label %" + done);
    lines_.Label(done);
  }

  // The machine reads registers where they were written back, and what it wrote is loaded again.
  void WriteRun(uint32_t at, const Instruction& instruction,
                const std::string& call = "call i32 %run(") {
    std::vector<uint32_t> read, written;
    VisitAll(
        instruction, loop_.code,
        [&](const Arg& arg) {
          if (values_.is_native(arg.slot)) read.push_back(arg.slot);
        },
        [&](uint32_t slot) {
          if (values_.is_native(slot)) written.push_back(slot);
        });
    cells_.BeforeRun(lines_, instruction);
    rows_.BeforeRun(lines_, at, failed_);
    tensors_.BeforeRun(lines_, instruction);
    homes_.BeforeRun(lines_, read);
    const std::string outcome = lines_.Value(call + "ptr %self, i32 " + std::to_string(at) + ")");
    const bool fires = instruction.op == OpCode::kCall;
    const std::string done = lines_.NewLabel();
    std::string cases;
    const auto on = [&](NativeOutcome which, const std::string& label) {
      cases += " i32 " + std::to_string(static_cast<int>(which)) + ", label %" + label;
    };
    on(NativeOutcome::kLeaveBefore, leaves_.To(at, unfired_));
    const bool is_fused = instruction.op == OpCode::kTryFused;
    const std::string fused = is_fused ? lines_.NewLabel() : "";
    if (is_fused) on(NativeOutcome::kFused, fused);
    const std::string otherwise = lines_.NewLabel();
    lines_.Add("br i1 " + lines_.Value("icmp eq i32 " + outcome + ", 0") + ", label %" + done +
               ", label %" + otherwise);
    lines_.Label(otherwise);
    lines_.Add("switch i32 " + outcome + ", label %" + leaves_.ToError() + " [" + cases + " ]");
    if (is_fused) {
      lines_.Label(fused);
      tensors_.AfterFused(lines_, at, [&] { return leaves_.To(instruction.target); });
      lines_.Add("br label %" + LabelFor(instruction.target));
    }
    lines_.Label(done);
    if (fires) --unfired_;
    homes_.AfterRun(lines_, written);
    // A kernel that gave a scalar before may give another tensor now: then the machine goes on.
    for (const uint32_t slot : written) {
      lines_.LeaveIf(homes_.IsOther(lines_, slot), leaves_.To(at + 1, unfired_));
    }
    tensors_.AfterRun(lines_, instruction, [&] { return leaves_.To(at + 1, unfired_); });
  }

  // ---- Around the instructions ----

  std::string Entry() const {
    IrLines entry("e");
    entry.Label("entry");
    entry.Add("%next = alloca i32");
    LoadHost(entry);
    homes_.Enter(entry);
    cells_.Enter(entry);
    tensors_.Enter(entry);
    whole_loops_.Enter(entry);
    entry.Add("br label %" + LabelOf(loop_.bounds.head));
    return entry.text();
  }
  std::string Leaving() const {
    IrLines leaving("l");
    leaving.Label("leave");
    cells_.Leave(leaving);
    homes_.Leave(leaving);
    leaving.Add("ret i32 " + leaving.Load("i32", "%next"));
    return leaving.text();
  }

  const LoopToCompile& loop_;
  const LoopValues& values_;
  const std::string name_;
  const Blocks blocks_;
  LoopHomes homes_;
  BodyCalls bodies_;
  const LoopTensors tensors_;
  const LoopScalars scalars_;
  const LoopCells cells_;
  ElementLoops element_loops_;
  LoopRows rows_;
  WholeLoops whole_loops_;
  IrLines lines_{"v"};
  Leaves leaves_;
  const LoopTensors::Way failed_ = [this] { return leaves_.ToError(); };
  bool runs_rarely_ = false;
  int64_t unfired_ = 0;    // firings that the block has taken and not yet had
  bool has_ended_ = true;  // whether the last line goes elsewhere
};

}  // namespace

std::string WriteLoop(const LoopToCompile& loop, const LoopValues& values,
                      const std::string& name) {
  return Writer(loop, values, name).Write();
}

}  // namespace tagflow::optimized
