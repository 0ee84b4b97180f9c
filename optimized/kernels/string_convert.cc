// Ops that turn texts into others or into numbers, one by one: StringToNumber, base 64, letters.
// Tested by conformance/ops/string.ops.

#include <array>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/text.h"

namespace tagflow::optimized {
namespace {

// ---- Numbers ----

// A number as C writes it (decimal or hexadecimal, inf, nan) into `value`; false where `text` is
// none. One too large is an infinity.
template <std::floating_point T>
bool Parse(const std::string& text, T& value) {
  char* end = nullptr;
  if constexpr (std::same_as<T, float>) {
    value = std::strtof(text.c_str(), &end);
  } else {
    value = std::strtod(text.c_str(), &end);
  }
  return !text.empty() && end == text.c_str() + text.size();
}

// Decimal digits after an optional sign; false also for what the type does not hold.
template <std::integral T>
bool Parse(const std::string& text, T& value) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

//   output: the numbers that the texts spell, blanks around them aside
template <typename T>
Status ToNumbers(KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, DTypeOf<T>::value, input.dims()));
  T* value = output->mutable_data<T>();
  for (const std::string& text : input.flat<std::string>()) {
    if (Parse(std::string(Stripped(text)), *value++)) continue;
    return InvalidArgument("'" + text + "' is no " + DTypeName(DTypeOf<T>::value));
  }
  return Status();
}

Result<BoundKernel> BindToNumber(const Binding& binding) {
  switch (binding.output_dtype(0)) {
    case DType::kFloat:
      return BoundKernel(&ToNumbers<float>);
    case DType::kDouble:
      return BoundKernel(&ToNumbers<double>);
    case DType::kInt32:
      return BoundKernel(&ToNumbers<int32_t>);
    case DType::kInt64:
      return BoundKernel(&ToNumbers<int64_t>);
    case DType::kUInt32:
      return BoundKernel(&ToNumbers<uint32_t>);
    case DType::kUInt64:
      return BoundKernel(&ToNumbers<uint64_t>);
    default:
      return NoKernelFor(binding, binding.output_dtype(0));
  }
}

// ---- Base 64, with the letters that may stand in addresses ----

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int8_t kNoDigit = -1;

constexpr std::array<int8_t, 256> DigitValues() {
  std::array<int8_t, 256> values{};
  values.fill(kNoDigit);
  for (int8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}
constexpr std::array<int8_t, 256> kDigitValues = DigitValues();

// Three bytes make four digits; of one or two at the end, the bits that are missing are zero.
std::string Encoded(const std::string& text, bool pads) {
  std::string digits;
  digits.reserve((text.size() + 2) / 3 * 4);
  for (size_t i = 0; i < text.size(); i += 3) {
    const size_t count = std::min<size_t>(3, text.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(text[i + k]) : 0);
    }
    for (size_t k = 0; k <= count; ++k) digits += kDigits[bits >> (18 - 6 * k) & 63];
    if (pads) digits.append(3 - count, '=');
  }
  return digits;
}

// The inverse. Bits that make no whole byte are left out.
Result<std::string> Decoded(std::string_view digits) {
  if (digits.size() % 4 == 0) {
    for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.remove_suffix(1);
  }
  if (digits.size() % 4 == 1) {
    return InvalidArgument("a text in base 64 has no length of 1 modulo 4");
  }
  std::string text;
  text.reserve(digits.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int8_t value = kDigitValues[static_cast<unsigned char>(digits[i])];
    if (value == kNoDigit) {
      return InvalidArgument(std::string("'") + digits[i] + "' is no digit of base 64");
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    // Digit 1, 2, 3 of four completes a byte, with 4, 2, 0 bits to spare.
    if (i % 4 > 0) text += static_cast<char>(bits >> (6 - 2 * (i % 4)) & 0xff);
  }
  return text;
}

Result<BoundKernel> BindEncodeBase64(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool pads, BoolAttr(binding.node, "pad"));
  return BoundKernel([pads](KernelContext& context) {
    return ChangeTexts(context, [pads](std::string& text) {
      text = Encoded(text, pads);
      return Status();
    });
  });
}

Status DecodeBase64(KernelContext& context) {
  return ChangeTexts(context, [](std::string& text) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(text, Decoded(text));
    return Status();
  });
}

// ---- Letters ----

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Without an encoding, texts are bytes, and letters those of ASCII. With utf-8 they are all letters
// there are; of these we know those of ASCII alone, and refuse the others.
template <char (*kChange)(char)>
Result<BoundKernel> BindLetters(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string encoding, StringAttr(binding.node, "encoding"));
  if (!encoding.empty() && encoding != "utf-8") {
    return InvalidArgument("the encoding must be utf-8 or nothing, not " + encoding);
  }
  return BoundKernel([is_ascii = !encoding.empty()](KernelContext& context) {
    return ChangeTexts(context, [is_ascii](std::string& text) -> Status {
      for (char& c : text) {
        if (is_ascii && static_cast<unsigned char>(c) >= 0x80) {
          return Unimplemented("no other letters than ASCII's are changed in utf-8");
        }
        c = kChange(c);
      }
      return Status();
    });
  });
}

Status Strip(KernelContext& context) {
  return ChangeTexts(context, [](std::string& text) {
    text = std::string(Stripped(text));
    return Status();
  });
}

}  // namespace

Status RegisterStringConvertKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringToNumber", BindToNumber},
                                {"EncodeBase64", BindEncodeBase64},
                                {"DecodeBase64", Bind<DecodeBase64>},
                                {"StringLower", BindLetters<Lower>},
                                {"StringUpper", BindLetters<Upper>},
                                {"StringStrip", Bind<Strip>}});
}

}  // namespace tagflow::optimized
