#include "optimized/native/loop_tensors.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

int64_t ElementsOf(const Dims& dims) {
  int64_t elements = 1;
  for (const int64_t size : dims) elements *= size;
  return elements;
}

// The group of the accesses that no iteration of a loop over elements has in common with another.
constexpr char kApart[] = ", !llvm.access.group !2";

// Metadata of loops are numbered from here on.
constexpr int kFirstLoop = 4;

// What is handed to the function of a loop.
class LoopArgs {
 public:
  // The name that the function has for it.
  std::string Add(const std::string& type, const std::string& value) {
    const std::string separator = given_.empty() ? "" : ", ";
    const std::string name = "%a" + std::to_string(size_++);
    given_ += separator + type + " " + value;
    taken_ += separator + type + " " + name;
    return name;
  }
  const std::string& given() const { return given_; }
  const std::string& taken() const { return taken_; }

 private:
  std::string given_, taken_;
  int size_ = 0;
};

// A loop from 0 to `count` around what is written between its beginning and its end.
class CountedLoop {
 public:
  // counter: a place for an i64
  CountedLoop(IrLines& lines, const std::string& counter, int64_t count)
      : lines_(lines), counter_(counter), count_(count), head_(lines.NewLabel()) {
    lines_.Store("i64", "0", counter_);
    lines_.Add("br label %" + head_);
    lines_.Label(head_);
    at_ = lines_.Load("i64", counter_);
  }
  const std::string& at() const { return at_; }
  // hint: metadata of the branch back
  void End(const std::string& hint) {
    const std::string next = lines_.Value("add nuw nsw i64 " + at_ + ", 1");
    lines_.Store("i64", next, counter_);
    const std::string more = lines_.Value("icmp ult i64 " + next + ", " + std::to_string(count_));
    const std::string end = lines_.NewLabel();
    lines_.Add("br i1 " + more + ", label %" + head_ + ", label %" + end + hint);
    lines_.Label(end);
  }

 private:
  IrLines& lines_;
  const std::string counter_;
  const int64_t count_;
  const std::string head_;
  std::string at_;
};

}  // namespace

