#include "optimized/native/loop_rows.h"

#include <cstdint>
#include <utility>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

std::string PlaceOf(IrLines& lines, const NativeType& type, const std::string& base,
                    const std::string& index) {
  return lines.Value(std::string("getelementptr ") + type.memory + ", ptr " + base + ", i64 " +
                     index);
}

void StoreElements(IrLines& lines, const NativeType& type, const std::vector<std::string>& elements,
                   const std::string& to) {
  for (size_t i = 0; i < elements.size(); ++i) {
    lines.Store(type.memory, elements[i], PlaceOf(lines, type, to, std::to_string(i)));
  }
}

}  // namespace

bool LoopRows::IsWrittenBetween(uint32_t slot, uint32_t before, uint32_t behind) const {
  bool is_written = false;
  for (uint32_t at = before + 1; at < behind; ++at) {
    VisitSlots(
        loop_.at(at), loop_.code.args, loop_.code.outputs, [](const Arg&) {},
        [&](uint32_t written) { is_written = is_written || written == slot; });
  }
  return is_written;
}

const LoopRows::Vector* LoopRows::VectorIn(uint32_t at, uint32_t slot) const {
  const auto vector = vectors_.find(slot);
  const bool is_there = vector != vectors_.end() && !IsWrittenBetween(slot, vector->second.at, at);
  return is_there ? &vector->second : nullptr;
}

std::vector<std::string> LoopRows::Elements(IrLines& lines, uint32_t at, uint32_t slot) const {
  if (const Vector* const vector = VectorIn(at, slot)) return vector->elements;
  const TensorType& type = values_.TensorTypeOf(slot);
  const NativeType& element = *NativeTypeOf(type.dtype);
  const std::string base = lines.Load("ptr", tensors_.Readable(slot));
  std::vector<std::string> elements;
  for (int64_t i = 0; i < *NumElements(type.dims); ++i) {
    elements.push_back(
        lines.Load(element.memory, PlaceOf(lines, element, base, std::to_string(i))));
  }
  return elements;
}

std::vector<std::string> LoopRows::Indices(IrLines& lines, uint32_t at, uint32_t slot) const {
  const DType dtype = values_.dtype(slot);
  if (dtype != DType::kInvalid) return {AsIndex(lines, dtype, homes_.Load(lines, slot))};
  std::vector<std::string> indices = Elements(lines, at, slot);
  for (std::string& index : indices) {
    index = AsIndex(lines, values_.TensorTypeOf(slot).dtype, index);
  }
  return indices;
}

std::string LoopRows::RowBegin(IrLines& lines, uint32_t at, uint32_t table, uint32_t index_slot,
                               bool wraps, const Way& outside) const {
  const TensorType& type = values_.TensorTypeOf(table);
  const std::vector<std::string> indices = Indices(lines, at, index_slot);
  std::string number = "0", is_outside = "false";
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::string count = std::to_string(type.dims[i]);
    std::string index = indices[i];
    if (wraps) {
      const std::string from_end = lines.Value("add i64 " + index + ", " + count);
      const std::string is_negative = lines.Value("icmp slt i64 " + index + ", 0");
      index = lines.Value("select i1 " + is_negative + ", i64 " + from_end + ", i64 " + index);
    }
    const std::string is_beyond = lines.Value("icmp uge i64 " + index + ", " + count);
    is_outside = lines.Value("or i1 " + is_outside + ", " + is_beyond);
    number =
        lines.Value("add i64 " + lines.Value("mul i64 " + number + ", " + count) + ", " + index);
  }
  lines.LeaveIf(is_outside, outside());
  const int64_t size = *NumElements(DimsView(type.dims).subspan(indices.size()));
  return size == 1 ? number : lines.Value("mul i64 " + number + ", " + std::to_string(size));
}

void LoopRows::WriteRow(IrLines& lines, uint32_t at, const Way& outside, const Way& failed) const {
  const Instruction& call = loop_.at(at);
  const RowPart& row = *values_.RowAt(at);
  const uint32_t table = loop_.arg(call, 0).slot, output = loop_.output(call, 0);
  const NativeType& element = *NativeTypeOf(values_.TensorTypeOf(table).dtype);
  const uint32_t index = loop_.arg(call, static_cast<size_t>(row.index)).slot;
  const std::string first = RowBegin(lines, at, table, index, row.wraps, outside);
  const std::string base = lines.Load("ptr", tensors_.Readable(table));
  const std::string from = PlaceOf(lines, element, base, first);
  if (!values_.is_native(output)) return element_loops_.Add(lines, at, failed, from);
  homes_.Store(lines, output, FromMemory(lines, element, lines.Load(element.memory, from)));
}

