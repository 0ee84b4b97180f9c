#include "optimized/native/loop_homes.h"

#include <algorithm>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

// Ways out of a loop times values that are written back there, for which LLVM's time is still that
// of the loop's instructions: 60 leaves and 60 values took 80 ms instead of 25, 635 and 320 took 24
// seconds.
constexpr size_t kMostWrittenBack = 2'000;

std::string HeaderOf(DType dtype) { return std::to_string(static_cast<uint16_t>(dtype)); }
std::string PlaceOfIterations(uint32_t depth) { return "%a" + std::to_string(depth); }

const NativeType& TypeOf(const LoopValues& values, uint32_t slot) {
  return *NativeTypeOf(values.dtype(slot));
}

// How many ways out an instruction has.
size_t LeavesOf(const LoopToCompile& loop, const LoopValues& values, uint32_t at) {
  constexpr size_t kOfRun = 3;  // not run, failed, and a scalar that is none any more
  if (!values.RunsNative(at)) return kOfRun;
  if (values.TensorCallAt(at) || values.WholeCallAt(at)) return 1;
  const Instruction& instruction = loop.code.instructions[at];
  switch (instruction.op) {
    case OpCode::kCall:
      if (values.PlaceAt(at) != nullptr) return 1 + kOfRun;
      if (values.UsesRows(at)) return 1;
      if (values.ElementAt(at) != nullptr) return kOfRun;
      return values.CallAt(at)->refuses.empty() ? 0 : 1;
    case OpCode::kMove:
      return values.lists().contains(instruction.b) ? kOfRun : 0;
    case OpCode::kRepeat:
      return 1;
    case OpCode::kUnless:
    case OpCode::kUnlessIndex:
    case OpCode::kJump:
      return loop.bounds.Contains(instruction.target) ? 0 : 1;
    default:
      return 0;
  }
}

}  // namespace

std::string SlotPlace(uint32_t slot, size_t offset) {
  return "getelementptr i8, ptr %slots, i64 " + std::to_string(slot * sizeof(Tensor) + offset);
}

LoopHomes::LoopHomes(const LoopToCompile& loop, const LoopValues& values)
    : values_(values), counts_firings_(loop.counts_firings) {
  size_t leaves = 0;
  for (uint32_t at = loop.bounds.head; at <= loop.bounds.last; ++at) {
    const Instruction& instruction = loop.code.instructions[at];
    leaves += LeavesOf(loop, values, at);
    if (instruction.op != OpCode::kRepeat) continue;
    const bool is_new = std::ranges::find(depths_, instruction.n) == depths_.end();
    if (is_new) depths_.push_back(instruction.n);
  }
  const auto written =
      static_cast<size_t>(std::ranges::count(values.values(), true, &NativeValue::is_written));
  in_memory_ = loop.takes_little() || leaves * written > kMostWrittenBack;
  if (!in_memory_) liveness_.emplace(loop, values);
}

std::string LoopHomes::Load(IrLines& lines, uint32_t slot) {
  const std::string constant = values_.Constant(slot);
  if (!constant.empty()) return constant;
  if (!in_memory_) return lines.Load(TypeOf(values_, slot).value, Register(slot));
  std::string& known = known_[slot];
  if (known.empty()) known = FromMemory(lines, slot);
  return known;
}

void LoopHomes::Store(IrLines& lines, uint32_t slot, const std::string& value) {
  if (!in_memory_) return lines.Store(TypeOf(values_, slot).value, value, Register(slot));
  ToMemory(lines, slot, value);
  known_[slot] = value;
}

std::string LoopHomes::Iterations(uint32_t depth) const {
  return in_memory_ ? PlaceOfIterations(depth) : "%n" + std::to_string(depth);
}

void LoopHomes::BeforeRun(IrLines& lines, const std::vector<uint32_t>& read) {
  if (in_memory_) return;
  for (const uint32_t slot : read) {
    if (values_.Constant(slot).empty()) ToMemory(lines, slot, Load(lines, slot));
  }
  // A kernel may ask for its tag.
  WriteIterationsBack(lines);
}

void LoopHomes::AfterRun(IrLines& lines, const std::vector<uint32_t>& written) {
  if (in_memory_) return known_.clear();
  for (const uint32_t slot : written) {
    lines.Store(TypeOf(values_, slot).value, FromMemory(lines, slot), Register(slot));
    may_be_tensor_.insert(slot);
  }
}

std::string LoopHomes::IsOther(IrLines& lines, uint32_t slot) const {
  const std::string header = lines.Load("i16", Header(lines, slot));
  return lines.Value("icmp ne i16 " + header + ", " + HeaderOf(values_.dtype(slot)));
}

std::string LoopHomes::IsInline(IrLines& lines, uint32_t slot) const {
  const std::string header = lines.Load("i16", lines.Value(SlotPlace(slot, kHeader)));
  return lines.Value("icmp ult i16 " + header + ", " + std::to_string(kElsewhere));
}

template <typename IsLive>
void LoopHomes::ForgetUnless(IrLines& lines, const IsLive& is_live) const {
  if (in_memory_) return;
  for (const NativeValue& value : values_.values()) {
    if (!value.is_written || is_live(value.slot)) continue;
    lines.Store(TypeOf(values_, value.slot).value, "poison", Register(value.slot));
  }
}

