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

// Calls f.operator()<T>() with the C++ type.
template <typename F>
auto WithNativeType(DType dtype, F f) {
  switch (dtype) {
    case DType::kBool:
      return f.template operator()<bool>();
    case DType::kInt8:
      return f.template operator()<int8_t>();
    case DType::kInt16:
      return f.template operator()<int16_t>();
    case DType::kInt32:
      return f.template operator()<int32_t>();
    case DType::kInt64:
      return f.template operator()<int64_t>();
    case DType::kUInt8:
      return f.template operator()<uint8_t>();
    case DType::kUInt16:
      return f.template operator()<uint16_t>();
    case DType::kUInt32:
      return f.template operator()<uint32_t>();
    case DType::kUInt64:
      return f.template operator()<uint64_t>();
    case DType::kFloat:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

}  // namespace

const NativeType* NativeTypeOf(DType dtype) {
  const auto* const found = std::ranges::find(kTypes, dtype, &NativeType::dtype);
  return found == std::end(kTypes) ? nullptr : found;
}

std::string NativeLiteral(DType dtype, int value) {
  if (dtype == DType::kBool) return value != 0 ? "true" : "false";
  return IsFloating(dtype) ? BitsOf(value) : std::to_string(value);
}

std::string NativeLiteral(const Tensor& scalar) {
  return WithNativeType(scalar.dtype(), [&]<typename T>() -> std::string {
    const T value = scalar.inline_value<T>();
    if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
    if constexpr (std::is_floating_point_v<T>) return BitsOf(value);
    if constexpr (std::is_integral_v<T>) return std::to_string(value);
  });
}

}  // namespace tagflow::optimized