LoopTensors::LoopTensors(const LoopToCompile& loop, const LoopValues& values, LoopHomes& homes,
                         BodyCalls& bodies)
    : loop_(loop), values_(values), homes_(homes), bodies_(bodies) {
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

bool LoopTensors::Pending::Reads(uint32_t slot) const {
  return std::ranges::find(inputs, slot) != inputs.end();
}
bool LoopTensors::Pending::Gives(uint32_t slot) const {
  return std::ranges::find(outputs, slot) != outputs.end();
}

void LoopTensors::Add(IrLines& lines, uint32_t at, const std::function<std::string()>& failed) {
  Pending next{at, &*values_.TensorCallAt(at), {}, {}, {}};
  VisitSlots(
      loop_.at(at), loop_.code.args, loop_.code.outputs,
      [&](const Arg& arg) { next.inputs.push_back(arg.slot); },
      [&](uint32_t slot) { next.outputs.push_back(slot); });
  if (!Joins(next)) Flush(lines, failed);
  if (next.call->columns > 0) columns_ = next.call->columns;
  for (size_t i = 0; i < next.inputs.size(); ++i) {
    const bool is_scalar = next.call->inputs[i] == Walk::kScalar;
    next.scalars.push_back(is_scalar ? homes_.Load(lines, next.inputs[i]) : "");
  }
  pending_.push_back(std::move(next));
}

// Whether it can be done in one loop with those pending.
bool LoopTensors::Joins(const Pending& next) const {
  if (pending_.empty()) return true;
  if (next.call->dims != pending_.front().call->dims) return false;
  const int64_t columns = next.call->columns;
  if (columns > 0 && columns_ > 0 && columns != columns_) return false;
  return std::ranges::all_of(pending_, [&](const Pending& before) {
    // What is read elsewhere than at the same place must be there as a whole.
    for (size_t i = 0; i < next.inputs.size(); ++i) {
      if (next.call->inputs[i] != Walk::kElement && before.Gives(next.inputs[i])) return false;
    }
    // And what is read must not be written before.
    return std::ranges::none_of(next.outputs, [&](uint32_t slot) { return before.Reads(slot); });
  });
}

void LoopTensors::Flush(IrLines& lines, const std::function<std::string()>& failed) {
  if (pending_.empty()) return;
  std::vector<uint32_t> kept;
  for (const Pending& pending : pending_) {
    for (const uint32_t slot : pending.outputs) {
      if (!IsReadBehind(slot)) continue;
      kept.push_back(slot);
      Own(lines, slot, pending.at, failed);
    }
  }
  if (!kept.empty()) WriteLoop(lines, kept);
  pending_.clear();
  columns_ = 0;
}

// Whether others than those pending read the slot.
bool LoopTensors::IsReadBehind(uint32_t slot) const {
  ptrdiff_t reads = 0;
  for (const Pending& pending : pending_) reads += std::ranges::count(pending.inputs, slot);
  return reads_[slot] > reads;
}

void LoopTensors::Own(IrLines& lines, uint32_t slot, uint32_t at,
                      const std::function<std::string()>& failed) const {
  const std::string get = lines.NewLabel(), got = lines.NewLabel(), next = lines.NewLabel();
  const std::string known = lines.Load("ptr", Writable(slot));
  lines.Branch(lines.Value("icmp ne ptr " + known + ", null"), next, get, Likely::kFirst);
  lines.Label(get);
  const std::string own =
      lines.Value("call preserve_allcc ptr @own_rarely(ptr %elements, ptr %self, ptr %t" +
                  Number(slot) + ", i32 " + std::to_string(at) + ")");
  lines.Branch(lines.Value("icmp ne ptr " + own + ", null"), got, failed(), Likely::kFirst);
  lines.Label(got);
  lines.Store("ptr", own, Readable(slot));
  lines.Store("ptr", own, Writable(slot));
  lines.Add("br label %" + next);
  lines.Label(next);
}

// Each loop is a function of its own: calls that keep all registers (cells.h) keep those of vectors
// only in functions without vectors, before whose calls LLVM 19 empties their upper halves.
void LoopTensors::WriteLoop(IrLines& lines, const std::vector<uint32_t>& kept) {
  LoopArgs args;
  std::set<uint32_t> made;
  for (Pending& pending : pending_) {
    for (size_t i = 0; i < pending.inputs.size(); ++i) {
      const uint32_t slot = pending.inputs[i];
      const Walk walk = pending.call->inputs[i];
      if (walk == Walk::kNot || made.contains(slot) || bases_.contains(slot)) continue;
      if (walk == Walk::kScalar) {
        const std::string type = NativeTypeOf(values_.dtype(slot))->value;
        pending.scalars[i] = args.Add(type, pending.scalars[i]);
      } else {
        bases_[slot] = args.Add("ptr", lines.Load("ptr", Readable(slot)));
      }
    }
    made.insert(pending.outputs.begin(), pending.outputs.end());
  }
  for (const uint32_t slot : kept) {
    bases_[slot] = args.Add("ptr", lines.Load("ptr", Writable(slot)));
  }
  const std::string name = "@elements" + std::to_string(num_loops_);
  lines.Add("call void " + name + "(" + args.given() + ")");
  IrLines body("x");
  body.Label("entry");
  WriteRows(body, kept);
  body.Add("ret void");
  functions_ +=
      "define internal void " + name + "(" + args.taken() + ") noinline {\n" + body.text() + "}\n";
  ++num_loops_;
  elements_.clear();
  bases_.clear();
}

void LoopTensors::WriteRows(IrLines& lines, const std::vector<uint32_t>& kept) {
  lines.Add("%row = alloca i64");
  lines.Add("%column = alloca i64");
  const int64_t elements = ElementsOf(pending_.front().call->dims);
  const int64_t columns = columns_ > 0 ? columns_ : elements;
  const auto write_row = [&](const std::string& row, const std::string& begin) {
    CountedLoop loop(lines, "%column", columns);
    const std::string element =
        begin.empty() ? loop.at() : lines.Value("add nuw nsw i64 " + begin + ", " + loop.at());
    WriteElements(lines, {element, row, loop.at(), columns}, kept);
    loop.End(", !llvm.loop !" + std::to_string(kFirstLoop + num_loops_));
  };
  if (columns == elements) return write_row("0", "");
  CountedLoop rows(lines, "%row", elements / columns);
  write_row(rows.at(),
            lines.Value("mul nuw nsw i64 " + rows.at() + ", " + std::to_string(columns)));
  rows.End("");
}

void LoopTensors::WriteElements(IrLines& lines, const Place& place,
                                const std::vector<uint32_t>& kept) {
  for (const Pending& pending : pending_) {
    const std::vector<std::string> inputs = LoadInputs(lines, pending, place);
    if (pending.call->pieces > 0) {
      for (size_t i = 0; i < pending.outputs.size(); ++i) {
        const std::string index = IndexOfPiece(lines, pending, static_cast<int64_t>(i), place);
        elements_[pending.outputs[i]] = LoadElement(lines, pending.inputs[1], index);
      }
    } else if (const std::optional<ScalarCall>& call = values_.CallAt(pending.at)) {
      elements_[pending.outputs[0]] = bodies_.ValueOf(lines, *call, inputs, /*is_hot=*/true);
    } else {
      elements_[pending.outputs[0]] = inputs[0];  // a move
    }
  }
  for (const uint32_t slot : kept) {
    const NativeType& type = *NativeTypeOf(values_.tensors()[*values_.TensorOf(slot)].type.dtype);
    std::string value = elements_.at(slot);
    if (type.dtype == DType::kBool) value = lines.Value("zext i1 " + value + " to i8");
    const std::string to = lines.Value(std::string("getelementptr inbounds ") + type.memory +
                                       ", ptr " + bases_.at(slot) + ", i64 " + place.element);
    lines.Add(std::string("store ") + type.memory + " " + value + ", ptr " + to + kApart);
  }
}

std::string LoopTensors::LoadElement(IrLines& lines, uint32_t slot,
                                     const std::string& index) const {
  const NativeType& type = *NativeTypeOf(values_.tensors()[*values_.TensorOf(slot)].type.dtype);
  const std::string from = lines.Value(std::string("getelementptr inbounds ") + type.memory +
                                       ", ptr " + bases_.at(slot) + ", i64 " + index);
  const std::string value =
      lines.Value(std::string("load ") + type.memory + ", ptr " + from + kApart);
  return type.dtype == DType::kBool ? lines.Value("icmp ne i8 " + value + ", 0") : value;
}

std::vector<std::string> LoopTensors::LoadInputs(IrLines& lines, const Pending& pending,
                                                 const Place& place) {
  std::vector<std::string> values;
  for (size_t i = 0; i < pending.inputs.size(); ++i) {
    const uint32_t slot = pending.inputs[i];
    switch (pending.call->inputs[i]) {
      case Walk::kElement: {
        std::string& element = elements_[slot];
        if (element.empty()) element = LoadElement(lines, slot, place.element);
        values.push_back(element);
        break;
      }
      case Walk::kRow:
        values.push_back(LoadElement(lines, slot, place.column));
        break;
      case Walk::kColumn:
        values.push_back(LoadElement(lines, slot, place.row));
        break;
      case Walk::kOne:
        values.push_back(LoadElement(lines, slot, "0"));
        break;
      case Walk::kScalar:
        values.push_back(pending.scalars[i]);
        break;
      case Walk::kPiece:
      case Walk::kNot:
        values.emplace_back();
        break;
    }
  }
  return values;
}

std::string LoopTensors::IndexOfPiece(IrLines& lines, const Pending& pending, int64_t piece,
                                      const Place& place) const {
  const int64_t whole = place.columns * pending.call->pieces;
  const std::string row =
      lines.Value("mul nuw nsw i64 " + place.row + ", " + std::to_string(whole));
  const std::string begin =
      lines.Value("add nuw nsw i64 " + row + ", " + std::to_string(piece * place.columns));
  return lines.Value("add nuw nsw i64 " + begin + ", " + place.column);
}

void LoopTensors::Move(IrLines& lines, const Instruction& move) const {
  const auto swap = [&](const std::string& type, const std::string& a, const std::string& b) {
    const std::string of_a = lines.Load(type, a), of_b = lines.Load(type, b);
    lines.Store(type, of_b, a);
    lines.Store(type, of_a, b);
  };
  const uint32_t from = loop_.arg(move, 0).slot, to = move.b;
  for (const size_t offset : {0, 8}) {
    const std::string a = lines.Value(SlotPlace(from, offset));
    const std::string b = lines.Value(SlotPlace(to, offset));
    swap("i64", a, b);
  }
  swap("ptr", Readable(from), Readable(to));
  swap("ptr", Writable(from), Writable(to));
}

void LoopTensors::BeforeRun(IrLines& lines, const Instruction& instruction) const {
  VisitAll(
      instruction, loop_.code,
      [&](const Arg& arg) {
        if (values_.TensorOf(arg.slot)) lines.Store("ptr", "null", Writable(arg.slot));
      },
      [](uint32_t) {});
}

void LoopTensors::AfterRun(IrLines& lines, const Instruction& instruction,
                           const std::function<std::string()>& other) const {
  VisitSlots(
      instruction, loop_.code.args, loop_.code.outputs, [](const Arg&) {},
      [&](uint32_t slot) {
        if (values_.TensorOf(slot)) Look(lines, slot, other);
      });
}

void LoopTensors::AfterFused(IrLines& lines, uint32_t at,
                             const std::function<std::string()>& other) const {
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

// other: null: whatever is there
void LoopTensors::Look(IrLines& lines, uint32_t slot,
                       const std::function<std::string()>& other) const {
  const std::string elements =
      lines.Value("call ptr %elements(ptr %self, ptr %t" + Number(slot) + ", i32 -1)");
  lines.Store("ptr", elements, Readable(slot));
  lines.Store("ptr", "null", Writable(slot));
  if (other) lines.LeaveIf(lines.Value("icmp eq ptr " + elements + ", null"), other());
}

std::string LoopTensors::Rest() const {
  if (values_.tensors().empty()) return "";
  std::string rest =
      functions_ +
      "define internal preserve_allcc ptr @own_rarely(ptr %elements, ptr %self, ptr %tensor, "
      "i32 %at) noinline {\n"
      "  %own = call ptr %elements(ptr %self, ptr %tensor, i32 %at)\n"
      "  ret ptr %own\n"
      "}\n"
      "!2 = distinct !{}\n"
      "!3 = !{!\"llvm.loop.parallel_accesses\", !2}\n";
  for (int i = 0; i < num_loops_; ++i) {
    const std::string own = "!" + std::to_string(kFirstLoop + i);
    rest += own + " = distinct !{" + own + ", !3}\n";
  }
  return rest;
}

}  // namespace tagflow::optimized
