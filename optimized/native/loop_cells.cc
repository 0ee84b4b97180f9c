#include "optimized/native/loop_cells.h"

#include <cstddef>

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

// Moves what the tensor at one place has to another, which has nothing that would have to be freed.
void MoveTensor(IrLines& lines, const std::string& from, const std::string& to) {
  const auto behind = [&](const std::string& place) {
    return lines.Value("getelementptr i8, ptr " + place + ", i64 " + std::to_string(kHeader));
  };
  const std::string from_header = behind(from), to_header = behind(to);
  lines.Store("i64", lines.Load("i64", from), to);
  lines.Store("i64", lines.Load("i64", from_header), to_header);
  lines.Store("i16", "0", from_header);
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
                            const std::string& otherwise, const LoopTensors::Way& other) const {
  const uint32_t list = loop_.arg(call, 0).slot, element = loop_.ElementSlot(call, part);
  const bool is_list = values_.lists().contains(element), is_scalar = values_.is_native(element);
  const std::string type = is_list ? "%list" : is_scalar ? "null" : tensors_.Type(element);
  Open(lines, part.kind, list, type, otherwise);
  if (part.gives_list) RequireEmpty(lines, loop_.output(call, 0), otherwise);
  if (is_list) {
    WriteListAccess(lines, call, part, element, otherwise);
  } else if (is_scalar) {
    WriteScalarAccess(lines, call, part, element, otherwise);
    HandOn(lines, call, part);
  } else {
    WriteTensorAccess(lines, call, part, element, otherwise, other);
  }
}

LoopCells::CellsArgs LoopCells::ArgsOf(IrLines& lines, const Instruction& call,
                                       const ElementPart& part) const {
  CellsArgs args = {"ptr " + lines.Load("ptr", Place(loop_.arg(call, 0).slot)), "ptr"};
  if (part.index >= 0) {
    const uint32_t slot = loop_.arg(call, static_cast<size_t>(part.index)).slot;
    const std::string index = homes_.Load(lines, slot);
    args.values += ", i64 " + AsIndex(lines, values_.dtype(slot), index);
    args.types += ", i64";
  }
  return args;
}

std::string LoopCells::FindCell(IrLines& lines, const Instruction& call, const ElementPart& part,
                                const TensorType& type, const std::string& type_place,
                                const std::string& otherwise) const {
  CellsArgs args = ArgsOf(lines, call, part);
  const bool puts = part.value >= 0;
  args.values += ", i16 zeroext " + std::to_string(HeaderOf(type.dtype, &type));
  if (puts) args.values += ", ptr " + type_place;
  const std::string access = std::string(part.access) + "Cell";
  bodies_.Declare(access, "ptr", args.types + ", i16 zeroext" + (puts ? ", ptr" : ""));
  const std::string cell = lines.Value("call ptr @" + access + "(" + args.values + ")");
  lines.GoOnIf(lines.Value("icmp ne ptr " + cell + ", null"), otherwise);
  if (part.gives_list) Hand(lines, loop_.arg(call, 0).slot, loop_.output(call, 0));
  return cell;
}

void LoopCells::WriteScalarAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                                  uint32_t element, const std::string& otherwise) const {
  const DType dtype = values_.dtype(element);
  CellsArgs args = ArgsOf(lines, call, part);
  const bool puts = part.value >= 0;
  args.values +=
      puts ? ", i64 " + AsBits(lines, dtype, homes_.Load(lines, element)) : ", ptr %bits";
  args.values += ", i16 zeroext " + std::to_string(HeaderOf(dtype, nullptr));
  bodies_.Declare(part.access, "zeroext i1",
                  args.types + (puts ? ", i64" : ", ptr") + ", i16 zeroext");
  lines.GoOnIf(
      lines.Value("call zeroext i1 @" + std::string(part.access) + "(" + args.values + ")"),
      otherwise);
  if (!puts) homes_.Store(lines, element, FromBits(lines, dtype, lines.Load("i64", "%bits")));
  if (part.gives_list) Hand(lines, loop_.arg(call, 0).slot, loop_.output(call, 0));
}

