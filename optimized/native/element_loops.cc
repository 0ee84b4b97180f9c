#include "optimized/native/element_loops.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "optimized/native/llvm/tagflow_native.h"

namespace tagflow::optimized {
namespace {

// The group of the accesses that no iteration of a loop over elements has in common with another.
constexpr char kApart[] = ", !llvm.access.group !2";

// The metadata of loops, which are numbered behind those that Functions writes.
constexpr char kManyAtOnce[] = "!3, !4", kAsMayBe[] = "!3";
constexpr int kFirstLoop = 5;

// Vectors that a loop works on at once: a chain of operations such as exp is so long that the
// processor would mostly wait. What is left is done one vector at a time, as a loop of its own:
// LLVM would do it element by element.
constexpr int64_t kVectorsAtOnce = 4;
// Bytes of a tensor from which on long vectors are worth it: a processor of Intel's takes some time
// for the first of them, and for shorter ones behind them (0.3 us beside the product of an LSTM
// cell).
constexpr int64_t kLeastForLongVectors = 8192;
constexpr int64_t kShortVectorBytes = 32, kLongVectorBytes = 64;

// A loop from `begin` to `end` around what is written between its beginning and its end.
class CountedLoop {
 public:
  // counter: a place for an i64
  CountedLoop(IrLines& lines, const std::string& counter, int64_t begin, int64_t end)
      : lines_(lines), counter_(counter), end_(end), head_(lines.NewLabel()) {
    lines_.Store("i64", std::to_string(begin), counter_);
    lines_.Add("br label %" + head_);
    lines_.Label(head_);
    at_ = lines_.Load("i64", counter_);
  }
  const std::string& at() const { return at_; }
  // hint: metadata of the branch back
  void End(const std::string& hint) {
    const std::string next = lines_.Value("add nuw nsw i64 " + at_ + ", 1");
    lines_.Store("i64", next, counter_);
    const std::string more = lines_.Value("icmp ult i64 " + next + ", " + std::to_string(end_));
    const std::string behind = lines_.NewLabel();
    lines_.Add("br i1 " + more + ", label %" + head_ + ", label %" + behind + hint);
    lines_.Label(behind);
  }

