#include "optimized/native/loop_cells.h"

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

std::string Place(uint32_t slot) { return "%o" + std::to_string(slot); }

std::string IntegerOf(DType dtype) { return "i" + std::to_string(8 * DTypeSize(dtype)); }

// A scalar as the bits of a cell, and back.
std::string AsBits(IrLines& lines, DType dtype, std::string value) {
  if (dtype == DType::kBool) return lines.Value("zext i1 " + value + " to i64");
  const std::string type = NativeTypeOf(dtype)->value, integer = IntegerOf(dtype);
  if (type != integer) value = lines.Value("bitcast " + type + " " + value + " to " + integer);
  return integer == "i64" ? value : lines.Value("zext " + integer + " " + value + " to i64");
}
std::string FromBits(IrLines& lines, DType dtype, std::string bits) {
  const std::string type = NativeTypeOf(dtype)->value, integer = IntegerOf(dtype);
  if (integer != "i64") bits = lines.Value("trunc i64 " + bits + " to " + integer);
  if (dtype == DType::kBool) return lines.Value("icmp ne i8 " + bits + ", 0");
  return type == integer ? bits : lines.Value("bitcast " + integer + " " + bits + " to " + type);
}

}  // namespace

void LoopCells::Enter(IrLines& lines) const {
  if (!has_containers()) return;
  lines.Add("%bits = alloca i64");
  for (const auto* slots : {&values_.lists(), &values_.objects()}) {
    for (const uint32_t slot : *slots) {
      lines.Add(Place(slot) + " = alloca ptr");
      lines.Store("ptr", "null", Place(slot));
    }
  }
}

void LoopCells::Leave(IrLines& lines) const {
  for (const uint32_t slot : values_.lists()) Close(lines, slot);
}

void LoopCells::BeforeRun(IrLines& lines, const Instruction& instruction) const {
  const auto close = [&](uint32_t slot) {
    if (values_.lists().contains(slot)) Close(lines, slot);
  };
  VisitAll(
      instruction, loop_.code, [&](const Arg& arg) { close(arg.slot); }, close);
  for (const uint32_t slot : values_.objects()) lines.Store("ptr", "null", Place(slot));
}

void LoopCells::WriteAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                            const std::string& otherwise) const {
  const auto input = [&](int i) { return loop_.code.args[call.a + static_cast<uint32_t>(i)].slot; };
  const auto output = [&](int i) { return loop_.code.outputs[call.b + static_cast<uint32_t>(i)]; };
  Open(lines, part.kind, input(0), otherwise);
  if (part.gives_list) RequireEmpty(lines, output(0), otherwise);
  std::string args = "ptr " + lines.Load("ptr", Place(input(0)));
  if (part.index >= 0) {
    const std::string index = homes_.Load(lines, input(part.index));
    const bool is_wide = values_.dtype(input(part.index)) == DType::kInt64;
    args += ", i64 " + (is_wide ? index : lines.Value("sext i32 " + index + " to i64"));
  }
  DType dtype = part.dtype;
  if (part.value >= 0) {
    dtype = values_.dtype(input(part.value));
    args += ", i64 " + AsBits(lines, dtype, homes_.Load(lines, input(part.value)));
  } else {
    args += ", ptr %bits";
  }
  args += ", i16 zeroext " + std::to_string(static_cast<uint16_t>(dtype));
  lines.GoOnIf(lines.Value("call zeroext i1 @" + std::string(part.access) + "(" + args + ")"),
               otherwise);
  if (part.element >= 0) {
    homes_.Store(lines, output(part.element), FromBits(lines, dtype, lines.Load("i64", "%bits")));
  }
  if (part.handed_on >= 0) {
    homes_.Store(lines, output(0), homes_.Load(lines, input(part.handed_on)));
  }
  if (part.gives_list) Hand(lines, input(0), output(0));
}

std::string LoopCells::RareCalls() const {
  if (!has_containers()) return "";
  return R"(define internal preserve_allcc ptr @open_rarely(ptr %open, ptr %self, i32 %kind, i32 %slot) noinline {
  %cells = call ptr %open(ptr %self, i32 %kind, i32 %slot)
  ret ptr %cells
}
define internal preserve_allcc void @close_rarely(ptr %close, ptr %self, ptr %list, i32 %slot) noinline {
  call void %close(ptr %self, ptr %list, i32 %slot)
  ret void
}
define internal preserve_allcc i32 @run_rarely(ptr %run, ptr %self, i32 %at) noinline {
  %outcome = call i32 %run(ptr %self, i32 %at)
  ret i32 %outcome
}
)";
}

std::string LoopCells::TypesOf(const ElementPart& part) {
  return std::string("ptr, ") + (part.index >= 0 ? "i64, " : "") +
         (part.value >= 0 ? "i64" : "ptr") + ", i16 zeroext";
}

void LoopCells::WriteMove(IrLines& lines, const Instruction& move,
                          const std::string& otherwise) const {
  const uint32_t from = loop_.code.args[move.a].slot;
  lines.GoOnIf(lines.Value("icmp ne ptr " + lines.Load("ptr", Place(from)) + ", null"), otherwise);
  RequireEmpty(lines, move.b, otherwise);
  Hand(lines, from, move.b);
}

void LoopCells::Open(IrLines& lines, CellsKind kind, uint32_t slot,
                     const std::string& otherwise) const {
  const std::string closed = lines.NewLabel(), open = lines.NewLabel();
  lines.Branch(lines.Value("icmp ne ptr " + lines.Load("ptr", Place(slot)) + ", null"), open,
               closed, Likely::kFirst);
  lines.Label(closed);
  const std::string cells =
      lines.Value("call preserve_allcc ptr @open_rarely(ptr %open, ptr %self, i32 " +
                  std::to_string(static_cast<int>(kind)) + ", i32 " + std::to_string(slot) + ")");
  lines.Store("ptr", cells, Place(slot));
  lines.Branch(lines.Value("icmp ne ptr " + cells + ", null"), open, otherwise, Likely::kFirst);
  lines.Label(open);
}

void LoopCells::Close(IrLines& lines, uint32_t slot) const {
  const std::string close = lines.NewLabel(), next = lines.NewLabel();
  const std::string cells = lines.Load("ptr", Place(slot));
  lines.Branch(lines.Value("icmp eq ptr " + cells + ", null"), next, close, Likely::kNeither);
  lines.Label(close);
  lines.Add("call preserve_allcc void @close_rarely(ptr %close, ptr %self, ptr " + cells +
            ", i32 " + std::to_string(slot) + ")");
  lines.Store("ptr", "null", Place(slot));
  lines.Add("br label %" + next);
  lines.Label(next);
}

void LoopCells::RequireEmpty(IrLines& lines, uint32_t slot, const std::string& otherwise) const {
  lines.GoOnIf(lines.Value("icmp eq ptr " + lines.Load("ptr", Place(slot)) + ", null"), otherwise);
  lines.GoOnIf(homes_.IsInline(lines, slot), otherwise);
}

void LoopCells::Hand(IrLines& lines, uint32_t from, uint32_t to) const {
  lines.Store("ptr", lines.Load("ptr", Place(from)), Place(to));
  lines.Store("ptr", "null", Place(from));
}

}  // namespace tagflow::optimized
