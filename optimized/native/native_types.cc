#include "optimized/native/native_types.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <iterator>

namespace tagflow::optimized {
namespace {

constexpr NativeType kTypes[] = {
    {DType::kBool, "bool", "i1", "i8", true},    {DType::kInt8, "i8", "i8", "i8"},
    {DType::kInt16, "i16", "i16", "i16"},        {DType::kInt32, "i32", "i32", "i32"},
    {DType::kInt64, "i64", "i64", "i64"},        {DType::kUInt8, "u8", "i8", "i8", true},
    {DType::kUInt16, "u16", "i16", "i16", true}, {DType::kUInt32, "u32", "i32", "i32", true},
    {DType::kUInt64, "u64", "i64", "i64", true}, {DType::kFloat, "f32", "float", "float"},
    {DType::kDouble, "f64", "double", "double"},
};

// A float is written as the bits of the double that it is.
std::string BitsOf(double value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016" PRIX64, std::bit_cast<uint64_t>(value));
  return text;
}

}  // namespace

const NativeType* NativeTypeOf(DType dtype) {
  const auto* const found = std::ranges::find(kTypes, dtype, &NativeType::dtype);
  return found == std::end(kTypes) ? nullptr : found;
}

std::string FromMemory(IrLines& lines, const NativeType& type, const std::string& memory) {
  return type.dtype == DType::kBool ? lines.Value("icmp ne i8 " + memory + ", 0") : memory;
}

std::string ToMemory(IrLines& lines, const NativeType& type, const std::string& value) {
  return type.dtype == DType::kBool ? lines.Value("zext i1 " + value + " to i8") : value;
}

std::optional<int64_t> IntegerIn(const Tensor& value) {
  if (!value.has_value() || !value.is_inline()) return std::nullopt;
  if (value.dtype() == DType::kInt32) return *value.data<int32_t>();
  if (value.dtype() == DType::kInt64) return *value.data<int64_t>();
  return std::nullopt;
}

std::string AsIndex(IrLines& lines, DType dtype, const std::string& value) {
  return dtype == DType::kInt64 ? value : lines.Value("sext i32 " + value + " to i64");
}

std::string NativeLiteral(DType dtype, int value) {
  if (dtype == DType::kBool) return value != 0 ? "true" : "false";
  return IsFloating(dtype) ? BitsOf(value) : std::to_string(value);
}

std::string NativeLiteral(const Tensor& scalar) {
  const DType dtype = scalar.dtype();
  if (dtype == DType::kBool) return NativeLiteral(dtype, scalar.inline_value<bool>() ? 1 : 0);
  if (dtype == DType::kFloat) return BitsOf(scalar.inline_value<float>());
  if (dtype == DType::kDouble) return BitsOf(scalar.inline_value<double>());
  // LLVM's integers have no sign.
  switch (DTypeSize(dtype)) {
    case 1:
      return std::to_string(scalar.inline_value<int8_t>());
    case 2:
      return std::to_string(scalar.inline_value<int16_t>());
    case 4:
      return std::to_string(scalar.inline_value<int32_t>());
    default:
      return std::to_string(scalar.inline_value<int64_t>());
  }
}

}  // namespace tagflow::optimized
