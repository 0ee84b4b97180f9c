#include "optimized/native/loop_rows.h"

#include <cstdint>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

std::string PlaceOf(IrLines& lines, const NativeType& type, const std::string& base,
                    const std::string& index) {
  return lines.Value(std::string("getelementptr ") + type.memory + ", ptr " + base + ", i64 " +
                     index);
}

}  // namespace

std::vector<std::string> LoopRows::Indices(IrLines& lines, uint32_t slot) const {
  const DType dtype = values_.dtype(slot);
  if (dtype != DType::kInvalid) return {AsIndex(lines, dtype, homes_.Load(lines, slot))};
  const TensorType& type = values_.tensors()[*values_.TensorOf(slot)].type;
  const NativeType& element = *NativeTypeOf(type.dtype);
  const std::string base = lines.Load("ptr", tensors_.Readable(slot));
  std::vector<std::string> indices;
  for (int64_t i = 0; i < *NumElements(type.dims); ++i) {
    const std::string place = PlaceOf(lines, element, base, std::to_string(i));
    indices.push_back(AsIndex(lines, type.dtype, lines.Load(element.memory, place)));
  }
  return indices;
}

void LoopRows::WriteRow(IrLines& lines, uint32_t at, const Way& outside, const Way& failed) const {
  const Instruction& call = loop_.at(at);
  const RowPart& row = *values_.RowAt(at);
  const uint32_t table = loop_.arg(call, 0).slot, output = loop_.output(call, 0);
  const TensorType& type = values_.tensors()[*values_.TensorOf(table)].type;
  const std::vector<std::string> indices =
      Indices(lines, loop_.arg(call, static_cast<size_t>(row.index)).slot);
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

void LoopRows::WriteVector(IrLines& lines, uint32_t at, const Way& failed) const {
  const Instruction& call = loop_.at(at);
  const NativeType& type = *NativeTypeOf(values_.VectorAt(at)->dtype);
  const uint32_t output = loop_.output(call, 0);
  tensors_.Own(lines, output, at, failed);
  const std::string base = lines.Load("ptr", tensors_.Writable(output));
  for (uint32_t i = 0; i < call.n; ++i) {
    const std::string value = homes_.Load(lines, loop_.arg(call, i).slot);
    lines.Store(type.memory, ToMemory(lines, type, value),
                PlaceOf(lines, type, base, std::to_string(i)));
  }
}

}  // namespace tagflow::optimized
