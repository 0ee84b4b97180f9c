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

std::vector<std::string> LoopRows::Elements(IrLines& lines, uint32_t at, uint32_t slot) const {
  const auto vector = vectors_.find(slot);
  if (vector != vectors_.end() && !IsWrittenBetween(slot, vector->second.at, at)) {
    return vector->second.elements;
  }
  const TensorType& type = values_.tensors()[*values_.TensorOf(slot)].type;
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
    index = AsIndex(lines, values_.tensors()[*values_.TensorOf(slot)].type.dtype, index);
  }
  return indices;
}

void LoopRows::WriteRow(IrLines& lines, uint32_t at, const Way& outside, const Way& failed) const {
  const Instruction& call = loop_.at(at);
  const RowPart& row = *values_.RowAt(at);
  const uint32_t table = loop_.arg(call, 0).slot, output = loop_.output(call, 0);
  const TensorType& type = values_.tensors()[*values_.TensorOf(table)].type;
  const std::vector<std::string> indices =
      Indices(lines, at, loop_.arg(call, static_cast<size_t>(row.index)).slot);
  std::string number = "0", is_outside = "false";  // of the row
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::string count = std::to_string(type.dims[i]);
    std::string index = indices[i];
    if (row.wraps) {
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
  const std::string base = lines.Load("ptr", tensors_.Readable(table));
  const NativeType& element = *NativeTypeOf(type.dtype);
  if (values_.is_native(output)) {
    const std::string value = lines.Load(element.memory, PlaceOf(lines, element, base, number));
    homes_.Store(lines, output, FromMemory(lines, element, value));
    return;
  }
  const int64_t size = *NumElements(DimsView(type.dims).subspan(indices.size()));
  const std::string first = lines.Value("mul i64 " + number + ", " + std::to_string(size));
  element_loops_.Add(lines, at, failed, PlaceOf(lines, element, base, first));
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
          if (arg.slot != output || values_.RowAt(i) == nullptr) return;
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
    const std::string value = homes_.Load(lines, loop_.arg(call, i).slot);
    vector.elements.push_back(ToMemory(lines, type, value));
  }
  if (!vector.last_read) WriteElements(lines, vector, failed);
  vectors_[loop_.output(call, 0)] = std::move(vector);
}

void LoopRows::WriteElements(IrLines& lines, const Vector& vector, const Way& failed) const {
  const NativeType& type = *NativeTypeOf(values_.VectorAt(vector.at)->dtype);
  const uint32_t output = loop_.output(loop_.at(vector.at), 0);
  tensors_.Own(lines, output, vector.at, failed);
  const std::string base = lines.Load("ptr", tensors_.Writable(output));
  for (size_t i = 0; i < vector.elements.size(); ++i) {
    lines.Store(type.memory, vector.elements[i], PlaceOf(lines, type, base, std::to_string(i)));
  }
}

void LoopRows::Leave(IrLines& lines, uint32_t next, const Way& failed) const {
  for (const auto& [slot, vector] : vectors_) {
    if (vector.last_read && next <= *vector.last_read) WriteElements(lines, vector, failed);
  }
}

}  // namespace tagflow::optimized