 private:
  IrLines& lines_;
  const std::string counter_;
  const int64_t end_;
  const std::string head_;
  std::string at_;
};

}  // namespace

const NativeType& ElementLoops::TypeOf(uint32_t slot) const {
  return *NativeTypeOf(values_.TensorTypeOf(slot).dtype);
}

bool ElementLoops::Pending::Reads(uint32_t slot) const {
  return std::ranges::find(inputs, slot) != inputs.end();
}
bool ElementLoops::Pending::Gives(uint32_t slot) const {
  return std::ranges::find(outputs, slot) != outputs.end();
}

void ElementLoops::Add(IrLines& lines, uint32_t at, const Way& failed, const std::string& given) {
  Pending next{at, &*values_.TensorCallAt(at), {}, {}, {}};
  VisitSlots(
      loop_.at(at), loop_.code.args, loop_.code.outputs,
      [&](const Arg& arg) { next.inputs.push_back(arg.slot); },
      [&](uint32_t slot) { next.outputs.push_back(slot); });
  if (!Joins(next)) Flush(lines, failed);
  if (next.call->columns > 0) columns_ = next.call->columns;
  for (size_t i = 0; i < next.inputs.size(); ++i) {
    const Walk walk = next.call->inputs[i];
    next.scalars.push_back(walk == Walk::kScalar  ? homes_.Load(lines, next.inputs[i])
                           : walk == Walk::kGiven ? given
                                                  : "");
  }
  pending_.push_back(std::move(next));
}

// Whether it can be done in one loop with those pending.
bool ElementLoops::Joins(const Pending& next) const {
  if (pending_.empty()) return true;
  if (next.call->dims != pending_.front().call->dims) return false;
  const int64_t columns = next.call->columns;
  if (columns > 0 && columns_ > 0 && columns != columns_) return false;
  return std::ranges::all_of(pending_, [&](const Pending& before) {
    // A tensor that is read elsewhere than at the same place must be there as a whole.
    for (size_t i = 0; i < next.inputs.size(); ++i) {
      if (next.call->inputs[i] != Walk::kElement && before.Gives(next.inputs[i])) return false;
    }
    // And a tensor that is read must not be written before.
    return std::ranges::none_of(next.outputs, [&](uint32_t slot) { return before.Reads(slot); });
  });
}

void ElementLoops::Flush(IrLines& lines, const Way& failed) {
  if (pending_.empty()) return;
  Args args;
  TakeInputs(lines, args);
  std::vector<uint32_t> kept;
  for (const Pending& pending : pending_) {
    for (const uint32_t slot : pending.outputs) {
      if (!IsReadBehind(slot)) continue;
      tensors_.Own(lines, slot, pending.at, failed);
      kept.push_back(slot);
    }
  }
  for (const uint32_t slot : kept) {
    bases_[slot] = args.Add("ptr", lines.Load("ptr", tensors_.Writable(slot)));
  }
  if (!kept.empty()) WriteFunction(lines, args, kept);
  bases_.clear();
  pending_.clear();
  columns_ = 0;
}

void ElementLoops::TakeInputs(IrLines& lines, Args& args) {
  std::set<uint32_t> made;
  for (Pending& pending : pending_) {
    for (size_t i = 0; i < pending.inputs.size(); ++i) {
      const uint32_t slot = pending.inputs[i];
      const Walk walk = pending.call->inputs[i];
      const bool is_known = made.contains(slot) || bases_.contains(slot);
      if (walk == Walk::kNot || (is_known && walk != Walk::kGiven)) continue;
      if (walk == Walk::kScalar) {
        const std::string type = NativeTypeOf(values_.dtype(slot))->value;
        pending.scalars[i] = args.Add(type, pending.scalars[i]);
      } else if (walk == Walk::kGiven) {
        pending.scalars[i] = args.Add("ptr", pending.scalars[i]);
      } else {
        bases_[slot] = args.Add("ptr", lines.Load("ptr", tensors_.Readable(slot)));
      }
    }
    made.insert(pending.outputs.begin(), pending.outputs.end());
  }
}

// Whether others than those pending read the slot.
bool ElementLoops::IsReadBehind(uint32_t slot) const {
  ptrdiff_t reads = 0;
  for (const Pending& pending : pending_) reads += std::ranges::count(pending.inputs, slot);
  return tensors_.reads(slot) > reads;
}

void ElementLoops::WriteFunction(IrLines& lines, const Args& args,
                                 const std::vector<uint32_t>& kept) {
  const std::string name = "@\"" + name_ + " elements " + std::to_string(num_functions_++) + "\"";
  lines.Add("call void " + name + "(" + args.given() + ")");
  IrLines body("x");
  WriteRows(body, kept);
  const std::string vectors =
      HasLongVectors() ? TAGFLOW_NATIVE_LONG_VECTORS : TAGFLOW_NATIVE_SHORT_VECTORS;
  functions_ += VectorFunction(name, args.taken(), vectors, body);
}

void ElementLoops::WriteRows(IrLines& lines, const std::vector<uint32_t>& kept) {
  lines.Add("%row = alloca i64");
  lines.Add("%column = alloca i64");
  const int64_t elements = *NumElements(pending_.front().call->dims);
  const int64_t columns = columns_ > 0 ? columns_ : elements;
  const auto write_part = [&](int64_t begin, int64_t end, const char* hint, const std::string& row,
                              const std::string& first) {
    if (begin == end) return;
    CountedLoop loop(lines, "%column", begin, end);
    const std::string element =
        first.empty() ? loop.at() : lines.Value("add nuw nsw i64 " + first + ", " + loop.at());
    WriteElements(lines, {element, row, loop.at(), columns}, kept);
    const std::string number = "!" + std::to_string(kFirstLoop + num_loops_++);
    metadata_ += number + " = distinct !{" + number + ", " + hint + "}\n";
    loop.End(", !llvm.loop " + number);
  };
  const int64_t whole = columns - columns % ElementsAtOnce();
  const auto write_row = [&](const std::string& row, const std::string& first) {
    write_part(0, whole, kManyAtOnce, row, first);
    write_part(whole, columns, kAsMayBe, row, first);
  };
  if (columns == elements) return write_row("0", "");
  CountedLoop rows(lines, "%row", 0, elements / columns);
  write_row(rows.at(),
            lines.Value("mul nuw nsw i64 " + rows.at() + ", " + std::to_string(columns)));
  rows.End("");
}

int64_t ElementLoops::WidestElement() const {
  size_t widest = 1;
  for (const auto& [slot, base] : bases_) widest = std::max(widest, DTypeSize(TypeOf(slot).dtype));
  return static_cast<int64_t>(widest);
}

bool ElementLoops::HasLongVectors() const {
  return *NumElements(pending_.front().call->dims) * WidestElement() >= kLeastForLongVectors;
}

// How many elements several vectors have.
int64_t ElementLoops::ElementsAtOnce() const {
  const int64_t bytes = HasLongVectors() ? kLongVectorBytes : kShortVectorBytes;
  return kVectorsAtOnce * bytes / WidestElement();
}

void ElementLoops::WriteElements(IrLines& lines, const Place& place,
                                 const std::vector<uint32_t>& kept) {
  elements_.clear();
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
      elements_[pending.outputs[0]] = inputs[0];  // a move, or a row
    }
  }
  for (const uint32_t slot : kept) {
    const NativeType& type = TypeOf(slot);
    const std::string value = ToMemory(lines, type, elements_.at(slot));
    const std::string to = lines.Value(std::string("getelementptr inbounds ") + type.memory +
                                       ", ptr " + bases_.at(slot) + ", i64 " + place.element);
    lines.Add(std::string("store ") + type.memory + " " + value + ", ptr " + to + kApart);
  }
}