void LoopRows::WritePlace(IrLines& lines, uint32_t at, const Way& outside,
                          const std::string& shared) const {
  const Instruction& call = loop_.at(at);
  const uint32_t table = loop_.arg(call, 0).slot, output = loop_.output(call, 0);
  const NativeType& element = *NativeTypeOf(values_.TensorTypeOf(table).dtype);
  const std::string first =
      RowBegin(lines, at, table, loop_.arg(call, 1).slot, /*wraps=*/false, outside);
  tensors_.OwnToChange(lines, table, shared);
  const std::string base = lines.Load("ptr", tensors_.Writable(table));
  WriteSlice(lines, at, loop_.arg(call, 2).slot, PlaceOf(lines, element, base, first));
  if (table != output) tensors_.Swap(lines, table, output);
}

void LoopRows::WriteSlice(IrLines& lines, uint32_t at, uint32_t slot, const std::string& to) const {
  const TensorType& type = values_.TensorTypeOf(slot);
  const int64_t count = *NumElements(type.dims);
  if (VectorIn(at, slot) == nullptr && count > 1) {
    bodies_.Declare("llvm.memcpy.p0.p0.i64", "void", "ptr, ptr, i64, i1");
    const std::string from = lines.Load("ptr", tensors_.Readable(slot));
    const auto bytes = static_cast<size_t>(count) * DTypeSize(type.dtype);
    return lines.Add("call void @llvm.memcpy.p0.p0.i64(ptr " + to + ", ptr " + from + ", i64 " +
                     std::to_string(bytes) + ", i1 false)");
  }
  StoreElements(lines, *NativeTypeOf(type.dtype), Elements(lines, at, slot), to);
}

std::optional<uint32_t> LoopRows::LastRow(uint32_t at, uint32_t block_end) const {
  const uint32_t output = loop_.output(loop_.at(at), 0);
  std::optional<uint32_t> last;
  uint32_t others = tensors_.reads(output);
  for (uint32_t i = at + 1; i < block_end && others > 0; ++i) {
    bool is_written = false;
    VisitSlots(
        loop_.at(i), loop_.code.args, loop_.code.outputs,
        [&](const Arg& arg) {
          const bool is_ours = values_.RowAt(i) != nullptr || values_.PlaceAt(i) != nullptr;
          if (arg.slot != output || !is_ours) return;
          last = i;
          --others;
        },
        [&](uint32_t written) { is_written = is_written || written == output; });
    if (is_written) break;
  }
  return others == 0 ? last : std::nullopt;
}

void LoopRows::WriteVector(IrLines& lines, uint32_t at, uint32_t block_end, const Way& failed) {
  const Instruction& call = loop_.at(at);
  const NativeType& type = *NativeTypeOf(values_.VectorAt(at)->dtype);
  Vector vector{at, LastRow(at, block_end), {}};
  for (uint32_t i = 0; i < call.n; ++i) {
    const uint32_t slot = loop_.arg(call, i).slot;
    const std::vector<std::string> elements =
        values_.is_native(slot) ? std::vector{ToMemory(lines, type, homes_.Load(lines, slot))}
                                : Elements(lines, at, slot);
    vector.elements.insert(vector.elements.end(), elements.begin(), elements.end());
  }
  if (!vector.last_read) WriteElements(lines, vector, failed);
  vectors_[loop_.output(call, 0)] = std::move(vector);
}

void LoopRows::WriteElements(IrLines& lines, const Vector& vector, const Way& failed) const {
  const NativeType& type = *NativeTypeOf(values_.VectorAt(vector.at)->dtype);
  const uint32_t output = loop_.output(loop_.at(vector.at), 0);
  tensors_.Own(lines, output, vector.at, failed);
  StoreElements(lines, type, vector.elements, lines.Load("ptr", tensors_.Writable(output)));
}

void LoopRows::BeforeRun(IrLines& lines, uint32_t at, const Way& failed) const {
  VisitSlots(
      loop_.at(at), loop_.code.args, loop_.code.outputs,
      [&](const Arg& arg) {
        const Vector* const vector = VectorIn(at, arg.slot);
        if (vector != nullptr && vector->last_read) WriteElements(lines, *vector, failed);
      },
      [](uint32_t) {});
}

void LoopRows::Leave(IrLines& lines, uint32_t next, const Way& failed) const {
  for (const auto& [slot, vector] : vectors_) {
    if (vector.last_read && next <= *vector.last_read) WriteElements(lines, vector, failed);
  }
}

}  // namespace tagflow::optimized
