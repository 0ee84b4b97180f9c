#include "graph/dtype.h"

#include <array>
#include <bit>
#include <cstring>

#include "graph/status.h"
#include "graph/variant.h"

namespace tagflow {
namespace {

struct DTypeInfo {
  std::string_view name;
  size_t size;  // 0: no Tensor holds it
  bool plain;
};

constexpr std::array<DTypeInfo, 24> kInfos = {{
    {"invalid", 0, false},
    {"float", 4, true},
    {"double", 8, true},
    {"int32", 4, true},
    {"uint8", 1, true},
    {"int16", 2, true},
    {"int8", 1, true},
    {"string", sizeof(std::string), false},
    {"complex64", 8, true},
    {"int64", 8, true},
    {"bool", 1, true},
    {"qint8", 0, true},
    {"quint8", 0, true},
    {"qint32", 0, true},
    {"bfloat16", 2, true},
    {"qint16", 0, true},
    {"quint16", 0, true},
    {"uint16", 2, true},
    {"complex128", 16, true},
    {"half", 2, true},
    {"resource", sizeof(ResourceHandle), false},
    {"variant", sizeof(Variant), false},
    {"uint32", 4, true},
    {"uint64", 8, true},
}};

const DTypeInfo& Info(DType dtype) { return kInfos[static_cast<size_t>(dtype)]; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Rounds a positive finite magnitude to binary16 bits. Scaling by a power of two is exact in
// double, so nearbyint (ties to even) is the only rounding.
uint16_t RoundMagnitudeToHalf(double magnitude) {
  constexpr double kSmallestNormal = 0x1p-14;
  if (magnitude < kSmallestNormal) return static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24));
  int exponent;
  std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
  const double mantissa = std::nearbyint(std::ldexp(magnitude, 11 - exponent));  // in [1024, 2048]
  const int biased = exponent - 1 + 15;
  const int bits =
      (biased << 10) + static_cast<int>(mantissa) - 1024;  // a carry moves into the exponent
  return static_cast<uint16_t>(bits >= 0x7c00 ? 0x7c00 : bits);
}

}  // namespace

float ToFloat(Half value) {
  const uint32_t sign = (value.bits & 0x8000u) << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1f;
  const uint32_t mantissa = value.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

float ToFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

Half HalfFromDouble(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (std::isinf(value) || std::fabs(value) >= 65520.0)
    return {static_cast<uint16_t>(sign | 0x7c00)};
  return {static_cast<uint16_t>(sign | RoundMagnitudeToHalf(std::fabs(value)))};
}

Half HalfFromFloat(float value) { return HalfFromDouble(value); }

BFloat16 BFloat16FromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 31 << 15) | 0x7fc0)};
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

std::string DTypeName(DType dtype) { return std::string(Info(dtype).name); }

std::optional<DType> DTypeFromName(std::string_view name) {
  std::string key = Lower(name);
  if (key.starts_with("dt_")) key = key.substr(3);
  if (key == "float32") key = "float";
  if (key == "float64") key = "double";
  if (key == "float16") key = "half";
  for (size_t i = 1; i < kInfos.size(); ++i) {
    if (kInfos[i].name == key) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool IsTensorDType(DType dtype) { return Info(dtype).size != 0; }
bool IsKnownDType(int number) { return number > 0 && number < static_cast<int>(kInfos.size()); }
size_t DTypeSize(DType dtype) { return Info(dtype).size; }
bool IsPlainDType(DType dtype) { return Info(dtype).plain; }

bool IsFloating(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kHalf ||
         dtype == DType::kBFloat16;
}

bool IsComplex(DType dtype) { return dtype == DType::kComplex64 || dtype == DType::kComplex128; }

bool IsInteger(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return true;
    default:
      return false;
  }
}

std::string ArgTypeName(ArgType type) {
  return DTypeName(type.dtype) + (type.is_ref ? "_ref" : "");
}

}  // namespace tagflow