void LoopCells::WriteTensorAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                                  uint32_t element, const std::string& otherwise,
                                  const LoopTensors::Way& other) const {
  const TensorType& type = values_.TensorTypeOf(element);
  const std::string cells = lines.Load("ptr", Place(loop_.arg(call, 0).slot));
  const std::string cell = FindCell(lines, call, part, type, tensors_.Type(element), otherwise);
  if (part.value >= 0) {
    const Arg& value = loop_.arg(call, static_cast<size_t>(part.value));
    tensors_.Put(lines, element, cell, value.is_last && part.handed_on != part.value);
    HandOn(lines, call, part);
    return;
  }
  const std::string keeps_name = std::string(part.access) + "Keeps";
  bodies_.Declare(keeps_name, "zeroext i1", "ptr");
  const std::string keeps = lines.Value("call zeroext i1 @" + keeps_name + "(ptr " + cells + ")");
  HandOn(lines, call, part);
  tensors_.Get(lines, element, cell, keeps, other);
}

void LoopCells::WriteListAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                                uint32_t element, const std::string& otherwise) const {
  const TensorType list = {DType::kVariant};
  const std::string slot = lines.Value(SlotPlace(element, 0));
  const bool puts = part.value >= 0;
  if (puts) {
    Close(lines, element);
    const std::string now = lines.Load("i16", lines.Value(SlotPlace(element, kHeader)));
    const std::string header = std::to_string(HeaderOf(list.dtype, &list));
    lines.GoOnIf(lines.Value("icmp eq i16 " + now + ", " + header), otherwise);
  } else {
    RequireEmpty(lines, element, otherwise);
  }
  const std::string cell = FindCell(lines, call, part, list, "%list", otherwise);
  MoveTensor(lines, puts ? slot : cell, puts ? cell : slot);
}

void LoopCells::HandOn(IrLines& lines, const Instruction& call, const ElementPart& part) const {
  if (part.handed_on < 0) return;
  const Arg& from = loop_.arg(call, static_cast<size_t>(part.handed_on));
  const uint32_t to = loop_.output(call, 0);
  if (values_.is_native(from.slot)) {
    homes_.Store(lines, to, homes_.Load(lines, from.slot));
  } else {
    tensors_.Hand(lines, from.slot, to, from.is_last);
  }
}

std::string LoopCells::RareCalls() const {
  if (!has_containers()) return "";
  return R"(define internal preserve_allcc ptr @open_rarely(ptr %open, ptr %self, i32 %kind, i32 %slot, ptr %type) noinline {
  %cells = call ptr %open(ptr %self, i32 %kind, i32 %slot, ptr %type)
  ret ptr %cells
}
define internal preserve_allcc void @close_rarely(ptr %close, ptr %self, ptr %list, i32 %slot) noinline {
  call void %close(ptr %self, ptr %list, i32 %slot)
  ret void
}
)";
}

void LoopCells::WriteMove(IrLines& lines, const Instruction& move,
                          const std::string& otherwise) const {
  const uint32_t from = loop_.arg(move, 0).slot;
  const std::string open = lines.NewLabel(), closed = lines.NewLabel(), next = lines.NewLabel();
  RequireEmpty(lines, move.b, otherwise);
  lines.Branch(lines.Value("icmp ne ptr " + lines.Load("ptr", Place(from)) + ", null"), open,
               closed, Likely::kNeither);
  lines.Label(open);
  Hand(lines, from, move.b);
  lines.Add("br label %" + next);
  lines.Label(closed);
  MoveTensor(lines, lines.Value(SlotPlace(from, 0)), lines.Value(SlotPlace(move.b, 0)));
  lines.Add("br label %" + next);
  lines.Label(next);
}

void LoopCells::Open(IrLines& lines, CellsKind kind, uint32_t slot, const std::string& type,
                     const std::string& otherwise) const {
  const std::string closed = lines.NewLabel(), open = lines.NewLabel();
  lines.Branch(lines.Value("icmp ne ptr " + lines.Load("ptr", Place(slot)) + ", null"), open,
               closed, Likely::kFirst);
  lines.Label(closed);
  const std::string cells =
      lines.Value("call preserve_allcc ptr @open_rarely(ptr %open, ptr %self, i32 " +
                  std::to_string(static_cast<int>(kind)) + ", i32 " + std::to_string(slot) +
                  ", ptr " + type + ")");
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
