// Ops that turn texts into others or into numbers, one by one: StringToNumber, base 64, letters.

#include <array>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"

namespace tagflow::reference {
namespace {

// A number as C writes it (decimal or hexadecimal, inf, nan) into `value`; false where `text` is
// none. One too large is an infinity.
bool Parse(const std::string& text, float& value) {
  char* end = nullptr;
  value = std::strtof(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}
bool Parse(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

// Decimal digits after an optional sign; false also for what the type does not hold.
template <std::integral T>
bool Parse(const std::string& text, T& value) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* begin = text.data() + (has_plus ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() && rest == end;
}

template <typename T>
Status ParseAll(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(DTypeOf<T>::value, input.dims()));
  T* value = context.outputs[0].mutable_data<T>();
  for (const std::string& text : input.flat<std::string>()) {
    if (Parse(std::string(Stripped(text)), *value++)) continue;
    return InvalidArgument("'" + text + "' is no " + DTypeName(DTypeOf<T>::value));
  }
  return Status();
}

//   output: the numbers that the texts spell, spaces around them aside
Status StringToNumber(KernelContext& context) {
  switch (context.signature.outputs[0].dtype) {
    case DType::kFloat:
      return ParseAll<float>(context);
    case DType::kDouble:
      return ParseAll<double>(context);
    case DType::kInt32:
      return ParseAll<int32_t>(context);
    case DType::kInt64:
      return ParseAll<int64_t>(context);
    case DType::kUInt32:
      return ParseAll<uint32_t>(context);
    default:
      return ParseAll<uint64_t>(context);
  }
}

// ---- Base 64, with the letters that may stand in addresses ----

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Six bits a digit, the last digit filled with zeros; `pad` fills up to a multiple of four digits.
std::string Encoded(const std::string& text, bool pad) {
  std::string digits;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    held += 8;
    for (; held >= 6; held -= 6) digits += kDigits[bits >> (held - 6) & 63];
  }
  if (held > 0) digits += kDigits[bits << (6 - held) & 63];
  while (pad && digits.size() % 4 != 0) digits += '=';
  return digits;
}

Result<std::string> Decoded(std::string_view digits) {
  if (digits.size() % 4 == 0 && digits.ends_with("==")) {
    digits.remove_suffix(2);
  } else if (digits.size() % 4 == 0 && digits.ends_with('=')) {
    digits.remove_suffix(1);
  }
  if (digits.size() % 4 == 1) {
    return InvalidArgument("a text in base 64 has no length of 1 modulo 4");
  }
  std::string text;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : digits) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) {
      return InvalidArgument(std::string("'") + c + "' is no digit of base 64");
    }
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    text += static_cast<char>(bits >> held & 0xff);
  }
  return text;
}

Status EncodeBase64(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool pad, BoolAttr(context.node, "pad"));
  return ChangeEach(context, [pad](const std::string& text) { return Encoded(text, pad); });
}

Status DecodeBase64(KernelContext& context) {
  return ChangeEach(context, [](const std::string& text) { return Decoded(text); });
}

// ---- Letters ----

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Without an encoding, texts are bytes, and letters those of ASCII. With utf-8 they are all letters
// there are; of these we know those of ASCII alone, and refuse the others.
template <char (*kChange)(char)>
Status ChangeLetters(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string encoding, StringAttr(context.node, "encoding"));
  if (!encoding.empty() && encoding != "utf-8") {
    return InvalidArgument("the encoding must be utf-8 or nothing, not " + encoding);
  }
  return ChangeEach(context, [&](const std::string& text) -> Result<std::string> {
    std::string changed;
    for (const char c : text) {
      if (!encoding.empty() && static_cast<unsigned char>(c) >= 0x80) {
        return Unimplemented("no other letters than ASCII's are changed in utf-8");
      }
      changed += kChange(c);
    }
    return changed;
  });
}

Status StringStrip(KernelContext& context) {
  return ChangeEach(context, [](const std::string& text) { return std::string(Stripped(text)); });
}

}  // namespace

Status RegisterStringConvertKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringToNumber", StringToNumber},
                                {"EncodeBase64", EncodeBase64},
                                {"DecodeBase64", DecodeBase64},
                                {"StringLower", ChangeLetters<Lower>},
                                {"StringUpper", ChangeLetters<Upper>},
                                {"StringStrip", StringStrip}});
}

}  // namespace tagflow::reference
