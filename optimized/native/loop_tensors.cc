#include "optimized/native/loop_tensors.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "optimized/native/loop_homes.h"
#include "optimized/native/native_library.h"

namespace tagflow::optimized {

LoopTensors::LoopTensors(const LoopToCompile& loop, const LoopValues& values)
    : loop_(loop), values_(values) {
  if (values_.tensors().empty()) return;
  reads_.resize(loop_.code.num_slots);
  for (const Instruction& instruction : loop_.code.instructions) {
    VisitSlots(
        instruction, loop_.code.args, loop_.code.outputs,
        [&](const Arg& arg) { ++reads_[arg.slot]; }, [](uint32_t) {});
  }
}

void LoopTensors::Enter(IrLines& lines) const {
  if (values_.tensors().empty()) return;
  for (size_t i = 0; i < values_.tensors().size(); ++i) {
    const uint32_t slot = values_.tensors()[i].slot;
    const std::string offset = std::to_string(i * sizeof(NativeTensor));
    lines.Add("%t" + Number(slot) + " = getelementptr i8, ptr %tensors, i64 " + offset);
    lines.Add(Readable(slot) + " = alloca ptr");
    lines.Add(Writable(slot) + " = alloca ptr");
    Look(lines, slot, nullptr);
  }
}

void LoopTensors::Own(IrLines& lines, uint32_t slot, uint32_t writer, const Way& failed) const {
  OwnOr(lines, slot, static_cast<int32_t>(writer), failed);
}

void LoopTensors::OwnToChange(IrLines& lines, uint32_t slot, const std::string& shared) const {
  OwnOr(lines, slot, kNativeChanges, [&] { return shared; });
}

void LoopTensors::OwnOr(IrLines& lines, uint32_t slot, int32_t writer, const Way& otherwise) const {
  const std::string get = lines.NewLabel(), got = lines.NewLabel(), next = lines.NewLabel();
  const std::string known = lines.Load("ptr", Writable(slot));
  lines.Branch(lines.Value("icmp ne ptr " + known + ", null"), next, get, Likely::kFirst);
  lines.Label(get);
  const std::string own =
      lines.Value("call preserve_allcc ptr @own_rarely(ptr %elements, ptr %self, ptr %t" +
                  Number(slot) + ", i32 " + std::to_string(writer) + ")");
  lines.Branch(lines.Value("icmp ne ptr " + own + ", null"), got, otherwise(), Likely::kFirst);
  lines.Label(got);
  lines.Store("ptr", own, Readable(slot));
  lines.Store("ptr", own, Writable(slot));
  lines.Add("br label %" + next);
  lines.Label(next);
}

void LoopTensors::Swap(IrLines& lines, uint32_t first, uint32_t second) const {
  const auto swap = [&](const std::string& type, const std::string& a, const std::string& b) {
    const std::string of_a = lines.Load(type, a), of_b = lines.Load(type, b);
    lines.Store(type, of_b, a);
    lines.Store(type, of_a, b);
  };
  for (const size_t offset : {0, 8}) {
    const std::string a = lines.Value(SlotPlace(first, offset));
    const std::string b = lines.Value(SlotPlace(second, offset));
    swap("i64", a, b);
  }
  swap("ptr", Readable(first), Readable(second));
  swap("ptr", Writable(first), Writable(second));
}

std::string LoopTensors::Type(uint32_t slot) const {
  const std::vector<NativeTensor>& tensors = values_.tensors();
  const TensorType& type = values_.TensorTypeOf(slot);
  const auto first = std::ranges::find(tensors, type, &NativeTensor::type);
  return "%t" + std::to_string(first - tensors.begin());
}

void LoopTensors::Put(IrLines& lines, uint32_t slot, const std::string& cell, bool moves) const {
  lines.Add("call void %put(ptr %self, i32 " + std::to_string(slot) + ", ptr " + cell + ", i32 " +
            (moves ? "1" : "0") + ")");
  lines.Store("ptr", "null", Writable(slot));
}

void LoopTensors::Get(IrLines& lines, uint32_t slot, const std::string& cell,
                      const std::string& keeps, const Way& other) const {
  const std::string kept = lines.Value("zext i1 " + keeps + " to i32");
  const std::string elements = lines.Value("call ptr %get(ptr %self, ptr %t" + Number(slot) +
                                           ", ptr " + cell + ", i32 " + kept + ")");
  lines.Store("ptr", elements, Readable(slot));
  lines.Store("ptr", "null", Writable(slot));
  lines.LeaveIf(lines.Value("icmp eq ptr " + elements + ", null"), other());
}

void LoopTensors::Hand(IrLines& lines, uint32_t from, uint32_t to, bool moves) const {
  Put(lines, from, lines.Value(SlotPlace(to, 0)), moves);
  lines.Store("ptr", lines.Load("ptr", Readable(from)), Readable(to));
  lines.Store("ptr", "null", Writable(to));
}

void LoopTensors::BeforeRun(IrLines& lines, const Instruction& instruction) const {
  VisitAll(
      instruction, loop_.code,
      [&](const Arg& arg) {
        if (values_.TensorOf(arg.slot)) lines.Store("ptr", "null", Writable(arg.slot));
      },
      [](uint32_t) {});
}

void LoopTensors::AfterRun(IrLines& lines, const Instruction& instruction, const Way& other) const {
  VisitSlots(
      instruction, loop_.code.args, loop_.code.outputs, [](const Arg&) {},
      [&](uint32_t slot) {
        if (values_.TensorOf(slot)) Look(lines, slot, other);
      });
}

void LoopTensors::AfterFused(IrLines& lines, uint32_t at, const Way& other) const {
  const uint32_t end = loop_.at(at).target;
  std::unordered_map<uint32_t, uint32_t> reads;
  std::vector<uint32_t> written;
  for (uint32_t call = at + 1; call < end; ++call) {
    VisitSlots(
        loop_.at(call), loop_.code.args, loop_.code.outputs,
        [&](const Arg& arg) { ++reads[arg.slot]; },
        [&](uint32_t slot) {
          if (values_.TensorOf(slot)) written.push_back(slot);
        });
  }
  for (const uint32_t slot : written) {
    const bool is_read_behind = reads_[slot] > reads[slot];
    Look(lines, slot, is_read_behind ? other : nullptr);
  }
}

void LoopTensors::Look(IrLines& lines, uint32_t slot, const Way& other) const {
  const std::string elements = lines.Value("call ptr %elements(ptr %self, ptr %t" + Number(slot) +
                                           ", i32 " + std::to_string(kNativeReads) + ")");
  lines.Store("ptr", elements, Readable(slot));
  lines.Store("ptr", "null", Writable(slot));
  if (other) lines.LeaveIf(lines.Value("icmp eq ptr " + elements + ", null"), other());
}

std::string LoopTensors::RareCalls() const {
  if (values_.tensors().empty()) return "";
  return R"(define internal preserve_allcc ptr @own_rarely(ptr %elements, ptr %self, ptr %tensor, i32 %writer) noinline {
  %own = call ptr %elements(ptr %self, ptr %tensor, i32 %writer)
  ret ptr %own
}
)";
}

}  // namespace tagflow::optimized
