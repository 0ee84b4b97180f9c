#include "fuzz/program/literal_text.h"

#include <charconv>
#include <cmath>

namespace tagflow::fuzz {
namespace {

template <typename T>
std::string Shortest(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";  // without its sign
  }
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

template <typename T>
std::optional<T> Read(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Calls visit(T()) with the C++ type of a dtype of programs; false when there is none.
template <typename Visit>
bool WithType(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kFloat:
      return visit(float{});
    case DType::kDouble:
      return visit(double{});
    case DType::kHalf:
      return visit(Half{});
    case DType::kBFloat16:
      return visit(BFloat16{});
    case DType::kInt8:
      return visit(int8_t{});
    case DType::kInt16:
      return visit(int16_t{});
    case DType::kInt32:
      return visit(int32_t{});
    case DType::kInt64:
      return visit(int64_t{});
    case DType::kUInt8:
      return visit(uint8_t{});
    case DType::kUInt16:
      return visit(uint16_t{});
    case DType::kUInt32:
      return visit(uint32_t{});
    case DType::kUInt64:
      return visit(uint64_t{});
    case DType::kBool:
      return visit(bool{});
    default:
      return false;
  }
}

std::string TextOf(bool value) { return value ? "true" : "false"; }
std::string TextOf(Half value) { return Shortest(ToFloat(value)); }
std::string TextOf(BFloat16 value) { return Shortest(ToFloat(value)); }
template <typename T>
std::string TextOf(T value) {
  return Shortest(value);
}

bool Parse(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
bool Parse(std::string_view text, Half& value) {
  const auto read = Read<float>(text);
  if (read) value = HalfFromFloat(*read);
  return read.has_value();
}
bool Parse(std::string_view text, BFloat16& value) {
  const auto read = Read<float>(text);
  if (read) value = BFloat16FromFloat(*read);
  return read.has_value();
}
template <typename T>
bool Parse(std::string_view text, T& value) {
  const auto read = Read<T>(text);
  if (read) value = *read;
  return read.has_value();
}

std::string ElementText(const Tensor& tensor, int64_t i) {
  std::string text = "?";
  WithType(tensor.dtype(), [&](auto zero) {
    text = TextOf(tensor.data<decltype(zero)>()[i]);
    return true;
  });
  return text;
}

void AppendElements(const Tensor& tensor, int axis, int64_t& next, std::string& text) {
  if (axis == tensor.rank()) {
    text += ElementText(tensor, next++);
    return;
  }
  text += '[';
  for (int64_t i = 0; i < tensor.dim(axis); ++i) {
    if (i > 0) text += ", ";
    AppendElements(tensor, axis + 1, next, text);
  }
  text += ']';
}

}  // namespace

std::string LiteralText(const Tensor& tensor) {
  if (!tensor.has_value()) return "?";
  if (tensor.num_elements() == 0) return "[]";  // its type says the rest
  std::string text;
  int64_t next = 0;
  AppendElements(tensor, 0, next, text);
  return text;
}

std::string NumberText(double value) { return Shortest(value); }
std::optional<double> NumberOfText(std::string_view text) { return Read<double>(text); }
std::optional<int64_t> IntegerOfText(std::string_view text) { return Read<int64_t>(text); }

bool SetElement(Tensor& tensor, int64_t i, std::string_view text) {
  return WithType(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return Parse(text, tensor.mutable_data<T>()[i]);
  });
}

}  // namespace tagflow::fuzz