void LoopHomes::Forget(IrLines& lines, uint32_t next) const {
  ForgetUnless(lines, [&](uint32_t slot) { return liveness_->IsLive(slot, next); });
}

void LoopHomes::ForgetAll(IrLines& lines) const {
  ForgetUnless(lines, [](uint32_t) { return false; });
}

void LoopHomes::Enter(IrLines& lines) const {
  for (const NativeValue& value : values_.values()) {
    if (in_memory_) break;
    const std::string slot = std::to_string(value.slot);
    lines.Add("%c" + slot + " = " + SlotPlace(value.slot, kValue));
    lines.Add("%h" + slot + " = " + SlotPlace(value.slot, kHeader));
    const std::string type = TypeOf(values_, value.slot).value;
    lines.Add(Register(value.slot) + " = alloca " + type);
    lines.Store(type, FromMemory(lines, value.slot), Register(value.slot));
  }
  for (const uint32_t depth : depths_) {
    lines.Add(PlaceOfIterations(depth) + " = getelementptr i64, ptr %iterations, i64 " +
              std::to_string(depth));
    if (in_memory_) continue;
    lines.Add(Iterations(depth) + " = alloca i64");
    lines.Store("i64", lines.Load("i64", PlaceOfIterations(depth)), Iterations(depth));
  }
  if (!counts_firings_ || in_memory_) return;
  lines.Add(Fuel() + " = alloca i64");
  lines.Store("i64", lines.Load("i64", "%fuel"), Fuel());
}

void LoopHomes::Leave(IrLines& lines) const {
  if (in_memory_) return;
  for (const NativeValue& value : values_.values()) {
    if (!value.is_written) continue;
    if (may_be_tensor_.contains(value.slot)) {
      ToMemoryUnlessTensor(lines, value.slot);
    } else {
      const std::string type = TypeOf(values_, value.slot).value;
      ToMemory(lines, value.slot, lines.Load(type, Register(value.slot)));
    }
  }
  WriteIterationsBack(lines);
  if (counts_firings_) lines.Store("i64", lines.Load("i64", Fuel()), "%fuel");
}

std::string LoopHomes::Register(uint32_t slot) const { return "%s" + std::to_string(slot); }

// In registers they are computed once, at the entry. In a piece each is used so seldom that it
// would only be one more value to keep.
std::string LoopHomes::Place(IrLines& lines, uint32_t slot) const {
  return in_memory_ ? lines.Value(SlotPlace(slot, kValue)) : "%c" + std::to_string(slot);
}
std::string LoopHomes::Header(IrLines& lines, uint32_t slot) const {
  return in_memory_ ? lines.Value(SlotPlace(slot, kHeader)) : "%h" + std::to_string(slot);
}

std::string LoopHomes::FromMemory(IrLines& lines, uint32_t slot) const {
  const NativeType& type = TypeOf(values_, slot);
  const std::string value = lines.Load(type.memory, Place(lines, slot));
  return optimized::FromMemory(lines, type, value);
}

std::string LoopHomes::AsInMemory(IrLines& lines, uint32_t slot, const std::string& value) const {
  return optimized::ToMemory(lines, TypeOf(values_, slot), value);
}

// A kernel may have taken the scalar that was there: what says that there is one is written, too.
void LoopHomes::ToMemory(IrLines& lines, uint32_t slot, const std::string& value) const {
  const std::string written = AsInMemory(lines, slot, value);
  lines.Store(TypeOf(values_, slot).memory, written, Place(lines, slot));
  // The dtype alone: the byte behind it is 0 already, and a constant of two bytes takes processors
  // of Intel longer to decode.
  lines.Store("i8", HeaderOf(values_.dtype(slot)), Header(lines, slot));
}

// The same where a run of the machine may have put a tensor there that is no scalar: that stays.
void LoopHomes::ToMemoryUnlessTensor(IrLines& lines, uint32_t slot) const {
  const std::string type = TypeOf(values_, slot).memory;
  const std::string header = lines.Load("i16", Header(lines, slot));
  const std::string is_scalar =
      lines.Value("icmp ult i16 " + header + ", " + std::to_string(kElsewhere));
  const std::string now = lines.Load(type, Place(lines, slot));
  const std::string ours = lines.Load(TypeOf(values_, slot).value, Register(slot));
  const std::string written = AsInMemory(lines, slot, ours);
  const auto chosen = [&](const std::string& of, const std::string& first,
                          const std::string& second) {
    return lines.Value("select i1 " + is_scalar + ", " + of + " " + first + ", " + of + " " +
                       second);
  };
  lines.Store(type, chosen(type, written, now), Place(lines, slot));
  lines.Store("i16", chosen("i16", HeaderOf(values_.dtype(slot)), header), Header(lines, slot));
}

void LoopHomes::WriteIterationsBack(IrLines& lines) const {
  for (const uint32_t depth : depths_) {
    lines.Store("i64", lines.Load("i64", Iterations(depth)), PlaceOfIterations(depth));
  }
}

}  // namespace tagflow::optimized