std::string ElementLoops::LoadElement(IrLines& lines, uint32_t slot,
                                      const std::string& index) const {
  return LoadElementFrom(lines, TypeOf(slot), bases_.at(slot), index);
}

std::string ElementLoops::LoadElementFrom(IrLines& lines, const NativeType& type,
                                          const std::string& base, const std::string& index) const {
  const std::string from = lines.Value(std::string("getelementptr inbounds ") + type.memory +
                                       ", ptr " + base + ", i64 " + index);
  const std::string value =
      lines.Value(std::string("load ") + type.memory + ", ptr " + from + kApart);
  return FromMemory(lines, type, value);
}

std::vector<std::string> ElementLoops::LoadInputs(IrLines& lines, const Pending& pending,
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
      case Walk::kGiven:
        values.push_back(LoadElementFrom(lines, TypeOf(slot), pending.scalars[i], place.element));
        break;
      case Walk::kPiece:
      case Walk::kNot:
        values.emplace_back();
        break;
    }
  }
  return values;
}

std::string ElementLoops::IndexOfPiece(IrLines& lines, const Pending& pending, int64_t piece,
                                       const Place& place) const {
  const int64_t whole = place.columns * pending.call->pieces;
  const std::string row =
      lines.Value("mul nuw nsw i64 " + place.row + ", " + std::to_string(whole));
  const std::string begin =
      lines.Value("add nuw nsw i64 " + row + ", " + std::to_string(piece * place.columns));
  return lines.Value("add nuw nsw i64 " + begin + ", " + place.column);
}

std::string ElementLoops::Functions() const {
  if (num_functions_ == 0) return "";
  return functions_ +
         "!2 = distinct !{}\n"
         "!3 = !{!\"llvm.loop.parallel_accesses\", !2}\n"
         "!4 = !{!\"llvm.loop.interleave.count\", i32 " +
         std::to_string(kVectorsAtOnce) + "}\n" + metadata_;
}

}  // namespace tagflow::optimized
